import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'

const onPath = (name: string): string | undefined =>
  (process.env.PATH ?? '')
    .split(delimiter)
    .map(folder => join(folder, name))
    .find(existsSync)

const chromium = process.env.CHROMIUM || onPath('chromium')

/** Where the browser is; undefined, loudly, where it or bubblewrap is missing. */
export const hasBrowser = onPath('bwrap') ? chromium : undefined

if (!hasBrowser)
  console.warn('\n!!! THE LEAK TESTS OF THE BROWSER ARE SKIPPED: they need Chromium and bubblewrap (bwrap)\n')
