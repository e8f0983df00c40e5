import { access, constants } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { delimiter, dirname, join } from 'node:path'
import { ToolError } from '../../kernel/error.ts'

const isProgram = (path: string): Promise<boolean> =>
  access(path, constants.X_OK).then(
    () => true,
    () => false,
  )

/** The optional package that brings anvil to this machine. */
const packageName = `@foundry-rs/anvil-${process.platform}-${process.arch === 'x64' ? 'amd64' : process.arch}`

const fromPackage = (): string[] => {
  try {
    const manifest = createRequire(import.meta.url).resolve(`${packageName}/package.json`)
    return [join(dirname(manifest), 'bin', 'anvil')]
  } catch {
    return []
  }
}

const fromPath = (): string[] =>
  (process.env.PATH ?? '')
    .split(delimiter)
    .filter(folder => folder !== '')
    .map(folder => join(folder, 'anvil'))

/** Finds anvil: as told, else the optional package, else PATH. Throws `unavailable` with what to do about it. */
export const findAnvil = async (configuredPath: string | undefined): Promise<string> => {
  if (configuredPath !== undefined) {
    if (await isProgram(configuredPath)) return configuredPath
    throw new ToolError('unavailable', 'The configured anvil binary is not there or cannot be executed.', {
      hint: 'Set ANVIL to the path of anvil, or leave it empty to use the installed package.',
    })
  }
  for (const path of [...fromPackage(), ...fromPath()]) if (await isProgram(path)) return path
  throw new ToolError('unavailable', 'There is no local chain: the program "anvil" was not found.', {
    hint: `Get it: npm install ${packageName}@1.7.1, or put anvil of Foundry (https://getfoundry.sh) on PATH, or set ANVIL to its path.`,
  })
}
