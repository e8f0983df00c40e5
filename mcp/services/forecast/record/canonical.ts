import { createHash } from 'node:crypto'
import canonicalize from 'canonicalize'

/** Signable values: text is ASCII and numbers have four decimals at most, so that JavaScript, Python and RFC 8785 write the same. */
export type Signable =
  | null
  | boolean
  | number
  | string
  | readonly Signable[]
  | { readonly [key: string]: Signable }

const isAscii = (text: string): boolean => /^[\x20-\x7e]*$/.test(text)

const check = (value: Signable, path: string): void => {
  if (typeof value === 'number') {
    const isExact = Number.isSafeInteger(value) || (Math.abs(value) < 1e6 && round4(value) === value)
    if (!isExact) throw new TypeError(`${path}: ${value} is written in different ways by different languages`)
    return
  }
  if (typeof value === 'string') {
    if (!isAscii(value)) throw new TypeError(`${path} must be printable ASCII`)
    return
  }
  if (typeof value !== 'object' || value === null) return
  for (const [key, member] of Object.entries(value)) {
    if (!isAscii(key)) throw new TypeError(`${path}: names must be printable ASCII`)
    check(member, `${path}.${key}`)
  }
}

/** Rounds to four decimals; never to −0, which JSON writers disagree on. */
export const round4 = (value: number): number => Math.round(value * 10_000) / 10_000 + 0

/** Canonical JSON: keys sorted, no white space. Throws a TypeError for what two languages would write in two ways. */
export const toCanonical = (value: Signable): string => {
  check(value, '$')
  return canonicalize(value) ?? 'null'
}

/** SHA-256 of a text in UTF-8, in hexadecimal digits. */
export const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex')
