import { readFile, writeFile } from 'node:fs/promises'
import { alertRules, withAlerts } from '../app/alerts.ts'
import { listSettings } from '../app/config.ts'
import { services as all } from '../app/services.ts'
import type { Service } from '../mcp/kernel/service.ts'
import type { Setting } from '../mcp/kernel/setting.ts'
import { readArguments } from './arguments.ts'
import { withBudgets } from './budgets-page.ts'

type Declaring = Pick<Service, 'slug' | 'name' | 'settings'>

const exampleLines = ({ variable, description, default: fallback, example = '' }: Setting): string =>
  `# ${description}\n# ${variable}=${fallback ?? example}\n`

/** `.env.example`: every variable, commented out, with its default or else an example. */
export const environmentExample = (services: readonly Declaring[]): string =>
  listSettings(services)
    .map(({ title, settings }) => `## ${title}\n\n${settings.map(exampleLines).join('\n')}`)
    .join('\n')

const cell = (text: string): string => text.replaceAll('|', '\\|')

const code = (text: string | undefined): string => (text === undefined ? '' : `\`${cell(text)}\``)

const row = ({ variable, description, default: fallback, example, secret }: Setting): string =>
  `| \`${variable}\` | ${code(fallback)} | ${cell(description)}${example === undefined ? '' : ` Example: ${code(example)}`}${secret ? ' Never printed.' : ''} |`

const section = ({ title, settings }: { title: string; settings: readonly Setting[] }): string => `## ${title}

| variable | default | what it does |
|---|---|---|
${settings.map(row).join('\n')}
`

/** `docs/configuration.md`, from the settings of the program, its ports and these services. */
export const configurationPage = (services: readonly Declaring[]): string => `# Configuration

Octagent reads its environment once, at start. Without any variable it runs on loopback with an embedded store. A value that does not
fit is an error, and so is a variable that begins with \`OCTAGENT_\`, or with the slug of a service that has such variables, and is not
in these tables; the error names it and the nearest that there is. \`octagent doctor\` prints what is set; secrets print as \`[secret]\`.

${listSettings(services).map(section).join('\n')}
This page and \`.env.example\` are written by \`octagent docs\` from what \`app/config.ts\`, the ports and the services declare; a test
keeps them fresh.
`

/** `octagent docs`: writes the files, and the tables of budgets and alerts, into the current folder. */
export const docs = async (args: string[]): Promise<number> => {
  const { values } = readArguments(args, {})
  await writeFile('.env.example', environmentExample(all))
  await writeFile('docs/configuration.md', configurationPage(all))
  await writeFile('docs/operations.md', withAlerts(withBudgets(await readFile('docs/operations.md', 'utf8'))))
  await writeFile('ops/alerts.yaml', alertRules())
  const files = ['.env.example', 'docs/configuration.md', 'docs/operations.md', 'ops/alerts.yaml']
  console.log(values.json ? JSON.stringify({ files }) : `wrote ${files.join(', ')}`)
  return 0
}
