import * as z from 'zod'
import { factTable, words } from '../../facts.ts'
import { toPlainFigures } from '../digits.ts'

const facts = factTable(
  new URL('./data/native-currencies.json', import.meta.url),
  z.strictObject({
    /** Locales that use each currency. */
    locales: z.record(z.string(), words),
    /** Names that people use and CLDR does not have; several currencies share some of them. */
    everyday: z.record(z.string(), words),
  }),
)

/** Locales of the places that the currencies are from. */
export const worldLocales = (): string[] => Object.values(facts().locales).flat()

/** Currencies that are written about everywhere. */
const everywhere = ['USD', 'EUR', 'GBP', 'JPY', 'CNY']

/** A number for every plural form of a language; a fraction has the form of 2.00 too. */
const pluralCounts = (locale: string): number[] => {
  const rules = new Intl.PluralRules(locale)
  const byForm = new Map([1.5, 100, 11, 5, 3, 2, 1].map(count => [rules.select(count), count]))
  return [...new Set([...byForm.values(), 1.5])]
}

type Entries<Value> = Map<string, [string, Value][]>

/** Words by their first or last two characters, the longest first; those of one character by it. */
type Lexicon<Value> = { byStart: Entries<Value>; byEnd: Entries<Value> }

const toKey = (text: string): string =>
  /[^\0-\x7f]/.test(text) ? toPlainFigures(text).replace(/[\u00a0\u202f\u2009]/g, ' ') : text

/** Short words are signs, whose case counts: "Ft" is no foot. */
const isSign = (word: string): boolean => word.length <= 3

const fold = (word: string): string => (isSign(word) ? word : word.toLowerCase())

const toLexicon = <Value>(entries: Iterable<[string, Value]>): Lexicon<Value> => {
  const lexicon: Lexicon<Value> = { byStart: new Map(), byEnd: new Map() }
  const add = (index: Entries<Value>, edge: string, entry: [string, Value]) => {
    const others = index.get(edge)
    if (others) others.push(entry)
    else index.set(edge, [entry])
  }
  for (const entry of [...entries].sort(([a], [b]) => b.length - a.length)) {
    const word = entry[0].toLowerCase()
    add(lexicon.byStart, word.slice(0, 2), entry)
    add(lexicon.byEnd, word.slice(-2), entry)
  }
  return lexicon
}

/** A lone Latin letter is a word or a unit of measure, and so is what CLDR abbreviates to "KM". */
const isCommon = (word: string): boolean => /^(?:|\p{Script=Latin}|KM|de .*|[A-Z]{3})$/u.test(word)

const partsOf = (type: string, parts: readonly { type: string; value: string }[]): string =>
  toKey(parts.find(part => part.type === type)?.value ?? '').trim()

const decimalOf = (locale: string): '.' | ',' | undefined => {
  const mark = partsOf('decimal', new Intl.NumberFormat(locale).formatToParts(1.5))
  return mark === '.' || mark === ',' ? mark : undefined
}

type Currencies = { units: Lexicon<string[]>; threeDecimals: Set<string>; decimals: Map<string, '.' | ','> }

const build = (): Currencies => {
  const units = new Map<string, string[]>()
  const enter = (name: string, code: string) => {
    // "ر.س." is written without its last point as well.
    for (const word of new Set([name, name.replace(/(?<=\p{L}\.\p{L}+)\.$/u, '')])) {
      const codes = units.get(fold(word)) ?? []
      if (!codes.includes(code)) units.set(fold(word), [...codes, code])
    }
  }
  const { locales, everyday } = facts()
  const decimals = new Map<string, '.' | ','>()
  const threeDecimals = new Set<string>()
  const languages = new Set<string>()
  for (const [own, places] of Object.entries(locales)) {
    const format = new Intl.NumberFormat(places[0], { style: 'currency', currency: own })
    if (format.resolvedOptions().maximumFractionDigits === 3) threeDecimals.add(own)
    const mark = decimalOf(places[0] ?? '')
    if (mark !== undefined) decimals.set(own, mark)
    // In capitals "ALL" is a word.
    if (own !== 'ALL') enter(own, own)
    for (const locale of places) {
      const language = locale.replace(/-[A-Z]{2}$/, '')
      const amounts = pluralCounts(locale)
      // What is written about everywhere has one name in all places of a language.
      for (const currency of new Set([own, ...(languages.has(language) ? [] : everywhere)])) {
        for (const currencyDisplay of ['symbol', 'narrowSymbol'] as const) {
          const style = { style: 'currency', currency, currencyDisplay } as const
          const sign = partsOf('currency', new Intl.NumberFormat(locale, style).formatToParts(1))
          // A dollar sign alone has a rule of its own.
          if (sign !== '$' && !isCommon(sign)) enter(sign, currency)
        }
        const style = { style: 'currency', currency, currencyDisplay: 'name' } as const
        const name = new Intl.NumberFormat(locale, { ...style, minimumFractionDigits: 0 })
        for (const count of amounts) {
          const word = partsOf('currency', name.formatToParts(count))
          if (!isCommon(word)) enter(word, currency)
        }
      }
      languages.add(language)
    }
  }
  for (const [codes, names] of Object.entries(everyday))
    for (const name of names) for (const code of codes.split(' ')) enter(name, code)
  return { units: toLexicon(units), threeDecimals, decimals }
}

