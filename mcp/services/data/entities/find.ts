import type { CountryCode } from 'libphonenumber-js'
import { guessLanguage, type Language } from '../../../lib/text/amount/language.ts'
import { type FoundMoney, findMoney } from '../../../lib/text/amount/money.ts'
import { type Cover, openCover } from '../../../lib/text/amount/span.ts'
import { toPlainFigures } from '../../../lib/text/digits.ts'
import { type FoundIban, type FoundVat, findIbans, findVats } from './bank-account.ts'
import { type FoundCryptoAddress, findCryptoAddresses } from './crypto-address.ts'
import { type FoundDate, findNumericDates } from './date.ts'
import { type FoundEmail, findEmails, findHiddenEmails } from './email.ts'
import { type FoundIp, findIps } from './ip.ts'
import { type FoundPhone, findPhones } from './phone.ts'
import { findNamedMonths, findNthWeekdays, findRelativeDates, holdsRelativeDate } from './spoken-date.ts'
import { type FoundMention, type FoundTag, findHashtags, findMentions } from './tag.ts'
import { type FoundUrl, findDomains, findUrls } from './url.ts'
import { findWordedDates, type Parse } from './worded-date.ts'
import { findWorldDates } from './world-date.ts'

export type Entities = {
  emails: FoundEmail[]
  urls: FoundUrl[]
  ips: FoundIp[]
  phones: FoundPhone[]
  dates: FoundDate[]
  hashtags: FoundTag[]
  mentions: FoundMention[]
  money: FoundMoney[]
  ibans: FoundIban[]
  vat_numbers: FoundVat[]
  crypto_addresses: FoundCryptoAddress[]
}

export type Options = {
  country?: CountryCode | undefined
  reference?: Date | undefined
  deobfuscate?: boolean
}

const load = async () => {
  const [phone, chrono, tldts] = await Promise.all([
    import('libphonenumber-js'),
    import('chrono-node'),
    import('tldts'),
  ])
  return { parsePhone: phone.parsePhoneNumberFromString, chrono, parseHost: tldts.parse }
}

const inOrder = <T extends { start: number }>(spans: T[]): T[] => spans.sort((a, b) => a.start - b.start)

/** Countries that write the month before the day; the rest of the world does not. */
const isMonthFirst = (country: CountryCode | undefined, language: Language | undefined) =>
  country === 'US' || (country === undefined && (language === undefined || language === 'en'))

/** "Sunday, 17/12/2006" is one date: the weekday in front of another one is no date of its own. */
const withoutSplitWeekdays = (text: string, dates: readonly FoundDate[]): FoundDate[] =>
  dates.filter(
    ({ relative, raw, start, end }) =>
      !(relative && !/\p{Nd}/u.test(raw)) ||
      !dates.some(
        other =>
          other.start > start &&
          /^[.,،]?\s{0,2}$/u.test(text.slice(end, other.start)) &&
          /^\p{L}+$/u.test(raw) &&
          /\p{Nd}/u.test(other.raw),
      ),
  )

/**
 * Dates in digits of a calendar that is not ours: the Persian and the Islamic year are written in Arabic digits, and the year of
 * the Buddha is 543 ahead.
 */
const markOtherCalendar = (date: FoundDate): void => {
  const year = Number(date.iso?.slice(0, 4))
  if (year > 2400) Object.assign(date, { ambiguous: true, other_iso: `${year - 543}${date.iso?.slice(4)}` })
  else if (year < 1600 && /[٠-٩۰-۹]/.test(date.raw))
    Object.assign(date, { iso: null, key: date.raw, ambiguous: true, other_iso: null })
  // Where other digits are in use, the year of two may come first.
  else if (
    /(?=[^\0-\x7f])\p{Nd}/u.test(date.raw) &&
    /^\p{Nd}{1,2}\P{Nd}\p{Nd}{1,2}\P{Nd}\p{Nd}{1,2}$/u.test(date.raw)
  )
    Object.assign(date, { ambiguous: true })
}

/** A year of two digits from 30 to 69 may be of either century. */
const markOpenCentury = (date: FoundDate): void => {
  const [century, year] = [date.iso?.slice(0, 2), Number(date.iso?.slice(2, 4))]
  if (
    date.relative ||
    year < 30 ||
    year > 69 ||
    /\d{4}/.test(date.raw) ||
    !/(?<!\d)\d{2}(?!\d)/.test(date.raw)
  )
    return
  const other = `${century === '19' ? '20' : '19'}${date.iso?.slice(2)}`
  Object.assign(date, { ambiguous: true, other_iso: date.other_iso ?? other })
}

