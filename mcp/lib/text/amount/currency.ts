import * as z from 'zod'
import { factTable, pattern, words } from '../../facts.ts'

const byPattern = z.array(z.strictObject({ code: z.string().nullable(), pattern }))
const alternatives = z.array(z.string()).transform(lines => lines.join('|'))

const table = factTable(
  new URL('./data/currencies.json', import.meta.url),
  z.strictObject({
    /** Signs that stand for one currency; null where several countries use the sign. */
    signs: z.record(z.string(), z.string().nullable()).transform(all => new Map(Object.entries(all))),
    /** Marks before or after a dollar sign that tell whose dollar it is, by currency. */
    dollars: z
      .record(z.string(), words)
      .transform(
        all =>
          new Map(Object.entries(all).flatMap(([code, marks]) => marks.map(mark => [mark, code] as const))),
      ),
    codes: words.transform(all => all.join('|')),
    /** Codes that are no word of any language, so that people may write them in lower case. */
    lowerCodes: words.transform(all => all.join('|')),
    /** Currencies by the stem of their name; without a country the currency that the bare name stands for most often. */
    names: byPattern,
    nameWords: alternatives,
    /** Hundredths, and the currency they belong to where the word tells it. */
    minors: byPattern,
    minorWords: z.string(),
    /** Countries by the stem of their adjective or their name, with the currency of each by its common name. */
    countries: byPattern,
    countryWords: alternatives,
  }),
)

const { signs, dollars, names, minors, countries } = table()
export const { codes, lowerCodes, nameWords, minorWords, countryWords } = table()

/** Marks before a dollar sign that tell whose dollar it is: those of two letters and more, and the lone letters. */
export const dollarMarks = [...dollars.keys()]
  .filter(mark => /^[a-z]{2,}$/.test(mark))
  .sort((a, b) => b.length - a.length)
  .join('|')
export const dollarLetters = `[${[...dollars.keys()].filter(mark => mark.length === 1).join('')}]`

/** Languages in which the name of a currency begins with its noun: "dollar de Hong Kong", "dolar kanadyjski", "دولار كندي". */
const nounFirst = 'fr es it pt ca gl ro sq pl ru uk id ms fil vi ga eu ar he fa'.split(' ')

const toPlain = (text: string): string => text.toLowerCase().normalize('NFD').replace(/\p{M}/gu, '')

const nameWord = /[\p{L}\p{M}’']+/gu

/** What a word shares with its other genders, cases and plurals. */
const stem = (word: string): string => word.slice(0, Math.max(3, Math.min(6, word.length - 2)))

let fullNames: Map<string, { code: string; rest: string[] }[]> | undefined

/** Names of currencies of more than one word by the start of their noun, as CLDR has them; those out of use carry their years. */
const namesByNoun = () => {
  if (fullNames) return fullNames
  fullNames = new Map()
  for (const language of nounFirst) {
    const display = new Intl.DisplayNames(language, { type: 'currency' })
    for (const code of Intl.supportedValuesOf('currency')) {
      const name = display.of(code) ?? code
      // "franc CFA (BCEAO)": people leave the bank out.
      const [noun, ...others] = /\d/.test(name) ? [] : (name.replace(/\(.*/, '').match(nameWord) ?? [])
      const rest = others.filter(word => /^\p{Lu}+$|.{4}/u.test(word)).map(toPlain)
      if (noun === undefined || rest.length === 0) continue
      const key = toPlain(noun).slice(0, 3)
      fullNames.set(key, [...(fullNames.get(key) ?? []), { code, rest }])
    }
  }
  return fullNames
}

/**
 * The currency that the words after its noun tell: "dólares hongkoneses", "livres syriennes". `code` is null where they stand for
 * several; undefined where they are no part of a name.
 */
export const findFullName = (
  noun: string,
  after: string,
): { code: string | null; length: number } | undefined => {
  const following = /^(?:[ -][\p{L}\p{M}’']+){1,5}/u.exec(after)?.[0]
  if (following === undefined) return undefined
  const next = [...following.matchAll(nameWord)].map(({ index, 0: word }) => ({
    word: toPlain(word),
    end: index + word.length,
  }))
  const find = (word: string) => next.find(other => other.word.startsWith(stem(word)))
  const named = (namesByNoun().get(toPlain(noun).slice(0, 3)) ?? []).filter(({ rest }) => rest.every(find))
  const most = Math.max(...named.map(({ rest }) => rest.length))
  const fullest = named.filter(({ rest }) => rest.length === most)
  const [first] = fullest
  if (!first) return undefined
  return {
    code: fullest.every(({ code }) => code === first.code) ? first.code : null,
    length: Math.max(...first.rest.map(word => find(word)?.end ?? 0)),
  }
}

const findCountryCurrency = (country: string): string | undefined =>
  countries.find(({ pattern }) => pattern.test(country))?.code ?? undefined

const isCode = new RegExp(`^(?:${codes})$`)
const isMinorWord = new RegExp(`^(?:${minorWords})$`, 'u')

/** Nouns that name another currency in each country. */
const byCountry =
  /^(?:dollar|d[oó]lar|peso|pound|pfund|livre|libra|franc|franken|frank|franchi|franco|rupee|rupi|roup|roep|krone|krona|kron|coron|corone|coroa|couronne|kroon|dinar|riyal|rial|lira|lire|mark|marco|marchi|yuan|yen|real|reais|rand|riel|ringgit|shekel|won)/

export type Currency = { code: string | null; minor: boolean }

/**
 * The currency that is written as `word`, with the country beside it if any. `code` is null where the name alone stands for
 * several, and `minor` tells of hundredths.
 */
export const readCurrency = (word: string, country?: string): Currency => {
  const plain = word.toLowerCase().trim()
  const place = country?.toLowerCase().trim()
  if (signs.has(word) && !(word === '$' && place)) return { code: signs.get(word) ?? null, minor: false }
  if (plain === '$') return { code: dollars.get(place ?? '') ?? 'USD', minor: false }
  if (isCode.test(word.toUpperCase())) return { code: word.toUpperCase(), minor: false }
  const minor = isMinorWord.test(plain) || plain === 'c' || plain === 'p'
  if (minor) return { code: minors.find(({ pattern }) => pattern.test(plain))?.code ?? null, minor }
  const own = place && byCountry.test(plain) ? findCountryCurrency(place) : undefined
  if (own) return { code: own, minor: false }
  if (plain === 'rm') return { code: 'MYR', minor: false }
  if (plain === 'zł') return { code: 'PLN', minor: false }
  if (plain === 'kč') return { code: 'CZK', minor: false }
  if (plain === 'fr.') return { code: 'CHF', minor: false }
  if (/^rs\.?$/.test(plain)) return { code: 'INR', minor: false }
  return { code: names.find(({ pattern }) => pattern.test(plain))?.code ?? null, minor: false }
}

/** Coins that are counted in small fractions, so that three decimals are as likely as thousands. */
export const isCoin = (code: string | null): boolean => code !== null && ['BTC', 'ETH'].includes(code)
