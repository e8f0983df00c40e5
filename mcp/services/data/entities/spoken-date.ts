import type { Language } from '../../../lib/text/amount/language.ts'
import { readNumberAfter, readNumberBefore } from '../../../lib/text/amount/number-words.ts'
import type { Cover } from '../../../lib/text/amount/span.ts'
import { dayMs } from '../../../lib/time.ts'
import { dayIso, expandYear, type FoundDate, nearestYear, type Precision, withTime } from './date.ts'
import {
  anyWeekdayPattern,
  isCommonWord,
  monthPattern,
  nearDays,
  readMonth,
  readOrdinal,
  readWeekday,
  weekdayPattern,
} from './date-words.ts'

const letter = '[\\p{L}\\p{M}\\p{N}]'

const monthHit = new RegExp(`(?<!${letter})${monthPattern}(?!${letter})\\.?`, 'giu')

/** A day before its month, read back from the month's name. */
const dayBefore = new RegExp(
  `(?:(?<weekday>${anyWeekdayPattern})\\.?,?\\s+(?:(?:the|den|dem|der|le|el|il|de|dia|día|o)\\s+)?)?(?<![\\d.,:/])(?<day>\\d{1,2})(?:st|nd|rd|th|er|ère|ste|de|e|ro|ero|o|º|ª|°|\\.)?(?:(?:\\s+(?:of|de|del|di|van|von|dag van|dia de|día de)|\\s+d['’])?\\s+(?:(?:the|le|il|el)\\s+)?|\\s+d['’]|\\s?[-/.]\\s?|\\s*)$`,
  'iu',
)
const afterOrdinal = /(?:\s+(?:of|de|del|di|van|von|dag van|day of|dia de|d['’])|\s+d['’])?\s*$/iu
const weekdayBefore = new RegExp(
  `(?<!${letter})(?<weekday>${anyWeekdayPattern})\\.?,?\\s+(?:(?:the|den|dem|le|el|il|de|dia|día)\\s+)?$`,
  'iu',
)
const yearAfter =
  /^(?:\s*,|\.)?\s*(?:(?:of|de|del|do|van|in the year|di)\s+)?(?:(\d{4})(?![\d]|[.,]\d)|['’](\d{2})(?!\d))/iu
/** A year that leads: "2024 Aug 5", "2019/sep/01". */
const yearBefore = /(?<![\p{L}\p{N}_.,:/$€£-])(\d{4})(?:,?\s+|[-/.]\s?)$/u
/** Two digits alone after a day and month, where a clause ends: "1er avril 78". */
const bareShortYear = /^\s+(\d{2})(?=\s*(?:$|[,;!?)\n]|\.(?:\s|$)))/u
const shortYearAfter = /^[-/](\d{4}|\d{2})(?!\d)/u
/** A year that leads day and month: "2045. gada 7. aug.". */
const yearBeforeDay = /(?<![\p{L}\p{N}_.,:/$€£-])(\d{4})\.?(?:\s\p{L}{1,5}\.?)?\s$/u
const monthNext = new RegExp(
  `^\\.?\\s+(?:${monthPattern}(?!${letter})|(?:[\\p{L}\\p{M}]{2,12})\\.?,?\\s+\\d{4}(?!\\d))`,
  'iu',
)
const dayAfter = new RegExp(
  `^\\.?(?:\\s+(?:the\\s+)?|\\s?[-/.]\\s?)(?<day>\\d{1,2})(?:st|nd|rd|th|er|º|°|e)?(?![\\d:hH€$%]|[.,]\\d|\\s?(?:am|pm|Uhr|uur|%)(?!${letter}))`,
  'iu',
)

type Draft = {
  start: number
  end: number
  year: number | undefined
  month: number
  day: number | undefined
  /** The year is two digits that may be something else. */
  isYearOpen?: boolean
}

const windowBefore = (text: string, at: number, width: number): { from: number; part: string } => {
  const from = Math.max(0, at - width)
  const line = text.slice(from, at).lastIndexOf('\n')
  const start = line < 0 ? from : from + line + 1
  return { from: start, part: text.slice(start, at) }
}

/** The day in words right before a month: "ersten Januar", "veintiuno de Mayo", "fourth of may". */
const readDayWords = (
  part: string,
  language: Language | undefined,
): { day: number; start: number } | undefined => {
  const plain = part.replace(afterOrdinal, '')
  const words = [...plain.matchAll(/[\p{L}\p{M}]+/gu)].slice(-3)
  for (const nth of [0, 1, 2]) {
    const from = words[nth]
    if (!from || (words.at(-1)?.index ?? 0) + (words.at(-1)?.[0].length ?? 0) !== plain.length) continue
    const day =
      readOrdinal(plain.slice(from.index).replace(/-/g, ' ').trim()) ??
      readOrdinal(plain.slice(from.index).trim())
    if (day !== undefined && day > 0) return { day, start: from.index }
  }
  const number = readNumberBefore(plain, language)
  if (!number || number.value < 1 || number.value > 31) return undefined
  // "a March" and "one May" are no days.
  if (
    number.value === 1 &&
    number.words === 1 &&
    /(?:^|\s)(?:a|an|un|una|uno|une|ein|eine|einen|een|um|uma|one|eins)$/i.test(plain)
  )
    return undefined
  return { day: number.value, start: number.start }
}

const readDayWordsAfter = (
  rest: string,
  language: Language | undefined,
): { day: number; length: number } | undefined => {
  const lead = /^\.?\s+(?:the\s+)?/i.exec(rest)?.[0].length
  if (lead === undefined) return undefined
  const part = rest.slice(lead, lead + 24)
  for (const pattern of [/^[\p{L}\p{M}]+[- ][\p{L}\p{M}]+/u, /^[\p{L}\p{M}]+/u]) {
    const words = pattern.exec(part)?.[0]
    const day = words === undefined ? undefined : readOrdinal(words.replace('-', ' '))
    if (words !== undefined && day !== undefined && day > 0) return { day, length: lead + words.length }
  }
  const number = readNumberAfter(part, language)
  if (!number || number.value < 2 || number.value > 31) return undefined
  return { day: number.value, length: lead + number.end }
}

const readAroundMonth = (
  text: string,
  at: number,
  name: string,
  language: Language | undefined,
  isFree: Cover['isFree'],
): Draft | undefined => {
  const month = readMonth(name)
  if (!month) return undefined
  const isOwn = language === undefined || month.languages.includes(language)
  const bare = name.replace(/\.$/, '')
  const nameEnd = at + bare.length
  const { from, part } = windowBefore(text, at, 48)
  const rest = text.slice(nameEnd, nameEnd + 40)
  const year = (after: string) => {
    const match = yearAfter.exec(after) ?? shortYearAfter.exec(after)
    const digits = match?.[1] ?? match?.[2]
    return match && digits !== undefined ? { year: expandYear(digits), length: match[0].length } : undefined
  }
  const left = dayBefore.exec(part)
  if (left) {
    const after = year(rest)
    if (isCommonWord(bare) && !isOwn && !after) return undefined
    const lead = after ? null : yearBeforeDay.exec(part.slice(0, left.index))
    if (lead)
      return {
        start: from + lead.index,
        end: nameEnd,
        year: Number(lead[1]),
        month: month.month,
        day: Number(left.groups?.day),
      }
    const short = after ? null : bareShortYear.exec(rest.replace(/^\./, ' '))
    return {
      start: from + left.index,
      end: nameEnd + (after?.length ?? short?.[0].length ?? 0),
      year: after?.year ?? (short ? expandYear(short[1] ?? '') : undefined),
      month: month.month,
      day: Number(left.groups?.day),
      isYearOpen: short !== null,
    }
  }
  const worded = isOwn || !isCommonWord(bare) ? readDayWords(part, language) : undefined
  if (worded) {
    const after = year(rest)
    const weekday = weekdayBefore.exec(part.slice(0, worded.start))
    return {
      start: from + (weekday?.index ?? worded.start),
      end: nameEnd + (after?.length ?? 0),
      year: after?.year,
      month: month.month,
      day: worded.day,
    }
  }
  if (isCommonWord(bare) && !isOwn) return undefined
  const leading = yearBefore.exec(part)
  const right = dayAfter.exec(rest)
  if (leading && isFree({ start: from + leading.index, end: at })) {
    const day = right ? Number(right.groups?.day) : undefined
    return {
      start: from + leading.index,
      end: nameEnd + (right?.[0].length ?? 0),
      year: Number(leading[1]),
      month: month.month,
      day,
    }
  }
  const bareYear = year(rest)
  // "mar. 14 déc.": a weekday that is spelled as a month is.
  const afterDay = right ? text.slice(nameEnd + right[0].length, nameEnd + 48) : ''
  if (monthNext.test(afterDay) && !year(afterDay)) return undefined
  if (right && !(bareYear && /^\s+\d{4}/.test(rest))) {
    const end = nameEnd + right[0].length
    const after = year(text.slice(end, end + 16))
    const weekday = weekdayBefore.exec(part)
    const day = Number(right.groups?.day)
    if (day < 1 || day > 31) return undefined
    const short = after ? null : /^, (\d{2})(?=\s*(?:$|[,;!?)\n]|\.(?:\s|$)))/.exec(text.slice(end, end + 16))
    return {
      start: weekday ? from + weekday.index : at,
      end: end + (after?.length ?? short?.[0].length ?? 0),
      year: after?.year ?? (short ? expandYear(short[1] ?? '') : undefined),
      month: month.month,
      day,
      isYearOpen: short !== null,
    }
  }
  if (bareYear)
    return {
      start: at,
      end: nameEnd + bareYear.length,
      year: bareYear.year,
      month: month.month,
      day: undefined,
    }
  const spoken = readDayWordsAfter(rest, language)
  if (!spoken) return undefined
  const after = year(text.slice(nameEnd + spoken.length, nameEnd + spoken.length + 16))
  return {
    start: at,
    end: nameEnd + spoken.length + (after?.length ?? 0),
    year: after?.year,
    month: month.month,
    day: spoken.day,
  }
}

const toIsoDay = (time: number): string => new Date(time).toISOString().slice(0, 10)

type Shape = { iso: string | null; precision: Precision; relative: boolean; other_iso?: string | null }

const toDate = (
  text: string,
  start: number,
  end: number,
  { iso, precision, relative, other_iso: otherIso = null }: Shape,
): FoundDate => {
  const raw = text.slice(start, end)
  return {
    key: iso ?? raw.toLowerCase(),
    raw,
    iso,
    iso_end: null,
    precision,
    ambiguous: iso === null || otherIso !== null,
    other_iso: otherIso,
    relative,
    start,
    end,
  }
}

const describe = (text: string, draft: Draft, reference: Date | undefined): FoundDate | undefined => {
  const { start, end, month, day } = draft
  if (day === undefined) {
    const iso = `${String(draft.year).padStart(4, '0')}-${String(month).padStart(2, '0')}`
    return toDate(text, start, end, { iso, precision: 'month', relative: false })
  }
  const year = draft.year ?? (reference ? nearestYear(month, day, reference) : undefined)
  if (year === undefined) {
    // The leap year lets the 29th of February pass.
    return dayIso(2024, month, day)
      ? toDate(text, start, end, { iso: null, precision: 'day', relative: true })
      : undefined
  }
  const iso = dayIso(year, month, day)
  if (iso === undefined) return undefined
  const date = toDate(text, start, end, { iso, precision: 'day', relative: draft.year === undefined })
  return withTime(text, draft.isYearOpen ? { ...date, ambiguous: true } : date)
}

/** Dates whose month is written as a word, in seven languages. */
export const findNamedMonths = (
  text: string,
  cover: Cover,
  language: Language | undefined,
  reference?: Date,
): FoundDate[] => {
  const dates: FoundDate[] = []
  for (const match of text.matchAll(monthHit)) {
    const name = match[0]
    const hit = { start: match.index, end: match.index + name.replace(/\.$/, '').length }
    if (!cover.isFree(hit)) continue
    const draft = readAroundMonth(text, match.index, name, language, cover.isFree)
    const date = draft && describe(text, draft, reference)
    if (date && cover.take(date)) dates.push(date)
  }
  return dates
}

const near = new RegExp(
  `(?<!${letter})(?:${nearDays.map(([, words]) => words).join('|')})(?!${letter})`,
  'giu',
)
const distances = nearDays.map(([distance, words]) => [distance, new RegExp(`^(?:${words})$`, 'iu')] as const)

const next =
  'next|coming|prochaine?s?|nächste[nrs]?|kommende[nr]?|pr[oó]xim[oa]|siguiente|que viene|prossim[oa]|volgende|komende|pr[oó]xim[oa]|que vem|seguinte'
const last =
  'last|past|previous|derni[eè]re?|pass[ée]e?|letzte[nrs]?|vergangene[nr]?|vorige[nr]?|[uú]ltim[oa]|pasad[oa]|scors[oa]|afgelopen|vorige|laatste|passad[oa]|anterior'
const current = 'this|cet?|cette|diese[nrs]?|este|esta|quest[oa]|deze|est[ea]|nesta|neste|dit'
const week = 'week|semaine|woche|semana|settimana'

const weekdayHit = new RegExp(
  `(?<!${letter})(?:(?:(?<lead>${next}|${last}|${current})\\s+(?:(?<leadweek>${week}),?\\s+(?:(?:on|am|il|el|le|op|di|na|no)\\s+)?)?)?)(?<weekday>${weekdayPattern})(?!${letter})(?:,?\\s+(?:(?:of|in|de|der|del|della|van|da)\\s+)?(?:(?:the|la|de|der)\\s+)?(?:(?<tail>${next}|${last}|${current})(?:\\s+(?<tailweek>${week}))?|(?<weekfirst>${week})\\s+(?<weektail>${next}|${last}))(?!${letter}))?`,
  'giu',
)
const shortWeekdayHit = new RegExp(
  `(?<=(?:\\bon|\\ble|\\bam|\\bel|\\bil|\\bop|\\|)\\s?)(?<weekday>mon|tues?|wed|thurs?|fri|sat|sun|lun|mer|jeu|ven|sam|dim)(?!${letter})\\.?(?=\\s*(?:[.!?,]|$))`,
  'giu',
)

/** "na sexta", "na 6a": the Portuguese leave out the "-feira" of a weekday. */
const feira =
  /(?<=\b(?:na|nesta|esta|até|de)\s)(?:(?<word>segunda|ter[çc]a|quarta|quinta|sexta)|(?<nth>[2-6])(?:a|ª))(?=\s*(?:[.!?,;]|$))/giu

const isoWeekday = (time: number): number => ((new Date(time).getUTCDay() + 6) % 7) + 1

const startOfDay = (reference: Date): number => Math.floor(reference.getTime() / dayMs) * dayMs

const matches = (pattern: string, word: string | undefined): boolean =>
  word !== undefined && new RegExp(`^(?:${pattern})$`, 'iu').test(word)

const findWeekdays = (
  text: string,
  cover: Cover,
  language: Language | undefined,
  reference: Date,
): FoundDate[] => {
  const dates: FoundDate[] = []
  const today = startOfDay(reference)
  const monday = today - (isoWeekday(today) - 1) * dayMs
  const take = (start: number, end: number, time: number, other?: number) => {
    const iso = toIsoDay(time)
    const otherIso = other === undefined || other === time ? null : toIsoDay(other)
    const date = withTime(
      text,
      toDate(text, start, end, { iso, precision: 'day', relative: true, other_iso: otherIso }),
    )
    if (cover.take(date)) dates.push(date)
  }
  for (const { index, 0: raw, groups = {} } of text.matchAll(weekdayHit)) {
    const weekday = readWeekday(groups.weekday ?? '')
    if (weekday === undefined) continue
    const coming = today + ((weekday - isoWeekday(today) + 7) % 7) * dayMs
    const word = groups.lead ?? groups.tail ?? groups.weektail
    const end = index + raw.length
    // "sabato passato", but also "el pasado viernes": the last one; "next Friday" is that of next week, or the coming one.
    if (matches(next, word)) {
      const later = monday + (weekday + 6) * dayMs
      const named = groups.leadweek ?? groups.tailweek ?? groups.weekfirst
      take(index, end, later, named === undefined ? coming : undefined)
    } else if (matches(last, word)) take(index, end, monday + (weekday - 8) * dayMs)
    else if (word !== undefined) take(index, end, monday + (weekday - 1) * dayMs)
    else take(index, end, coming)
  }
  for (const { index, 0: raw, groups = {} } of language === 'pt' ? text.matchAll(feira) : []) {
    const weekday = groups.nth === undefined ? readWeekday(groups.word ?? '') : Number(groups.nth) - 1
    if (weekday !== undefined)
      take(index, index + raw.length, today + ((weekday - isoWeekday(today) + 7) % 7) * dayMs)
  }
  for (const { index, 0: raw, groups = {} } of text.matchAll(shortWeekdayHit)) {
    const weekday = readWeekday(groups.weekday ?? '')
    if (weekday !== undefined)
      take(
        index,
        index + raw.replace(/\.$/, '').length,
        today + ((weekday - isoWeekday(today) + 7) % 7) * dayMs,
      )
  }
  return dates
}

const units: readonly (readonly ['day' | 'week' | 'month' | 'year', string])[] = [
  ['day', 'days?|jours?|tag(?:e|en)?|d[ií]as?|giorn[oi]|dag(?:en)?|dias?'],
  ['week', 'weeks?|semaines?|wochen?|semanas?|settiman[ae]|weken|week'],
  ['month', 'months?|mois|monat(?:e|en)?|mes(?:es)?|mes[ei]|maand(?:en)?|m[eê]s(?:es)?'],
  ['year', 'years?|ans?|années?|jahr(?:e|en)?|años?|ann[oi]|jaar|jaren|anos?'],
]
const unitPattern = units.map(([, words]) => words).join('|')
const ago = 'ago|earlier|geleden|fa|atr[áa]s|auparavant|früher|zuvor|antes'
const later =
  'later|from now|from today|hence|plus tard|später|despu[ée]s|más tarde|dopo|da adesso|da oggi|later|depois|mais tarde|daarna'
const countHit = new RegExp(
  `(?<!${letter})(?<unit>${unitPattern})(?!${letter})(?:\\s+(?<after>${ago}|${later})(?!${letter}))?`,
  'giu',
)
const countLead =
  /(?<past>il y a|vor|hace|há|ha)\s+$|(?<future>in|within|dans|en|dentro de|tra|fra|over|em|daqui a|binnen)\s+$/iu

const shift = (time: number, count: number, unit: string): number => {
  if (unit === 'day' || unit === 'week') return time + count * (unit === 'week' ? 7 : 1) * dayMs
  const date = new Date(time)
  const months = date.getUTCMonth() + count * (unit === 'year' ? 12 : 1)
  const lastDay = new Date(Date.UTC(date.getUTCFullYear(), months + 1, 0)).getUTCDate()
  return Date.UTC(date.getUTCFullYear(), months, Math.min(date.getUTCDate(), lastDay))
}

/** "in two weeks", "vor 3 Tagen", "il y a deux mois", "due mesi fa". */
const findCounted = (
  text: string,
  cover: Cover,
  language: Language | undefined,
  reference: Date,
): FoundDate[] => {
  const dates: FoundDate[] = []
  for (const { index, 0: raw, groups = {} } of text.matchAll(countHit)) {
    const unit = units.find(([, words]) => matches(words, groups.unit))?.[0]
    const { from, part } = windowBefore(text, index, 40)
    const plain = part.trimEnd()
    if (unit === undefined || plain.length === part.length) continue
    const digits = /(?<![\d.,])(\d{1,3})$/.exec(plain)
    const number = digits
      ? { value: Number(digits[1]), start: digits.index }
      : readNumberBefore(plain, language)
    if (!number) continue
    const lead = countLead.exec(part.slice(0, number.start))
    const word = groups.after
    const isPast = lead?.groups?.past !== undefined || matches(ago, word)
    const isFuture = lead?.groups?.future !== undefined || matches(later, word)
    if (isPast === isFuture && !(isFuture && word !== undefined)) continue
    const start = from + (lead?.index ?? number.start)
    const iso = toIsoDay(shift(startOfDay(reference), isPast ? -number.value : number.value, unit))
    const end = index + raw.length
    const date = withTime(text, toDate(text, start, end, { iso, precision: 'day', relative: true }))
    if (cover.take(date)) dates.push(date)
  }
  return dates
}

const nthHit = new RegExp(
  `(?<!${letter})(?<weekday>${weekdayPattern})\\s+(?:of|in|de|du|des|im|di|del|van|do|da|dieses)\\s+(?:(?<this>this month|ce mois(?:-ci)?|este mes|esse mês|este mês|questo mese|deze maand|monats|month)|(?<month>${monthPattern}))(?!${letter})(?:,?\\s+(?:de\\s+|of\\s+|del\\s+)?(?<year>\\d{4}))?`,
  'giu',
)
const nthBefore =
  /(?<![\p{L}\p{M}\p{N}])(?:(?:the|le|el|il|la|de|den|am|o|a)\s+)?(?<nth>[\p{L}\p{M}]{3,12})\s+$/iu

const lastWord = /^(?:last|letzte[nrsm]?|derni(?:er|ère)|[úu]ltim[oa]|laatste)$/iu

/** Milliseconds of the nth such weekday of a month, the last for 'last'; undefined where the month has none. */
const nthWeekdayTime = (
  year: number,
  month: number,
  weekday: number,
  nth: number | 'last',
): number | undefined => {
  const first = Date.UTC(year, month - 1, 1)
  const earliest = first + ((weekday - isoWeekday(first) + 7) % 7) * dayMs
  const isInMonth = (time: number) => new Date(time).getUTCMonth() === month - 1
  const fifth = earliest + 4 * 7 * dayMs
  if (nth === 'last') return isInMonth(fifth) ? fifth : fifth - 7 * dayMs
  const time = earliest + (nth - 1) * 7 * dayMs
  return isInMonth(time) ? time : undefined
}

/** "the first Friday of July", "the last Monday of May 2027"; without a year they need a reference. */
export const findNthWeekdays = (text: string, cover: Cover, reference: Date | undefined): FoundDate[] => {
  const dates: FoundDate[] = []
  for (const { index, 0: raw, groups = {} } of text.matchAll(nthHit)) {
    const { from, part } = windowBefore(text, index, 20)
    const lead = nthBefore.exec(part)
    const word = lead?.groups?.nth ?? ''
    const nth = lastWord.test(word) ? 'last' : readOrdinal(word)
    const weekday = readWeekday(groups.weekday ?? '')
    if (!lead || nth === undefined || weekday === undefined) continue
    if (nth !== 'last' && (nth < 1 || nth > 5)) continue
    const named = groups.month === undefined ? undefined : readMonth(groups.month)?.month
    const written = groups.year === undefined ? undefined : Number(groups.year)
    if (!reference && (named === undefined || written === undefined)) continue
    const now = reference ?? new Date(0)
    const month = named ?? now.getUTCMonth() + 1
    const open = named === undefined ? now.getUTCFullYear() : nearestYear(named, 15, now)
    const time = nthWeekdayTime(written ?? open, month, weekday, nth)
    const date = toDate(text, from + lead.index, index + raw.length, {
      // A month without a fifth Friday has no such day.
      iso: time === undefined ? null : toIsoDay(time),
      precision: 'day',
      relative: written === undefined,
    })
    if (cover.take(date)) dates.push(date)
  }
  return dates
}

/** A day of the month alone counts only at the end of a clause, after a word that announces it. */
const loneDay = new RegExp(
  `(?<!${letter})(?:(?<weekday>${weekdayPattern})\\s+(?:the|den|le|el|il|de|dia|día)?\\s*|(?:on|for|by|before|until|am|bis zum|vor dem|vom|le|el|il|op|voor|om|no dia|(?<no>no)|em|dia|día)\\s+(?:the\\s+|de\\s+|dem\\s+|den\\s+)?)(?:(?<day>\\d{1,2})(?<suffix>st|nd|rd|th|e|ste|de|er|ro|º|\\.)?|(?<word>[\\p{L}\\p{M}]{3,24}(?:[- ][\\p{L}\\p{M}]{3,10})?))(?=\\s*(?:[!?,;)]|\\.?\\s*$|\\.\\s))|(?<=\\b(?:am|zum|den|the|de)\\s)(?<ordinal>\\d{1,2})(?:\\.(?=\\s\\p{Ll})|th(?=\\s)|e(?=\\s)|ste(?=\\s))(?!\\s+(?:floor|anniversary|door|century|place|verdieping|eeuw|jahr|mal|stock|geburtstag))`,
  'giu',
)

/** The end of a range, whose month is that of its beginning: "vom 3. bis 4. August". */
const rangeNext =
  /^\.?\s?(?:bis|to|till|until|through|and|au|et|al|hasta|y|a|à|até|e|tot|en|und|[-–—/&])\s?(?:\p{L}{1,4}\s)?\d/iu

const readWholeNumber = (word: string, language: Language | undefined): number | undefined => {
  const number = readNumberAfter(word, language)
  return number?.end === word.length ? number.value : undefined
}

const findLoneDays = (
  text: string,
  cover: Cover,
  language: Language | undefined,
  reference: Date,
): FoundDate[] => {
  const dates: FoundDate[] = []
  for (const { index, 0: raw, groups = {} } of text.matchAll(loneDay)) {
    // "no" leads a day in Portuguese alone.
    if (groups.no !== undefined && language !== 'pt') continue
    const digits = groups.day ?? groups.ordinal
    if (digits !== undefined && rangeNext.test(text.slice(index + raw.length, index + raw.length + 16)))
      continue
    const word = groups.word
    const spoken =
      word === undefined
        ? undefined
        : (readOrdinal(word.replace('-', ' ')) ?? readWholeNumber(word, language))
    const day = digits === undefined ? spoken : Number(digits)
    if (day === undefined || day < 1 || day > 31) continue
    const month = reference.getUTCMonth()
    const year = reference.getUTCFullYear()
    const offset = [0, 1, 2].find(each => {
      const inMonth = new Date(Date.UTC(year, month + each, day))
      if (inMonth.getUTCDate() !== day) return false
      if (groups.weekday !== undefined) return isoWeekday(inMonth.getTime()) === readWeekday(groups.weekday)
      return inMonth.getTime() >= startOfDay(reference)
    })
    if (offset === undefined) continue
    const iso = toIsoDay(Date.UTC(year, month + offset, day))
    const end = index + raw.trimEnd().replace(/[.]$/, groups.suffix === '.' ? '.' : '').length
    const date = toDate(text, index, end, { iso, precision: 'day', relative: true })
    if (cover.take(date)) dates.push(date)
  }
  return dates
}

const findNear = (
  text: string,
  cover: Cover,
  language: Language | undefined,
  reference: Date,
): FoundDate[] => {
  const dates: FoundDate[] = []
  for (const { index, 0: raw } of text.matchAll(near)) {
    const distance = distances.find(([, pattern]) => pattern.test(raw))?.[0]
    if (distance === undefined) continue
    // "hier" is here in German, and "mañana" with an article is the morning.
    if (/^hier$/i.test(raw) && language !== 'fr' && language !== undefined) continue
    if (/^mañana$/i.test(raw) && /\bla\s$/i.test(text.slice(Math.max(0, index - 3), index))) continue
    const iso = toIsoDay(startOfDay(reference) + distance * dayMs)
    const end = index + raw.length
    const date = withTime(text, toDate(text, index, end, { iso, precision: 'day', relative: true }))
    if (cover.take(date)) dates.push(date)
  }
  return dates
}

/** Dates that count from the reference, in seven languages. */
export const findRelativeDates = (
  text: string,
  cover: Cover,
  language: Language | undefined,
  reference: Date,
): FoundDate[] => [
  ...findLoneDays(text, cover, language, reference),
  ...findNear(text, cover, language, reference),
  ...findWeekdays(text, cover, language, reference),
  ...findCounted(text, cover, language, reference),
]

/** True when the text holds dates that need a reference time to be read. */
export const holdsRelativeDate = (text: string): boolean =>
  text.search(near) >= 0 || text.search(weekdayHit) >= 0
