import { z } from 'zod'
import { emptyMetadata, metadata as extractor } from '../../lib/page/metadata.ts'
import { AddressInput, parseAddress, toHostname } from './address.ts'
import type { Note } from './meta.ts'
import { extract, notesOn, openPage } from './page/fetch-page.ts'
import { toFileFacts } from './page/file.ts'
import { skill } from './skill.ts'

const text = (what: string) => z.string().nullable().describe(what)

const tags = (what: string) => z.record(z.string(), z.string()).nullable().describe(what)

/** Metadata stands in the head; scripts before it can be long. */
const limits = { maxBytes: 1024 * 1024, mostNodes: 30_000 }

const elsewhere = (canonical: string | null, url: string): Note[] => {
  if (canonical === null || new URL(canonical).hostname === new URL(url).hostname) return []
  return [{ code: 'canonical_elsewhere', message: 'The page names a canonical address on another host.' }]
}

export default skill({
  id: 'url-metadata',
  argument: 'url',
  price: '0.003',
  tags: ['web', 'metadata', 'opengraph'],
  keywords: ['share', 'slack', 'image', 'og', 'unfurl', 'social'],
  openWorld: true,
  cacheSec: 60,
  key: ({ url }) => parseAddress(url),
  target: ({ url }) => toHostname(url),
  title: 'Read the metadata of a page',
  description:
    'Fetches a web page and returns its title, description, canonical address, OpenGraph and Twitter card tags, favicon, language, author, publisher and dates; of a file its type, size and name. Use it for link previews. Free over A2A and MCP, else 0.003 USD.',
  input: z.object({ url: AddressInput }),
  output: z.object({
    url: z.string().describe('The address that was asked for, absolute'),
    final_url: z.string().describe('Where the last redirect led'),
    status: z.number().int().describe('HTTP status of the final page'),
    title: text(
      'The title element; where it says nothing, og:title, twitter:title, the headline or the first h1',
    ),
    description: text('The description, else that of OpenGraph, the Twitter card or structured data'),
    canonical: text('Canonical address, absolute, from the page, the Link header, og:url or JSON-LD'),
    open_graph: tags(
      'OpenGraph tags without og:, the first of each name, addresses absolute; null when there are none',
    ),
    twitter_card: tags(
      'Twitter card tags without twitter:, the first of each name; null when there are none',
    ),
    favicon: text('Declared icon, absolute'),
    lang: text('Language as the page or the server declares it'),
    image: text('First preview image, absolute; else the first picture of the article'),
    images: z.array(z.string()).describe('All preview images, absolute'),
    image_count: z.number().int().describe('Number of preview images'),
    site_name: text('Name of the site'),
    type: text('OpenGraph type such as website or article'),
    author: text('Names of the authors; a handle only where no name is given'),
    authors: z.array(z.string()).describe('The same, one by one'),
    publisher: text('Name of the publisher, else that of the site'),
    published_time: text('When it was published, ISO 8601 UTC'),
    published_time_raw: text('The same as the page writes it'),
    modified_time: text('When it was last changed, ISO 8601 UTC'),
    robots: text('What the page or its headers tell robots'),
    refresh: text('Where a meta refresh leads, absolute; it is not followed'),
    content_type: text('Content-Type header'),
    file: z
      .object({
        type: z.string().describe('Media type such as application/pdf'),
        size: z
          .number()
          .int()
          .nullable()
          .describe('Bytes of the whole file; null when the server does not tell'),
        name: text('File name'),
      })
      .nullable()
      .describe('What the address holds when it is no HTML page; null for a page'),
    charset: z.string().describe('Charset the page was read in; empty for a file'),
    redirects: z
      .array(
        z.object({
          url: z.string().describe('Address that redirected'),
          status: z.number().int().describe('HTTP status'),
          location: text('Where it led, absolute'),
        }),
      )
      .describe('Redirects on the way to the final page'),
    redirect_count: z.number().int().describe('Number of redirects'),
  }),
  needs: ['fetch', 'workers'],
  examples: [{ url: 'http://example.com/' }],
  summary: ({ title, final_url: finalUrl, file }) =>
    file === null
      ? (title ?? `${finalUrl} has no title.`)
      : `${file.name ?? finalUrl} is ${file.type}, no page.`,
}).run(async ({ signal, ...ports }, { url: input }) => {
  const url = parseAddress(input) ?? input
  const openedPage = await openPage(ports, url, { ...limits, anyType: true, signal })
  const { fetched, charset } = openedPage
  const file = toFileFacts(fetched) ?? null
  const task = { ...openedPage.task, options: {} }
  const page = file === null ? await extract(ports.workers, extractor, task) : undefined
  const metadata = page?.result ?? emptyMetadata
  const notes = notesOn(page ? fetched : { ...fetched, truncated: false }, page?.cut ?? null)
  const redirects = fetched.hops.slice(0, -1)
  return {
    url,
    final_url: fetched.url,
    status: fetched.status,
    ...metadata,
    image_count: metadata.images.length,
    content_type: fetched.headers['content-type'] ?? null,
    charset: file === null ? charset : '',
    file,
    redirects: redirects.map(({ url, status, location }) => ({ url, status, location: location ?? null })),
    redirect_count: redirects.length,
    about: {
      sources: [fetched.url],
      truncated: notes.truncated,
      warnings: [...notes.warnings, ...elsewhere(metadata.canonical, fetched.url)],
    },
  }
})
