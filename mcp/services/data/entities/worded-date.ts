import type { ParsedComponents, ParsedResult } from 'chrono-node'
import type { Cover, TextSpan } from '../../../lib/text/amount/span.ts'
import { dayIso, type FoundDate, type Precision } from './date.ts'

const month = '(?:jan|feb|mar|apr|may|jun|jul|aug|sept?|oct|nov|dec)[a-z]{0,7}'
const namedMonth = new RegExp(
  `\\b(?:\\d{1,2}(?:st|nd|rd|th)?(?: of)?[ .,-]{1,3}${month}|${month}[ .,]{1,3}\\d{1,4})\\b`,
  'gi',
)
const relative =
  /\b(?:today|tonight|tomorrow|yesterday|(?:next|last|this|past|coming) (?:week|month|year|quarter|(?:mon|tues|wednes|thurs|fri|satur|sun)day)|(?:mon|tues|wednes|thurs|fri|satur|sun)day|in \w{1,8} (?:minute|hour|day|week|month|year)s?|\w{1,8} (?:minute|hour|day|week|month|year)s? ago)\b/gi

/** Windows that are handed to the date library in one call; it takes some 0.1 ms for each. */
const maxWindows = 600

export type Parse = (text: string, reference: Date) => ParsedResult[]

const two = (value: number | null) => String(value ?? 0).padStart(2, '0')

const findPrecision = (parts: ParsedComponents): Precision => {
  if (parts.isCertain('second') && parts.isCertain('hour')) return 'second'
  if (parts.isCertain('hour')) return 'minute'
  if (parts.isCertain('day') || parts.isCertain('weekday')) return 'day'
  return parts.isCertain('month') ? 'month' : 'year'
}

const toIso = (parts: ParsedComponents, precision: Precision): string | null => {
  const year = parts.get('year') ?? 0
  if (precision === 'year') return String(year).padStart(4, '0')
  if (precision === 'month') return `${String(year).padStart(4, '0')}-${two(parts.get('month'))}`
  const day = dayIso(year, parts.get('month') ?? 0, parts.get('day') ?? 0)
  if (!day || precision === 'day') return day ?? null
  if (parts.isCertain('timezoneOffset')) return parts.date().toISOString().replace('.000Z', 'Z')
  return `${day}T${two(parts.get('hour'))}:${two(parts.get('minute'))}:${two(parts.get('second'))}`
}

const describe = (
  result: ParsedResult,
  offset: number,
  hasReference: boolean,
  isRelative: boolean,
): FoundDate => {
  const precision = findPrecision(result.start)
  const sure = hasReference || result.start.isCertain('year')
  const iso = sure ? toIso(result.start, precision) : null
  const raw = result.text.replace(/^[\s,.;]+/, '')
  const start = offset + result.index + result.text.length - raw.length
  return {
    key: iso ?? raw.toLowerCase(),
    raw,
    iso,
    iso_end: sure && result.end ? toIso(result.end, findPrecision(result.end)) : null,
    precision,
    ambiguous: iso === null,
    other_iso: null,
    relative: isRelative || !result.start.isCertain('year'),
    start,
    end: start + raw.length,
  }
}

/** True when the hour of a reading stands in the text as one: the library takes any number beside a date for an hour. */
const isWritten = ({ start, end, text }: ParsedResult): boolean =>
  // "26. aug 1969, 21:29": the hour of a month without its day is that of another day.
  !(start.isCertain('month') && start.isCertain('hour') && !start.isCertain('day')) &&
  (!(start.isCertain('hour') || end?.isCertain('hour')) ||
    /\d\s?(?::\d|[ap]\.?m\b|h\b|o'?clock)|\b(?:noon|midnight|morning|afternoon|evening|night|tonight|hours?|minutes?|seconds?)\b|\bat \d/i.test(
      text,
    ))

const findHits = (text: string, pattern: RegExp) =>
  Array.from(text.matchAll(pattern), ({ index, 0: hit }) => ({
    start: index,
    end: index + hit.length,
    isRelative: pattern === relative,
  }))

/** The part of the line around a hit that may belong to its date. */
const windowAround = (text: string, { start, end }: TextSpan, minStart: number): TextSpan => {
  const from = Math.max(minStart, start - 20)
  const to = Math.min(text.length, end + 40)
  const before = text.slice(from, start).lastIndexOf('\n')
  const after = text.slice(end, to).indexOf('\n')
  return { start: before < 0 ? from : from + before + 1, end: after < 0 ? to : end + after }
}

const isRangeOrZoned =
  /\d(?:st|nd|rd|th)?,?\s?(?:-|–|—|to|until|till|through)\s?(?:\d|[a-z]{3,9} \d)|\b(?:noon|midnight)\b|\d\s?(?:[ap]\.?m\.?)?\s(?:Z|UTC|GMT|[A-Z]{1,3}[SD]?T|[+-]\d{2}:?\d{2})\b/i

type PhraseOptions = { reference: Date | undefined; only: 'ranges' | 'all' }

/**
 * Dates in English words. Relative ones ("tomorrow") and a day without a year are read from `reference`; without it the
 * former are left out and the latter have no `iso`.
 */
export const findWordedDates = (
  text: string,
  cover: Cover,
  parse: Parse,
  { reference, only }: PhraseOptions,
) => {
  const patterns = reference ? [namedMonth, relative] : [namedMonth]
  const hits = patterns.flatMap(pattern => findHits(text, pattern)).sort((a, b) => a.start - b.start)
  const dates: FoundDate[] = []
  let minStart = 0
  let windows = 0
  for (const hit of hits) {
    if (hit.start < minStart || !cover.isFree(hit)) continue
    const window = windowAround(text, hit, minStart)
    const part = text.slice(window.start, window.end)
    if (only === 'ranges' && !isRangeOrZoned.test(text.slice(hit.start, window.end))) continue
    if (windows++ >= maxWindows) return { dates, cut: true }
    for (const result of parse(part, reference ?? new Date(0))) {
      if (!isWritten(result)) continue
      const date = describe(result, window.start, reference !== undefined, hit.isRelative)
      if (only === 'ranges' && date.iso_end === null && date.precision === 'day') continue
      if (date.start > hit.end || date.end < hit.start) continue
      // "26 Mayıs" is no day of May.
      if (/[\p{L}\p{M}]/u.test(text.charAt(date.end)) || !cover.take(date)) continue
      dates.push(date)
      minStart = date.end
    }
  }
  return { dates, cut: false }
}
