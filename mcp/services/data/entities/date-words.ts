import * as z from 'zod'
import { factTable, words } from '../../../lib/facts.ts'
import type { Language } from '../../../lib/text/amount/language.ts'

const languages = ['en', 'fr', 'de', 'es', 'it', 'nl', 'pt'] as const satisfies Language[]

const datePart = (language: Language, options: Intl.DateTimeFormatOptions, time: number): string =>
  new Intl.DateTimeFormat(language, { ...options, timeZone: 'UTC' })
    .format(time)
    .toLowerCase()
    .replace(/\.$/, '')

/** Names of months or weekdays in seven languages, as CLDR has them, and by their number from 1 those that people write besides. */
const namesBy = (
  options: Intl.DateTimeFormatOptions,
  times: readonly number[],
  further: string,
): readonly { language: Language; nth: number; name: string }[] => [
  ...languages.flatMap(language =>
    times.map((time, at) => ({ language, nth: at + 1, name: datePart(language, options, time) })),
  ),
  ...further.split(' ').map(entry => {
    const [language = '', nth = '', name = ''] = entry.split(':')
    return { language: language as Language, nth: Number(nth), name }
  }),
]

const middles = Array.from({ length: 12 }, (_, month) => Date.UTC(2024, month, 15))

const fullMonths = namesBy(
  { month: 'long' },
  middles,
  'de:1:jänner de:1:jaenner de:2:feber de:3:maerz es:9:setiembre',
)
const shortMonths = namesBy(
  { month: 'short' },
  middles,
  'en:9:sept fr:1:jan fr:2:fév fr:4:avr fr:7:jul fr:7:juill de:3:mrz de:9:sept es:9:sep es:9:sept es:9:set it:9:set it:9:sett nl:3:maa nl:9:sept',
)

export type MonthName = { month: number; languages: Language[] }

const toPlain = (word: string): string => word.toLowerCase().normalize('NFD').replace(/\p{M}/gu, '')

const months = new Map<string, MonthName>()
for (const { language, nth, name } of [...fullMonths, ...shortMonths]) {
  const entry = months.get(toPlain(name))
  if (!entry) months.set(toPlain(name), { month: nth, languages: [language] })
  else if (entry.month === nth && !entry.languages.includes(language)) entry.languages.push(language)
}

/** The month that a word names in any of the languages. */
export const readMonth = (word: string): MonthName | undefined => months.get(toPlain(word).replace(/\.$/, ''))

/** Abbreviations that are common words elsewhere: "set", "out", "ago", "may", "mar". */
export const isCommonWord = (word: string): boolean =>
  /^(?:set|sett|out|ago|may|mar|mars|march|gen|mag|lug|mai|dec|ene|giu|abr|mei|august|jan|jun|ott|maa)$/.test(
    toPlain(word).replace(/\.$/, ''),
  )

const spellings = (names: readonly { name: string }[]): string =>
  [...new Set(names.flatMap(({ name }) => [name, toPlain(name)]))]
    .sort((a, b) => b.length - a.length)
    .join('|')

export const monthPattern = `(?:${spellings(fullMonths)}|${spellings(shortMonths)})`

/** From a Monday on. */
const week = Array.from({ length: 7 }, (_, day) => Date.UTC(2024, 0, 1 + day))

const fullWeekdays = namesBy({ weekday: 'long' }, week, 'de:6:sonnabend es:6:sábados es:7:domingos')
const shortWeekdays = namesBy(
  { weekday: 'short' },
  week,
  'en:2:tues en:3:weds en:4:thur en:4:thurs es:3:mie es:3:mi es:6:sab pt:1:segunda pt:2:terça pt:3:quarta pt:4:quinta pt:5:sexta',
)

const weekdays = new Map<string, number>()
for (const { nth, name } of [...fullWeekdays, ...shortWeekdays])
  for (const word of [toPlain(name), toPlain(name).replace('-', ' ')])
    if (!weekdays.has(word)) weekdays.set(word, nth)

/** The weekday that a word names, Monday being 1. */
export const readWeekday = (word: string): number | undefined =>
  weekdays.get(toPlain(word).replace(/\.$/, ''))

export const weekdayPattern = `(?:${spellings(fullWeekdays)}|(?:segunda|ter[çc]a|quarta|quinta|sexta) feira)`
export const anyWeekdayPattern = `(?:${spellings(fullWeekdays)}|(?:segunda|ter[çc]a|quarta|quinta|sexta) feira|${spellings(shortWeekdays)})`

const { ordinals, nearDays: near } = factTable(
  new URL('./data/date-words.json', import.meta.url),
  z.strictObject({
    /** From the first on; a dash where a list has none. */
    ordinals: z.array(words),
    /** Words for days near the reference, by their distance. */
    nearDays: z.array(z.strictObject({ distance: z.int(), words: z.string() })),
  }),
)()

const ordinalDays = new Map<string, number>()
for (const list of ordinals)
  for (const [nth, word] of list.entries()) {
    const plain = toPlain(word)
    if (word === '-' || ordinalDays.has(plain)) continue
    ordinalDays.set(plain, nth + 1)
    ordinalDays.set(plain.replace('-', ' '), nth + 1)
    if (plain.endsWith('e')) for (const ending of ['n', 'r', 's']) ordinalDays.set(plain + ending, nth + 1)
  }
for (const [nth, word] of 'primero segundo tercero cuarto quinto sexto septimo octavo noveno'
  .split(' ')
  .entries()) {
  ordinalDays.set(`decimo ${word}`, 11 + nth)
  ordinalDays.set(`vigesimo ${word}`, 21 + nth)
}
for (const [word, day] of [
  ['vigesimo', 20],
  ['trigesimo', 30],
  ['trigesimo primero', 31],
  ['ultimo', -1],
  ['last', -1],
  ['letzten', -1],
  ['laatste', -1],
  ['dernier', -1],
] as const)
  ordinalDays.set(word, day)

/** The day that an ordinal such as "twenty-first" or "ersten" names; -1 for the last one. */
export const readOrdinal = (word: string): number | undefined =>
  ordinalDays.get(toPlain(word.replace(/\s+/g, ' ')))

export const nearDays: readonly (readonly [distance: number, words: string])[] = near.map(
  ({ distance, words }) => [distance, words],
)
