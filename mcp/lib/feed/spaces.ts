import * as z from 'zod'
import { factTable, words } from '../facts.ts'
import type { LookUpPrefix } from './xml-reader.ts'

const prefixes = factTable(
  new URL('./data/namespaces.json', import.meta.url),
  z
    .record(z.string(), words)
    .transform(
      groups =>
        new Map(
          Object.entries(groups).flatMap(([prefix, spaces]) => spaces.map(space => [space, prefix] as const)),
        ),
    ),
)

/**
 * The prefix by which this reader calls a namespace, whatever the feed calls it; that of RSS and Atom is none. Feeds write
 * them in any case, with and without the last slash.
 */
export const lookUpPrefix: LookUpPrefix = space =>
  prefixes().get(
    space
      .toLowerCase()
      .replace(/^https:/, 'http:')
      .replace(/\/$/, ''),
  )
