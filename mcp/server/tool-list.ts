import { abridge, shortestForm } from './abridged-schema.ts'
import { deepFreeze } from './compile.ts'
import type { Entry, ListedTool } from './listed.ts'
import { schemaUri } from './resources.ts'

/**
 * Bytes that the output schemas of one `tools/list` may have. Programs read those, models do not; but a v1 client compiles every one
 * before its first call: 1.3 s of processor time for the 239 kB of 33 skills, 0.4 s for 96 KiB.
 */
export const maxOutputBytes = 98_304

const countBytes = (value: unknown): number => Buffer.byteLength(JSON.stringify(value))

type Row = { readonly entry: Entry; form: number; tool: ListedTool; bytes: number }

/** Brings a row to the next shorter form. */
const shorten = (row: Row): void => {
  const { service, tool } = row.entry
  row.form++
  const description = `Abridged; the whole schema is ${schemaUri(service.slug, tool.name)}`
  row.tool = { ...row.tool, outputSchema: { description, ...abridge(row.tool.outputSchema, row.form) } }
  row.bytes = countBytes(row.tool.outputSchema)
}

const findLargest = (rows: readonly Row[], lastForm: number): Row | undefined =>
  rows.filter(({ form }) => form < lastForm).sort((a, b) => b.bytes - a.bytes)[0]

/** A form without any field is for lists that names of fields alone make too long. */
const lastNamed = shortestForm - 1

/**
 * The tools as `tools/list` answers them, each with an output schema, whole up to `limit` bytes together. Over it the largest schemas
 * are abridged, so that each schema that is listed is true; the whole ones are resources.
 */
export const toToolList = (entries: readonly Entry[], limit = maxOutputBytes): readonly ListedTool[] => {
  const rows: Row[] = entries.map(entry => ({
    entry,
    form: 0,
    tool: entry.listed,
    bytes: countBytes(entry.listed.outputSchema),
  }))
  let bytes = rows.reduce((sum, row) => sum + row.bytes, 0)
  while (bytes > limit) {
    const largest = findLargest(rows, lastNamed) ?? findLargest(rows, shortestForm)
    if (!largest) break
    bytes -= largest.bytes
    shorten(largest)
    bytes += largest.bytes
  }
  return deepFreeze(rows.map(({ tool }) => tool))
}

/** The entries whose output schema a list has abridged. */
export const abridgedIn = (entries: readonly Entry[], tools: readonly ListedTool[]): readonly Entry[] => {
  const whole = new Set(tools.map(({ outputSchema }) => outputSchema))
  const names = new Set(tools.map(({ name }) => name))
  return entries.filter(({ listed }) => names.has(listed.name) && !whole.has(listed.outputSchema))
}