const dayBeside = /(?<!\d)\d{1,2}\.?[^\d\n.,!?:;]{1,6}$/
const yearBeside = /(?<!\d)[12]\d{3}[^\d\n.,!?;]{1,6}$/
/** What may be the year of a day and month, or the day where the number before the month is none: "13. mar. 65 to", "3 január 1.". */
const yearOrDayBeside =
  /^(?:[.,،]{0,2}\s?(?:de[l]?\s|do\s|of\s)?|\s?['’])(?:\d{1,2}(?!\d|[:.,]\d|[hH%€$£]|\s?(?:[ap]\.?m|uhr|uur)\b)|\d{1,2},?\s\d{4}(?!\d))/i
/** What goes on with a day of its own after a weekday: "Martes, Oktubre 3". */
const dayOfWeekday = /^[.,،]?\s(?:\p{L}+\.?\s)?\d/u

/** A number right beside a month that was not understood may be its day or its year. */
const isBesideUnread = (figures: string, cover: Cover, { start, end, ...date }: FoundDate): boolean => {
  const before = figures.slice(Math.max(0, start - 11), start)
  if (date.precision === 'month')
    return dayBeside.test(before) || /^\.? \d{1,2}(?![\d:])/.test(figures.slice(end, end + 5))
  if (!date.relative || !/\p{L}/u.test(date.raw)) return false
  const hasDay = /\p{Nd}/u.test(date.raw)
  const after = figures.slice(end, end + 24)
  const beside = (hasDay ? yearOrDayBeside : dayOfWeekday).exec(after)?.[0].length
  const isFree = beside !== undefined && cover.isFree({ start: end, end: end + beside })
  return isFree || (hasDay && yearBeside.test(before))
}

/**
 * Everything in the text that stands for something outside it, without overlaps: a URL wins over an e-mail address, that
 * over a domain name, and so on in the order below. `cut` tells that a limit on the work left something out, `open` of dates that
 * need a reference time, and `withoutCountry` of how many phone numbers need a country.
 */
export const findEntities = async (text: string, { country, reference, deobfuscate }: Options) => {
  const { parsePhone, chrono, parseHost } = await load()
  const cover = openCover(text.length)
  const urls = findUrls(text, cover)
  const emails = findEmails(text, cover)
  if (deobfuscate) emails.push(...findHiddenEmails(text, cover))
  urls.push(...findDomains(text, cover, parseHost))
  const cryptoAddresses = await findCryptoAddresses(text, cover)
  const ibans = findIbans(text, cover)
  const vatNumbers = findVats(text, cover)
  const ips = findIps(text, cover)
  // What is written with the digits of another script is read with 0 to 9, and told as it stands.
  const figures = toPlainFigures(text)
  const money = findMoney(figures, cover)
  const language = guessLanguage(text)
  const options = { monthFirst: isMonthFirst(country, language), reference }
  const dates = findNumericDates(figures, cover, options)
  // The date library reads English only, but ranges, time zones and "in 3 hours" with it. Its ranges go first, or the date
  // that they begin with would stand alone.
  const isEnglish = language === undefined || language === 'en'
  const parse: Parse = (part, at) => chrono.en.casual.parse(part, { instant: at, timezone: 0 })
  const phrases = (only: 'ranges' | 'all') =>
    isEnglish ? findWordedDates(figures, cover, parse, { reference, only }) : { dates: [], cut: false }
  const ranges = phrases('ranges')
  // "the fifth Friday of May 2026" goes before the month in it.
  dates.push(...ranges.dates, ...findNthWeekdays(figures, cover, reference))
  dates.push(...findNamedMonths(figures, cover, language, reference))
  dates.push(...findWorldDates(figures, cover, reference))
  if (reference) dates.push(...findRelativeDates(figures, cover, language, reference))
  const others = phrases('all')
  dates.push(...others.dates)
  if (figures !== text) for (const span of [...money, ...dates]) span.raw = text.slice(span.start, span.end)
  const wholeDates = withoutSplitWeekdays(text, dates)
  for (const date of wholeDates) {
    markOtherCalendar(date)
    markOpenCentury(date)
    if (isBesideUnread(figures, cover, date)) date.ambiguous = true
  }
  const phoneNumbers = findPhones(text, cover, parsePhone, country)
  const entities: Entities = {
    emails: inOrder(emails),
    urls: inOrder(urls),
    ips: inOrder(ips),
    phones: inOrder(phoneNumbers.phones),
    dates: inOrder(wholeDates),
    hashtags: findHashtags(text, cover),
    mentions: findMentions(text, cover),
    money: inOrder(money),
    ibans,
    vat_numbers: vatNumbers,
    crypto_addresses: inOrder(cryptoAddresses),
  }
  const open = reference === undefined && holdsRelativeDate(text)
  const { withoutCountry } = phoneNumbers
  return { found: entities, cut: ranges.cut || others.cut || phoneNumbers.cut, open, withoutCountry }
}
