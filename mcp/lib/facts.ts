import { readFileSync } from 'node:fs'
import * as z from 'zod'

const tables = new Map<string, () => unknown>()

/**
 * A table of facts that lies as JSON beside the code: `{ "source": …, "facts": … }`, with the licence and the date where others
 * published it. It is read and checked when it is first asked for; the build and the tests ask for all of them.
 */
export const factTable = <Facts>(place: URL, schema: z.ZodType<Facts>): (() => Facts) => {
  const file = z.strictObject({
    source: z.string().min(3),
    licence: z.string().optional(),
    taken: z.iso.date().optional(),
    facts: schema,
  })
  let facts: { value: Facts } | undefined
  const table = () => {
    facts ??= { value: file.parse(JSON.parse(readFileSync(place, 'utf8'))).facts }
    return facts.value
  }
  tables.set(place.href, table)
  return table
}

/** Reads every table that was declared, by the address of its file; throws at the first that does not fit its schema. */
export const checkFactTables = (): string[] =>
  [...tables].map(([place, table]) => {
    try {
      table()
      return place
    } catch (cause) {
      throw new Error(`${place} does not fit: ${cause instanceof Error ? cause.message : cause}`, { cause })
    }
  })

/** A regular expression; flags stand before it as `(?i)`. */
export const pattern = z.string().transform(text => {
  const [head = '', flags = ''] = /^\(\?([gimsu]+)\)/.exec(text) ?? []
  return new RegExp(text.slice(head.length), flags)
})

/** Words with a space between them. */
export const words = z.string().transform(text => text.split(' '))
