import type { CountryCode } from 'libphonenumber-js'
import { type FoundDate, findNumericDates } from './date.ts'
import { type FoundEmail, findEmails, findHiddenEmails } from './email.ts'
import { type FoundIp, findIps } from './ip.ts'
import { type FoundMoney, findMoney } from './money.ts'
import { type FoundPhone, findPhones } from './phone.ts'
import { openCover } from './span.ts'
import { type FoundMention, type FoundTag, findHashtags, findMentions } from './tag.ts'
import { type FoundUrl, findDomains, findUrls } from './url.ts'
import { findWordedDates, holdsRelativeDate } from './worded-date.ts'

export type Entities = {
  emails: FoundEmail[]
  urls: FoundUrl[]
  ips: FoundIp[]
  phones: FoundPhone[]
  dates: FoundDate[]
  hashtags: FoundTag[]
  mentions: FoundMention[]
  money: FoundMoney[]
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
const monthFirst = (country: CountryCode | undefined) => country === undefined || country === 'US'

/**
 * Everything in the text that stands for something outside it, without overlaps: a URL wins over an e-mail address, that
 * over a domain name, and so on in the order below. `cut` tells that a limit on the work left something out, `open` of dates that
 * need a reference time.
 */
export const findEntities = async (text: string, { country, reference, deobfuscate }: Options) => {
  const { parsePhone, chrono, parseHost } = await load()
  const cover = openCover(text.length)
  const urls = findUrls(text, cover)
  const emails = findEmails(text, cover)
  if (deobfuscate) emails.push(...findHiddenEmails(text, cover))
  urls.push(...findDomains(text, cover, parseHost))
  const ips = findIps(text, cover)
  const money = findMoney(text, cover)
  const numericDates = findNumericDates(text, cover, monthFirst(country))
  const wordedDates = findWordedDates(
    text,
    cover,
    (part, at) => chrono.en.casual.parse(part, { instant: at, timezone: 0 }),
    reference,
  )
  const phoneNumbers = findPhones(text, cover, parsePhone, country)
  const entities: Entities = {
    emails: inOrder(emails),
    urls: inOrder(urls),
    ips: inOrder(ips),
    phones: inOrder(phoneNumbers.phones),
    dates: inOrder([...numericDates, ...wordedDates.dates]),
    hashtags: findHashtags(text, cover),
    mentions: findMentions(text, cover),
    money: inOrder(money),
  }
  const open = reference === undefined && holdsRelativeDate(text)
  return { found: entities, cut: wordedDates.cut || phoneNumbers.cut, open }
}
