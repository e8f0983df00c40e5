import { readDate } from '../../../lib/feed/date.ts'
import { absolute } from '../../../lib/page/link.ts'
import { clean } from '../../../lib/text/clean.ts'
import type { SitemapEntry } from './entry.ts'

export const frequencies = ['always', 'hourly', 'daily', 'weekly', 'monthly', 'yearly', 'never'] as const

/** One address of a sitemap as it is answered: absolute, dates in ISO 8601. What the sitemap does not say is null. */
export type SitemapUrl = {
  loc: string
  lastmod: string | null
  /** As the sitemap writes it, where that is another way. */
  lastmod_raw?: string
  changefreq: (typeof frequencies)[number] | null
  priority: number | null
  alternates?: { lang: string; href: string }[]
  images?: number
  videos?: number
}

const dayOnly = /^\d{4}-\d{2}-\d{2}$/

/** Addresses that are what the URL standard would make of them; most are, and standardising takes long. */
const plain =
  /^https?:\/\/(?:[a-z\d-]+\.)+[a-z]{2,}\/(?:(?!\.)[\w.~-]+(?:\/(?!\.)|$|(?=\?)))*(?:\?[\w.~%=&+/-]*)?$/

const toAddress = (text: string, base: string): string | null =>
  text.length <= 2048 && plain.test(text) ? text : absolute(text, base)

/** The usual shape in full, which needs no reader of odd dates. */
const usual = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?:Z|[+-]\d{2}:\d{2})$/

const toIso = (raw: string): string | null => {
  const time = usual.test(raw) ? Date.parse(raw) : Number.NaN
  return Number.isNaN(time) ? readDate(raw) : new Date(time).toISOString()
}

/** A day that every month has; other spellings are left to the reader of dates. */
const plainDay = /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|1\d|2[0-8])$/

const readDates = (text: string | null): Pick<SitemapUrl, 'lastmod' | 'lastmod_raw'> => {
  if (text === null) return { lastmod: null }
  if (plainDay.test(text)) return { lastmod: text }
  const raw = usual.test(text) ? text : clean(text, 100)
  if (raw === null) return { lastmod: null }
  const iso = toIso(raw)
  const lastmod = iso !== null && dayOnly.test(raw) ? raw : iso
  return { lastmod, ...(lastmod !== raw && { lastmod_raw: raw }) }
}

const readPriority = (text: string | null): number | null => {
  const value = Number(text?.replace(',', '.') || 'none')
  return value >= 0 && value <= 1 ? value : null
}

/** The address of an entry with what the sitemap says about it; undefined when it is no http or https URL. */
export const foundUrl = (entry: SitemapEntry, base: string): SitemapUrl | undefined => {
  const loc = toAddress(entry.loc, base)
  if (loc === null) return undefined
  const { images, videos } = entry
  const alternates = entry.alternates.flatMap(({ lang, href }) => {
    const url = toAddress(href, base)
    return url === null ? [] : [{ lang: clean(lang, 35) ?? '', href: url }]
  })
  const changefreq = entry.changefreq?.toLowerCase() ?? ''
  return {
    loc,
    ...readDates(entry.lastmod),
    changefreq: frequencies.find(frequency => frequency === changefreq) ?? null,
    priority: readPriority(entry.priority),
    ...(alternates.length > 0 && { alternates }),
    ...(images > 0 && { images }),
    ...(videos > 0 && { videos }),
  }
}
