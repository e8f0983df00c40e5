import type { Scalar } from './index.ts'

const rank = (value: Scalar): number => {
  if (value === null) return 0
  if (value === false) return 1
  if (value === true) return 2
  return typeof value === 'number' ? 3 : 4
}

const shiftedUnits = /[\ud800-\uffff]/
const shiftedUnitsEach = /[\ud800-\uffff]/g
const up = (unit: string): string => {
  const code = unit.charCodeAt(0)
  return String.fromCharCode(code < 0xe000 ? code + 0x2000 : code - 0x800)
}
const down = (unit: string): string => {
  const code = unit.charCodeAt(0)
  return String.fromCharCode(code < 0xf800 ? code + 0x800 : code - 0x2000)
}

/**
 * A text whose plain JavaScript order (UTF-16 units) is the order of the UTF-8 bytes of `text`: surrogates move
 * above the units from U+E000 on. Same length; `fromByteOrder` takes it back.
 */
export const toByteOrder = (text: string): string =>
  shiftedUnits.test(text) ? text.replace(shiftedUnitsEach, up) : text

/** The text that `toByteOrder` was given. */
export const fromByteOrder = (text: string): string =>
  shiftedUnits.test(text) ? text.replace(shiftedUnitsEach, down) : text

/** Negative, zero or positive, in the order of an index: null, false, true, numbers, strings by UTF-8 bytes. */
export const compareScalars = (a: Scalar, b: Scalar): number => {
  if (a === b) return 0
  if (typeof a === 'number' && typeof b === 'number') return a - b
  if (typeof a !== 'string' || typeof b !== 'string') return rank(a) - rank(b)
  return toByteOrder(a) < toByteOrder(b) ? -1 : 1
}

/** Compares index keys field by field; of two where one begins the other, the shorter comes first. */
export const compareKeys = (a: readonly Scalar[], b: readonly Scalar[]): number => {
  for (const [position, value] of a.entries()) {
    const other = b[position]
    if (other === undefined) return 1
    const order = compareScalars(value, other)
    if (order !== 0) return order
  }
  return a.length - b.length
}
