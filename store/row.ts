import type { Index, Row } from './index.ts'

/** The longest id, claim key or topic, in UTF-16 units. */
const maxIdLength = 512

/** The most UTF-8 bytes that an id and the strings of one index may have together: what a PostgreSQL B-tree page takes. */
const maxEntryLength = 2300

const unstorable = /(?<!\\)(?:\\\\)*\\u(?:0000|d[89a-f])/
const loneSurrogate = /\p{Surrogate}/u

/**
 * Whether both engines can hold this text: PostgreSQL has no NUL character, and a lone surrogate is not text in UTF-8.
 * No stored document holds a text that is not storable.
 */
export const storable = (text: string): boolean => !text.includes('\0') && !loneSurrogate.test(text)

/** Returns `text` when it can name a document, claim, topic or collection: 1 to 512 characters, storable. Else an Error. */
export const nameText = (what: string, text: string): string => {
  if (typeof text !== 'string' || text === '') throw new Error(`${what} must be a string that is not empty`)
  if (text.length > maxIdLength)
    throw new Error(`${what} has ${text.length} characters; at most ${maxIdLength} are stored`)
  if (!storable(text))
    throw new Error(`${what} has a NUL character or half a surrogate pair, which cannot be stored`)
  return text
}

/** The JSON text of a payload; an Error for what is not JSON, for \u0000 and for half surrogate pairs anywhere in it. */
export const toJsonText = (what: string, value: unknown): string => {
  let text: string | undefined
  try {
    text = JSON.stringify(value)
  } catch (cause) {
    throw new Error(`${what} is not JSON: ${cause instanceof Error ? cause.message : cause}`, { cause })
  }
  if (text === undefined) throw new Error(`${what} is not JSON: it is ${typeof value}`)
  // JSON.stringify escapes exactly these as \u0000 and \ud8xx to \udfxx; whole pairs stay as they are.
  if (text.includes('\\u') && unstorable.test(text))
    throw new Error(`${what} has a NUL character or half a surrogate pair, which cannot be stored`)
  return text
}

/**
 * The JSON text of a document, checked the same for both engines, who call it in `insert`, `put` and `update`. An Error
 * when the id is not 1 to 512 characters, the document is no JSON object, or a string in it cannot be stored.
 */
export const rowText = (row: Row): string => {
  if (row === null || typeof row !== 'object' || Array.isArray(row))
    throw new Error('a document must be an object')
  nameText('the id of a document', row.id)
  return toJsonText(`document "${row.id}"`, row)
}

/**
 * An Error when the strings of an index, together with the id, are longer than 2300 bytes of UTF-8: such a value cannot
 * be indexed by PostgreSQL, so neither engine takes it. A `words` index has no such limit.
 */
export const checkIndexed = (indexes: readonly Index[], row: Row): void => {
  const document: Record<string, unknown> = row
  for (const { name, fields, words } of indexes) {
    if (words) continue
    let bytes = Buffer.byteLength(row.id)
    for (const field of fields) {
      const value = document[field]
      if (typeof value === 'string') bytes += Buffer.byteLength(value)
    }
    if (bytes > maxEntryLength)
      throw new Error(
        `document "${row.id}": index "${name}" takes ${maxEntryLength} bytes with the id, not ${bytes}`,
      )
  }
}
