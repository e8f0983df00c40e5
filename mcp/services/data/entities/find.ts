import type { CountryCode } from 'libphonenumber-js'
import { guessLanguage, type Language } from '../../../lib/text/amount/language.ts'
import { type FoundMoney, findMoney } from '../../../lib/text/amount/money.ts'
import { openCover } from '../../../lib/text/amount/span.ts'
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
  vatNumbers: FoundVat[]
  cryptoAddresses: FoundCryptoAddress[]
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
  const money = findMoney(text, cover)
  const language = guessLanguage(text)
  const options = { monthFirst: isMonthFirst(country, language), reference }
  const dates = findNumericDates(text, cover, options)
  // The date library reads English only, but ranges, time zones and "in 3 hours" with it. Its ranges go first, or the date
  // that they begin with would stand alone.
  const isEnglish = language === undefined || language === 'en'
  const parse: Parse = (part, at) => chrono.en.casual.parse(part, { instant: at, timezone: 0 })
  const phrases = (only: 'ranges' | 'all') =>
    isEnglish ? findWordedDates(text, cover, parse, { reference, only }) : { dates: [], cut: false }
  const ranges = phrases('ranges')
  // "the fifth Friday of May 2026" goes before the month in it.
  dates.push(...ranges.dates, ...findNthWeekdays(text, cover, reference))
  dates.push(...findNamedMonths(text, cover, language, reference))
  if (reference) dates.push(...findRelativeDates(text, cover, language, reference))
  const others = phrases('all')
  dates.push(...others.dates)
  const phoneNumbers = findPhones(text, cover, parsePhone, country)
  const entities: Entities = {
    emails: inOrder(emails),
    urls: inOrder(urls),
    ips: inOrder(ips),
    phones: inOrder(phoneNumbers.phones),
    dates: inOrder(dates),
    hashtags: findHashtags(text, cover),
    mentions: findMentions(text, cover),
    money: inOrder(money),
    ibans,
    vatNumbers,
    cryptoAddresses: inOrder(cryptoAddresses),
  }
  const open = reference === undefined && holdsRelativeDate(text)
  const { withoutCountry } = phoneNumbers
  return { found: entities, cut: ranges.cut || others.cut || phoneNumbers.cut, open, withoutCountry }
}
