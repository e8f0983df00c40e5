import type { Cover } from '../../../lib/text/amount/span.ts'
import { foldMonth, monthNames } from '../../../lib/text/month-names.ts'
import { dayIso, expandYear, type FoundDate, nearestYear, type Precision, withTime } from './date.ts'
import { monthPattern } from './date-words.ts'

/** Months of seven languages, read with their grammar. */
const monthListPattern = new RegExp(`^${monthPattern}$`, 'iu')

const word = /[\p{L}\p{M}'’׳]+(?:[.॰][\p{L}\p{M}]+)*[॰]?/gu
const nextWords = /^ (?:\d{1,2}(?!\d)|[\p{L}\p{M}]+)(?: [\p{L}\p{M}]+)?/u
/** Marks and a small word or two between the parts of a date: "de", "ng", "г.", "ж.,", "gada", "năm". */
const glue = '[\\s.,،၊/–-]{0,3}(?:(?!\\p{Lu})[\\p{L}\\p{M}’]{1,5}[\\s.,․-]{1,3}){0,2}'
const leadingDay = new RegExp(`(?<![\\p{L}\\d.,:/-])(\\d{1,2})${glue}$`, 'u')
const leadingYear = new RegExp(`(?<![\\d.,:/-])(\\d{4})${glue}(?:(?<![\\d])(\\d{1,2})${glue})?$`, 'u')
const trailingYear = new RegExp(`^\\.?${glue}(\\d{4})(?!\\d|[.,:]\\d)`, 'u')
const trailingDay = new RegExp(
  `^\\.?[\\s.,/–-]{1,3}(\\d{1,2})(?!\\d|[.,:/]\\d)(?:${glue}(\\d{4})(?!\\d|[.,:]\\d))?`,
  'u',
)
/** Digits beside a date that were not understood as a part of it. */
const digitsAfter = /^[\s.,/'’–-]{0,2}(\d{2})(?!\d)/

type Parts = { start: number; end: number; year?: number; day?: number; isOpen?: boolean }

/** The day and the year around the name of a month; undefined where neither stands there. */
const partsAround = (text: string, start: number, end: number): Parts | undefined => {
  const from = Math.max(0, start - 32, text.lastIndexOf('\n', start - 1) + 1)
  const before = text.slice(from, start)
  const after = text.slice(end, end + 32)
  const year = leadingYear.exec(before)
  const trailing = trailingDay.exec(after)
  if (year) {
    const [, digits = '', day] = year
    const isDayAfter = day === undefined && trailing !== null && trailing[2] === undefined
    const own = isDayAfter ? trailing[1] : day
    return {
      start: from + year.index,
      end: end + (isDayAfter ? trailing[0].length : 0),
      year: Number(digits),
      ...(own !== undefined && { day: Number(own) }),
    }
  }
  const day = leadingDay.exec(before)
  const later = trailingYear.exec(after)
  if (day) {
    const open = later ? null : digitsAfter.exec(after.replace(/^\./, ''))
    return {
      start: from + day.index,
      end: end + (later?.[0].length ?? 0),
      day: Number(day[1]),
      ...(later && { year: Number(later[1]) }),
      ...(open && { year: expandYear(open[1] ?? ''), isOpen: true }),
    }
  }
  // Digits that end right before the name belong to something else.
  if (/\d[\s.,/-]{0,2}$/.test(before)) return undefined
  if (trailing?.[2] !== undefined)
    return { start, end: end + trailing[0].length, day: Number(trailing[1]), year: Number(trailing[2]) }
  if (later) return { start, end: end + later[0].length, year: Number(later[1]) }
  return trailing && end - start > 3
    ? { start, end: end + trailing[0].length, day: Number(trailing[1]) }
    : undefined
}

/** The Thai and the Lao count years from the death of the Buddha. */
const toGregorian = (year: number, name: string): number =>
  year > 2400 && /[\p{Script=Thai}\p{Script=Lao}]/u.test(name) ? year - 543 : year

const isMonth = (name: string): boolean => monthNames().byName.has(name)

/** Dates whose month is named as CLDR has it in some language beside the seven that have a grammar here. */
export const findWorldDates = (text: string, cover: Cover, reference: Date | undefined): FoundDate[] => {
  if (!/\d/.test(text)) return []
  const months = monthNames()
  const dates: FoundDate[] = []
  for (const { index, 0: hit } of text.matchAll(word)) {
    const plain = foldMonth(hit)
    const next = months.heads.has(plain)
      ? (nextWords.exec(text.slice(index + hit.length, index + hit.length + 32))?.[0] ?? '')
      : ''
    const whole = [next, next.replace(/(?<=.) .*/, '')].find(
      each => each !== '' && months.byName.has(foldMonth(plain + each)),
    )
    const length = hit.length + (whole?.length ?? 0)
    const named = months.byName.get(foldMonth(plain + (whole ?? '')))
    if (!named || monthListPattern.test(foldMonth(hit))) continue
    const parts = partsAround(text, index, index + length)
    if (!parts) continue
    const { start, end, day } = parts
    // "Sen" is a month of one language and a Monday of another: the name of a month stands once.
    const others = text.slice(start, index) + text.slice(index + length, end)
    if ((others.match(word) ?? []).some(each => isMonth(foldMonth(each)))) continue
    // "Dydd Mawrth, 13 Chwefror": a weekday that is spelled as a month is.
    const following =
      parts.year === undefined ? /^ ([\p{L}\p{M}]+)/u.exec(text.slice(end, end + 32))?.[1] : undefined
    if (following !== undefined && isMonth(foldMonth(following))) continue
    const year = parts.year === undefined ? undefined : toGregorian(parts.year, hit)
    const isos = named.flatMap(month => {
      const own = year ?? (reference && day !== undefined ? nearestYear(month, day, reference) : undefined)
      if (day === undefined) return [`${String(year).padStart(4, '0')}-${String(month).padStart(2, '0')}`]
      const iso = dayIso(own ?? 2024, month, day)
      return iso === undefined ? [] : [own === undefined ? null : iso]
    })
    const [iso, otherIso = null] = isos
    if (iso === undefined) continue
    const raw = text.slice(start, end)
    const precision: Precision = day === undefined ? 'month' : 'day'
    const isOpen = parts.isOpen === true || (year !== undefined && year > 2400)
    const date = withTime(text, {
      key: iso ?? raw.toLowerCase(),
      raw,
      iso,
      iso_end: null,
      precision,
      ambiguous: iso === null || otherIso !== null || isOpen,
      other_iso: otherIso,
      relative: year === undefined,
      start,
      end,
    })
    if (cover.take(date)) dates.push(date)
  }
  return dates
}