const buildScales = (): Lexicon<number[]> => {
  const scales = new Map<string, number[]>()
  for (const locale of new Set(worldLocales()))
    for (const compactDisplay of ['short', 'long'] as const) {
      const format = new Intl.NumberFormat(locale, { notation: 'compact', compactDisplay })
      for (let zeros = 3; zeros <= 13; zeros++)
        for (const count of [1, 2, 5]) {
          const parts = format.formatToParts(count * 10 ** zeros)
          const word = partsOf('compact', parts)
          const digits = partsOf('integer', parts)
          const power = zeros - (digits.length - 1)
          if (!/^[1-5]0*$/.test(digits) || word === '') continue
          const key = fold(word)
          const known = scales.get(key) ?? []
          if (!known.includes(power)) scales.set(key, [...known, power])
        }
    }
  return toLexicon(scales)
}

const lazily = <Value>(make: () => Value): (() => Value) => {
  let made: { value: Value } | undefined
  return () => {
    made ??= { value: make() }
    return made.value
  }
}

/** Signs and names of currencies in the languages of the world; the first text that asks waits for it. */
const currencies = lazily(build)
const scaleWords = lazily(buildScales)

const word = /[\p{L}\p{M}\p{N}]/u
const spaceless =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u

const continuesWord = (edge: string, neighbour: string): boolean =>
  word.test(edge) && word.test(neighbour) && !/\d/.test(neighbour) && !spaceless.test(edge)

export type NativeWord<Value> = { length: number; value: Value }

const findAfter = <Value>(lexicon: () => Lexicon<Value>, rest: string): NativeWord<Value> | undefined => {
  // "250 de lei".
  const lead = /^[ \u00a0\u202f\u2009]{0,2}(?:de )?/u.exec(rest)?.[0].length ?? 0
  const text = toKey(rest.slice(lead, lead + 48))
  if (!/^[^\s\d.,;:!?()/]/.test(text)) return undefined
  const lower = text.toLowerCase()
  for (const edge of [lower.slice(0, 2), lower.slice(0, 1)])
    for (const [key, value] of lexicon().byStart.get(edge) ?? [])
      if (
        (isSign(key) ? text : lower).startsWith(key) &&
        !continuesWord(key.slice(-1), text.charAt(key.length))
      )
        return { length: lead + key.length, value }
  return undefined
}

/** The currencies whose sign or name in any language follows a number. */
export const findNativeUnitAfter = (rest: string) => findAfter(() => currencies().units, rest)

/** The powers of ten that a word of any language after a number may mean: "млн", "万", "lakh". */
export const findNativeScale = (rest: string) => findAfter(scaleWords, rest)

const findBefore = <Value>(lexicon: () => Lexicon<Value>, text: string): NativeWord<Value> | undefined => {
  const tail = /[ \u00a0\u202f\u2009]{0,2}$/u.exec(text)?.[0].length ?? 0
  const part = toKey(text.slice(Math.max(0, text.length - tail - 48), text.length - tail))
  if (!/[^\s\d,;:!?()/]$/.test(part)) return undefined
  const lower = part.toLowerCase()
  for (const edge of [lower.slice(-2), lower.slice(-1)])
    for (const [key, value] of lexicon().byEnd.get(edge) ?? [])
      if (
        (isSign(key) ? part : lower).endsWith(key) &&
        !continuesWord(key.charAt(0), part.charAt(part.length - key.length - 1))
      )
        return { length: tail + key.length, value }
  return undefined
}

/** The currencies whose sign or name in any language stands before a number. */
export const findNativeUnitBefore = (text: string) => findBefore(() => currencies().units, text)

/** True when a scale word of some language stands before a number, as in Swahili and Burmese. */
export const endsWithNativeScale = (text: string): boolean => findBefore(scaleWords, text) !== undefined

/** Currencies that have thousandths, so that a mark before three digits may be that of the decimals. */
export const hasThousandths = (code: string | null): boolean =>
  code !== null && currencies().threeDecimals.has(code)

/** The mark before the decimals where a currency is at home: its code begins with that of the country. */
export const homeDecimal = (code: string): '.' | ',' | undefined => {
  const listed = currencies().decimals.get(code)
  if (listed !== undefined || /^X|[^A-Z]/.test(code)) return listed
  const { language } = new Intl.Locale(`und-${code.slice(0, 2)}`).maximize()
  const place = `${language}-${code.slice(0, 2)}`
  return Intl.NumberFormat.supportedLocalesOf(place).length === 0 ? undefined : decimalOf(place)
}
