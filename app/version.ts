import { readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { asRecord } from '../mcp/lib/json.ts'

/** Version of the program, by the package that this file lies in; undefined where no package is around it. */
export const readVersion = async (): Promise<string | undefined> => {
  for (let folder = dirname(fileURLToPath(import.meta.url)); ; folder = dirname(folder)) {
    const text = await readFile(join(folder, 'package.json'), 'utf8').catch(() => undefined)
    const { version } = asRecord(text === undefined ? undefined : JSON.parse(text))
    if (typeof version === 'string') return version
    if (folder === dirname(folder)) return undefined
  }
}
