import { crc32 } from 'node:zlib'
import { BadCursor, type Scalar } from './index.ts'

const checksum = (text: string): string => crc32(text, 0x0c7a6e).toString(36)

const isScalar = (value: unknown): value is Scalar =>
  value === null || ['boolean', 'number', 'string'].includes(typeof value)

/** The opaque `next` of a page: where the last row stands in the index, with a checksum. */
export const encodeCursor = (values: readonly Scalar[], id: string): string => {
  const text = JSON.stringify([...values, id])
  return `${Buffer.from(text).toString('base64url')}.${checksum(text)}`
}

const parse = (text: string): unknown => {
  const [body = '', sum] = text.split('.')
  const json = Buffer.from(body, 'base64url').toString()
  if (sum !== checksum(json)) return undefined
  if (Buffer.from(json).toString('base64url') !== body) return undefined
  return JSON.parse(json)
}

/** Reads a cursor of an index with `fields` fields (0 for a `words` index). Throws BadCursor on any other text. */
export const decodeCursor = (text: string, fields: number): { values: Scalar[]; id: string } => {
  const parts = typeof text === 'string' ? parse(text) : undefined
  const values = Array.isArray(parts) ? parts.slice(0, -1) : []
  const id: unknown = Array.isArray(parts) ? parts.at(-1) : undefined
  if (typeof id !== 'string' || values.length !== fields || !values.every(isScalar))
    throw new BadCursor(
      'after: not the "next" of a page of this index; take it unchanged from the page before',
    )
  return { values, id }
}
