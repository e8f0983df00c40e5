import { findEntities, type Options } from './find.ts'
import { toEntityList } from './list.ts'

export type EntityQuery = Options & { text: string; each: boolean }

/** The entities of a text as they are listed, kind by kind; plain data in and out. */
export const answerFor = async ({ text, each, ...options }: EntityQuery) => {
  const { found: entities, cut, open, withoutCountry } = await findEntities(text, options)
  const lists = {
    emails: toEntityList(entities.emails, each),
    urls: toEntityList(entities.urls, each),
    ips: toEntityList(entities.ips, each),
    phones: toEntityList(entities.phones, each),
    dates: toEntityList(entities.dates, each),
    hashtags: toEntityList(entities.hashtags, each),
    mentions: toEntityList(entities.mentions, each),
    money: toEntityList(entities.money, each),
    ibans: toEntityList(entities.ibans, each),
    vat_numbers: toEntityList(entities.vat_numbers, each),
    crypto_addresses: toEntityList(entities.crypto_addresses, each),
  }
  return { lists, cut, open, withoutCountry }
}

export type EntityLists = Awaited<ReturnType<typeof answerFor>>
