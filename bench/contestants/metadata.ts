import { metadata } from '../../mcp/lib/page/metadata.ts'
import { parsePage } from '../../mcp/lib/page/parse-page.ts'
import {
  type LabelledPage,
  labelledPages,
  laterPages,
  type Truth,
} from '../../test/services/data/metadata-pages.ts'
import { contest } from '../contestant.ts'

type Field = keyof Truth
type Facts = Partial<Record<Field, unknown>>
type Reader = (page: LabelledPage) => Promise<Facts>
type Page = { html: string; url: string }

/** A peer by its name, so that type checks need no bench/node_modules. */
const load = async <Peer>(name: string): Promise<Peer> => {
  const peer = (await import(name)) as Peer & { default?: Peer }
  return peer.default ?? peer
}

/** What stands at a path in an answer of a peer. */
const at = (value: unknown, path: string): unknown =>
  path
    .split('.')
    .reduce<unknown>(
      (inner, key) =>
        typeof inner === 'object' && inner !== null ? (inner as Record<string, unknown>)[key] : undefined,
      value,
    )

/** The first of some paths at which there is something. */
const oneOf = (value: unknown, ...paths: string[]): unknown =>
  paths.map(path => at(value, path)).find(each => each !== undefined && each !== null && each !== '')

const fields: readonly Field[] = [
  'title',
  'description',
  'canonical',
  'author',
  'published',
  'modified',
  'publisher',
  'image',
  'lang',
  'site_name',
]

const ours: Reader = async ({ html, url }) => {
  const { document } = await parsePage(html)
  const page = await metadata.read({ document, url, status: 200, headers: {}, markup: html }, {})
  return { ...page, published: page.published_time, modified: page.modified_time }
}

/** Peers as their documentation says, each field under the first of its names that a user would take. */
const openReaders = async (): Promise<Record<string, Reader>> => {
  const names = ['author', 'date', 'description', 'image', 'lang', 'publisher', 'title', 'url']
  const rules = await Promise.all(
    names.map(async name => {
      const rule = await load<(options?: object) => unknown>(`metascraper-${name}`)
      return rule(name === 'date' ? { datePublished: true, dateModified: true } : undefined)
    }),
  )
  const openScraper = await load<(rules: unknown[]) => (page: Page) => Promise<object>>('metascraper')
  const scrape = openScraper(rules)
  const openGraph = await load<(page: { html: string }) => Promise<{ result: object }>>('open-graph-scraper')
  const { unfurl } = await load<{ unfurl(url: string, options: object): Promise<object> }>('unfurl.js')
  const { extractFromHtml } = await load<{
    extractFromHtml(html: string, url: string): Promise<object | null>
  }>('@extractus/article-extractor')
  const { getMetadata } = await load<{ getMetadata(document: unknown, url: string): object }>(
    'page-metadata-parser',
  )
  const { JSDOM } = await load<{
    JSDOM: new (html: string, options: object) => { window: { document: unknown } }
  }>('jsdom')
  const real = '.example.com'
  return {
    metascraper: async page => {
      // It takes no host name that is reserved for examples.
      const [html = '', url = ''] = [page.html, page.url].map(text => text.replaceAll('.example', real))
      const facts = JSON.parse(JSON.stringify(await scrape({ html, url })).replaceAll(real, '.example'))
      return {
        ...facts,
        canonical: facts.url,
        published: facts.datePublished ?? facts.date,
        modified: facts.dateModified,
        site_name: facts.publisher,
      }
    },
    'open-graph-scraper': async ({ html }) => {
      const { result } = await openGraph({ html })
      return {
        title: oneOf(result, 'ogTitle', 'twitterTitle', 'dcTitle'),
        description: oneOf(result, 'ogDescription', 'twitterDescription', 'dcDescription'),
        canonical: at(result, 'ogUrl'),
        author: oneOf(result, 'articleAuthor', 'author', 'dcCreator'),
        published: oneOf(result, 'articlePublishedTime', 'ogDate', 'dcDateIssued', 'dcDate'),
        modified: oneOf(result, 'articleModifiedTime', 'modifiedTime', 'updatedTime'),
        publisher: oneOf(result, 'articlePublisher', 'publisher', 'dcPublisher', 'ogSiteName'),
        image: oneOf(result, 'ogImage.0.url', 'twitterImage.0.url'),
        lang: oneOf(result, 'ogLocale', 'dcLanguage'),
        site_name: at(result, 'ogSiteName'),
      }
    },
    'unfurl.js': async ({ html, url }) => {
      const fetch = async () =>
        new Response(html, { headers: { 'content-type': 'text/html; charset=utf-8' } })
      const facts = await unfurl(url, { oembed: false, fetch })
      return {
        title: at(facts, 'title'),
        description: at(facts, 'description'),
        canonical: at(facts, 'canonical_url'),
        author: at(facts, 'author'),
        published: at(facts, 'open_graph.article.published_time'),
        modified: oneOf(facts, 'open_graph.article.modified_time', 'open_graph.updated_time'),
        publisher: oneOf(facts, 'open_graph.article.publisher', 'open_graph.site_name'),
        image: oneOf(facts, 'open_graph.images.0.url', 'twitter_card.images.0.url'),
        lang: at(facts, 'open_graph.locale'),
        site_name: at(facts, 'open_graph.site_name'),
      }
    },
    'article-extractor': async ({ html, url }) => {
      const facts = await extractFromHtml(html, url)
      const source = at(facts, 'source')
      return { ...facts, canonical: at(facts, 'url'), publisher: source, site_name: source }
    },
    'page-metadata-parser': async ({ html, url }) => {
      const facts = getMetadata(new JSDOM(html, { url }).window.document, url)
      const provider = at(facts, 'provider')
      return {
        ...facts,
        canonical: at(facts, 'url'),
        lang: at(facts, 'language'),
        publisher: provider,
        site_name: provider,
      }
    },
  }
}

const toText = (value: unknown): string =>
  String([value].flat()[0] ?? '')
    .replace(/\s+/g, ' ')
    .trim()

/** Languages by their first subtag, dates as instants; of a label that is a day, the day. */
const isRight = (field: Field, label: string, value: string): boolean => {
  if (value === '') return false
  if (field === 'lang') return value.slice(0, 2).toLowerCase() === label.slice(0, 2).toLowerCase()
  if (field !== 'published' && field !== 'modified') return value === label
  const time = new Date(value)
  if (Number.isNaN(time.getTime())) return false
  return (
    time.getTime() === Date.parse(label) ||
    (label.endsWith('T00:00:00Z') && time.toISOString().slice(0, 10) === label.slice(0, 10))
  )
}

const shares = async (pages: readonly LabelledPage[], read: Reader) => {
  const right = Object.fromEntries(fields.map(field => [field, 0])) as Record<Field, number>
  for (const page of pages) {
    const facts: Facts = await read(page).catch(() => ({}))
    for (const field of fields) {
      const labels = [page.truth[field] ?? []].flat()
      if (labels.some(label => isRight(field, label, toText(facts[field])))) right[field]++
    }
  }
  return right
}

contest(undefined, {
  /** How many labels of each field every reader has right, with how many there are. */
  accuracy: async () => {
    const pages = [...labelledPages, ...laterPages]
    const readers = { ours, ...(await openReaders()) }
    const right: Record<string, Record<Field, number>> = {}
    for (const [name, reader] of Object.entries(readers)) right[name] = await shares(pages, reader)
    const labels = Object.fromEntries(
      fields.map(field => [field, pages.filter(({ truth }) => truth[field] !== undefined).length]),
    ) as Record<Field, number>
    return { right, labels }
  },
})
