import { isRecord } from '../../lib/json.ts'

/** Content of JSON from a stranger. */
export type RdapObject = Record<string, unknown>

/** The objects of a list, at most `most`; a lone object counts as a list of one, anything else as none. */
export const objectsIn = (value: unknown, maxItems = 100): RdapObject[] => {
  if (isRecord(value)) return [value]
  return Array.isArray(value) ? value.slice(0, maxItems).filter(isRecord) : []
}

/** The texts of a list, or of a lone text. */
export const textsIn = (value: unknown, maxItems = 100): string[] => {
  if (typeof value === 'string') return [value]
  return Array.isArray(value) ? value.slice(0, maxItems).filter(one => typeof one === 'string') : []
}

/** A text in lower case, to compare with; empty for anything else. */
export const toWord = (value: unknown): string => (typeof value === 'string' ? value.toLowerCase() : '')
