/** What JSON from a stranger may hold. */
export type Json = Record<string, unknown>

export const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** The objects of a list, at most `most`; a lone object counts as a list of one, anything else as none. */
export const objectsIn = (value: unknown, most = 100): Json[] => {
  if (isObject(value)) return [value]
  return Array.isArray(value) ? value.slice(0, most).filter(isObject) : []
}

/** The texts of a list, or of a lone text. */
export const textsIn = (value: unknown, most = 100): string[] => {
  if (typeof value === 'string') return [value]
  return Array.isArray(value) ? value.slice(0, most).filter(one => typeof one === 'string') : []
}

/** Control characters, and marks that turn the direction of text or hide in it. */
const unsafe = /[\p{Cc}\p{Cs}\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069\ufeff]/gu

/** A stranger's text as one safe line, cut at `most` characters; null when there is nothing. */
export const lineOf = (value: unknown, most = 300): string | null => {
  if (typeof value !== 'string') return null
  const line = value
    .slice(0, most * 4)
    .replace(/\s+/g, ' ')
    .replace(unsafe, '')
    .trim()
  return line === '' ? null : line.slice(0, most)
}

/** A text in lower case, to compare with; empty for anything else. */
export const wordOf = (value: unknown): string => (typeof value === 'string' ? value.toLowerCase() : '')
