import { isRecord } from '../json.ts'
import { absolute } from '../page/link.ts'
import { clean, cleanLines, oneLine } from '../text/clean.ts'
import { readDate } from './date.ts'
import type { Enclosure, Feed, FeedItem, FeedOptions } from './feed.ts'
import { textOfHtml } from './html-text.ts'
import { unique } from './unique.ts'

type Fields = Record<string, unknown>

const text = (value: unknown): string | undefined => {
  if (typeof value === 'number') return String(value)
  return typeof value === 'string' ? value : undefined
}

const toRecords = (value: unknown): Fields[] => (Array.isArray(value) ? value.filter(isRecord) : [])

const readAuthor = ({ authors, author }: Fields): string | null => {
  const people = [...toRecords(authors), ...(isRecord(author) ? [author] : [])]
  const names = people.flatMap(({ name, url }) => clean(text(name) ?? text(url), 200) ?? [])
  return [...new Set(names)].slice(0, 10).join(', ') || null
}

const readEnclosures = ({ attachments }: Fields, base: string): Enclosure[] =>
  toRecords(attachments)
    .slice(0, 50)
    .flatMap(({ url, mime_type, size_in_bytes, title }) => {
      const address = absolute(text(url), base)
      const length = typeof size_in_bytes === 'number' ? size_in_bytes : null
      return address === null
        ? []
        : [
            {
              url: address,
              type: clean(text(mime_type), 100),
              length,
              title: clean(text(title), 500),
              description: null,
            },
          ]
    })

const readItem = (item: Fields, { url: base, content: withContent }: FeedOptions): FeedItem => {
  const html = text(item.content_html)
  const whole = (html === undefined ? undefined : textOfHtml(html)) || text(item.content_text)
  const summary = text(item.summary) ?? whole
  const id = text(item.id)
  const raw = text(item.date_published) ?? text(item.date_modified)
  const tags = Array.isArray(item.tags) ? item.tags : []
  return {
    title: clean(text(item.title), 500),
    link:
      absolute(text(item.url) ?? text(item.external_url), base) ??
      (/^https?:/i.test(id ?? '') ? absolute(id, base) : null),
    date: raw === undefined ? null : readDate(raw),
    date_raw: clean(raw, 100),
    updated: readDate(text(item.date_modified) ?? ''),
    summary: clean(summary && oneLine(summary), 1000),
    ...(withContent && { content: cleanLines(whole ?? null, 20_000) }),
    author: readAuthor(item),
    id: clean(id, 500),
    categories: [...new Set(tags.flatMap(tag => clean(text(tag), 200) ?? []))].slice(0, 50),
    enclosures: readEnclosures(item, base),
    image: absolute(text(item.image) ?? text(item.banner_image), base),
    geo: null,
  }
}

const parseFeedJson = (source: string): unknown => {
  try {
    return JSON.parse(source)
  } catch {
    return undefined
  }
}

/** Reads a JSON Feed, version 1 or 1.1 (jsonfeed.org); undefined when the text is something else. */
export const readJsonFeed = (source: string, wishes: FeedOptions): Feed | undefined => {
  const feed = parseFeedJson(source)
  if (!isRecord(feed) || !Array.isArray(feed.items)) return undefined
  const version = /jsonfeed\.org\/version\/([\d.]{1,5})/.exec(text(feed.version) ?? '')?.[1]
  if (version === undefined && feed.title === undefined) return undefined
  const { kept: distinct, duplicates } = unique(toRecords(feed.items), ({ id, url }) => text(id) ?? text(url))
  const dates = distinct.flatMap(
    ({ date_modified, date_published }) => readDate(text(date_modified) ?? text(date_published) ?? '') ?? [],
  )
  return {
    format: version === undefined ? 'json' : `json ${version}`,
    title: clean(text(feed.title), 500),
    link: absolute(text(feed.home_page_url), wishes.url),
    description: clean(text(feed.description)),
    lang: clean(text(feed.language), 35),
    updated: dates.sort().at(-1) ?? null,
    items: distinct.slice(0, wishes.limit).map(item => readItem(item, wishes)),
    total: distinct.length,
    duplicates,
    cut: false,
  }
}
