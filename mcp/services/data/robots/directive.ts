import type { Line } from './line.ts'
import { splitLines } from './line.ts'

export type Field = 'user-agent' | 'allow' | 'disallow' | 'sitemap' | 'other'

/** A line that says something. `name` and `value` are bytes as written, without the spaces around them. */
export type RobotsDirective = {
  line: number
  field: Field
  name: string
  value: string
  /** A misspelling that crawlers forgive, such as `disalow`. */
  typo: boolean
  /** A space stands where the colon should. */
  noColon: boolean
}

/** Meaning of a line to its reader: a directive, an empty line or comment (null), or something else (undefined). */
export type Reading = { line: Line; directive: RobotsDirective | null | undefined }

const isSpace = (byte: string | undefined) => byte !== undefined && '\t\n\v\f\r '.includes(byte)

/** Without ASCII whitespace at both ends; other bytes may be halves of a character. */
const strip = (text: string): string => {
  let start = 0
  let end = text.length
  while (start < end && isSpace(text[start])) start++
  while (end > start && isSpace(text[end - 1])) end--
  return text.slice(start, end)
}

const spellings: readonly [start: string, field: Field, typo: boolean][] = [
  ['user-agent', 'user-agent', false],
  ['useragent', 'user-agent', true],
  ['user agent', 'user-agent', true],
  ['allow', 'allow', false],
  ['disallow', 'disallow', false],
  ['dissallow', 'disallow', true],
  ['dissalow', 'disallow', true],
  ['disalow', 'disallow', true],
  ['diasllow', 'disallow', true],
  ['disallaw', 'disallow', true],
  ['sitemap', 'sitemap', false],
  ['site-map', 'sitemap', true],
]

/** Finds where the value begins: after the colon, or after the white space of a line of exactly two words. */
const separatorIn = (text: string): { at: number; noColon: boolean } | undefined => {
  const colon = text.indexOf(':')
  if (colon >= 0) return { at: colon, noColon: false }
  const at = text.search(/[ \t]/)
  if (at < 0) return undefined
  return /[ \t]/.test(strip(text.slice(at))) ? undefined : { at, noColon: true }
}

const readLine = (line: Line): Reading => {
  const comment = line.bytes.indexOf('#')
  const text = strip(comment < 0 ? line.bytes : line.bytes.slice(0, comment))
  if (text === '') return { line, directive: null }
  const separator = separatorIn(text)
  const name = strip(text.slice(0, separator?.at ?? 0))
  if (!separator || name === '') return { line, directive: undefined }
  const value = strip(text.slice(separator.at + 1))
  const start = name.slice(0, 10).toLowerCase()
  const [, field = 'other', typo = false] = spellings.find(([spelling]) => start.startsWith(spelling)) ?? []
  return {
    line,
    directive: { line: line.number, field, name, value, typo, noColon: separator.noColon },
  }
}

/** Reads every line of a robots.txt the way Google's parser does, with the misspellings it forgives (RFC 9309 §2.2). */
export const parseRobotsLines = (robotsTxt: string | Uint8Array): Reading[] =>
  splitLines(robotsTxt).map(readLine)

export const directivesIn = (lines: readonly Reading[]): RobotsDirective[] =>
  lines.flatMap(({ directive }) => directive ?? [])
