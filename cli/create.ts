import { cp, mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { ToolError } from '../mcp/kernel/error.ts'
import { readArguments } from './arguments.ts'

/** The folder of the package that this file lies in. */
const findPackage = async (): Promise<string> => {
  for (let folder = dirname(fileURLToPath(import.meta.url)); ; folder = dirname(folder)) {
    const names = await readdir(folder)
    if (names.includes('package.json')) return folder
    if (folder === dirname(folder)) throw new Error('this program lies in no package')
  }
}

/** A name that npm takes for a package (https://docs.npmjs.com/cli/configuring-npm/package-json#name). */
const toPackageName = (folder: string): string =>
  basename(folder)
    .toLowerCase()
    .replace(/[^a-z0-9._-]+/g, '-')
    .replace(/^[._-]+/, '') || 'my-agent'

/** `octagent create <folder>`: an agent service with one tool, a test and a README, in a folder that is new or empty. */
export const create = async (args: string[]): Promise<number> => {
  const { values, positionals } = readArguments(args, { package: { type: 'string' } })
  const [name, extra] = positionals
  if (name === undefined || extra !== undefined)
    throw new ToolError('invalid_input', 'Name one folder.', { hint: 'Such as: octagent create my-agent' })
  const folder = resolve(name)
  const there = await readdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return []
    throw new ToolError('invalid_input', `${folder} cannot be a folder: ${error.code}.`, {
      hint: 'Name a folder that is new or empty.',
    })
  })
  if (there.length > 0)
    throw new ToolError('invalid_input', `${folder} is not empty.`, {
      hint: 'Name a folder that is new or empty; nothing was written.',
    })
  const root = await findPackage()
  await mkdir(folder, { recursive: true })
  await cp(join(root, 'cli/template'), folder, { recursive: true })
  const { version } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8')) as { version: string }
  const manifest = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'))
  manifest.name = toPackageName(folder)
  manifest.dependencies.octagent = values.package ?? `^${version}`
  await writeFile(join(folder, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`)
  const readme = join(folder, 'README.md')
  await writeFile(readme, (await readFile(readme, 'utf8')).replace('# my-agent', `# ${manifest.name}`))
  if (values.json) console.log(JSON.stringify({ folder, name: manifest.name }))
  else console.log(`${folder}\n\n  cd ${name}\n  npm install\n  npm test\n  npm start`)
  return 0
}
