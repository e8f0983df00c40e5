import * as z from 'zod'
import { factTable, words } from '../facts.ts'

const set = words.transform(list => new Set(list))

/**
 * Words of policies: directives of CSP3 and what extends it, those that do nothing in a meta element (CSP3 §3.3), those without a list
 * of sources, those that no browser heeds any more with what took their place, keywords that must stand in single quotes, and hosts
 * that serve anybody's scripts or answer with a callback of one's choice.
 */
export const vocabulary = factTable(
  new URL('./data/vocabulary.json', import.meta.url),
  z.strictObject({
    directives: set,
    header_only: set,
    unlisted: set,
    keywords: set,
    open_hosts: words,
    dead: z.record(z.string(), z.string()).transform(all => new Map(Object.entries(all))),
  }),
)
