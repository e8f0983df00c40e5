import { findEntities, type Options } from './find.ts'
import { listed } from './list.ts'

/** Where `answerFor` can be found by a worker. */
export const module = import.meta.url

export type Asked = Options & { text: string; each: boolean }

/** The entities of a text as they are listed, kind by kind; plain data in and out. */
export const answerFor = async ({ text, each, ...options }: Asked) => {
  const { found, cut, open } = await findEntities(text, options)
  const lists = {
    emails: listed(found.emails, each),
    urls: listed(found.urls, each),
    ips: listed(found.ips, each),
    phones: listed(found.phones, each),
    dates: listed(found.dates, each),
    hashtags: listed(found.hashtags, each),
    mentions: listed(found.mentions, each),
    money: listed(found.money, each),
  }
  return { lists, cut, open }
}

export type EntityLists = Awaited<ReturnType<typeof answerFor>>
