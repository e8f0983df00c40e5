import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'

const root = resolve(import.meta.dirname, '../..')

/** What `scripts/setup.mjs --programs` rolls up before a run; a program is listed in test/programs.json. */
const folder = join(root, 'node_modules/.cache/octagent-programs/test/store')

/** The JavaScript of a program that tests start and kill, by its path from this folder, without `.ts`. */
export const compile = (program: string): string => {
  const path = join(folder, `${program}.js`)
  if (!existsSync(path)) throw new Error(`${program} is not compiled: list it in test/programs.json`)
  return path
}
