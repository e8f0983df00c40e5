import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/** The folder `docs/` of the package, seen from the source and from what is built of it; undefined where it was left out. */
export const findDocsFolder = (): string | undefined =>
  ['../../docs', '../../../docs', '../../../../docs']
    .map(path => fileURLToPath(new URL(path, import.meta.url)))
    .find(path => existsSync(`${path}/payments.md`))
