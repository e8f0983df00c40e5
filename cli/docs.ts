import { writeFile } from 'node:fs/promises'
import { z } from 'zod'
import { variables } from '../config.ts'

type Variable = { name: string; description: string; fallback: string | undefined }

const all = (): Variable[] =>
  Object.entries(variables).map(([name, schema]) => {
    const { default: value } = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }) as {
      default?: unknown
    }
    return {
      name,
      description: schema.description ?? '',
      fallback: value === undefined ? undefined : String(value),
    }
  })

/** `.env.example`: every variable, commented out, with its default. */
export const environmentExample = (): string =>
  all()
    .map(({ name, description, fallback }) => `# ${description}\n# ${name}=${fallback ?? ''}\n`)
    .join('\n')

/** `docs/configuration.md`, generated from the schema. */
export const configurationPage = (): string => `# Configuration

Octagent reads its environment once, at start. Without any variable it runs on loopback with an embedded store. A variable that
begins with \`OCTAGENT_\` and is not in this table is an error, and so is a value that does not fit. Secrets print as \`[secret]\`.

| variable | default | what it does |
|---|---|---|
${all()
  .map(
    ({ name, description, fallback }) =>
      `| \`${name}\` | ${fallback === undefined ? '' : `\`${fallback}\``} | ${description.replaceAll('|', '\\|')} |`,
  )
  .join('\n')}

This page and \`.env.example\` are written by \`octagent docs\` from the schema in \`config.ts\`; a test keeps them fresh.
`

/** `octagent docs`: writes both files into the current folder. */
export const docs = async (): Promise<number> => {
  await writeFile('.env.example', environmentExample())
  await writeFile('docs/configuration.md', configurationPage())
  console.log('wrote .env.example and docs/configuration.md')
  return 0
}
