import { z } from 'zod'
import { metadata as extractor } from '../../lib/page/metadata.ts'
import { AddressInput, readAddress, toHostname } from './address.ts'
import type { Note } from './meta.ts'
import { visit } from './page/fetch-page.ts'
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
  keywords: [
    'title tag',
    'what would slack show',
    'preview card',
    'social share image',
    'page description',
    'site name',
    'embed',
    'facebook preview',
    'whatsapp preview',
    'link title',
    'head tags',
    'link preview',
    'unfurl',
    'og tags',
    'open graph',
    'twitter card',
    'title and description of a page',
    'share card',
    'canonical',
    'meta tags',
    'thumbnail',
    'Vorschau eines Links',
    'Titel der Seite',
    "aperçu d'un lien",
    'titre de la page',
    'vista previa de enlace',
    'anteprima link',
    'voorbeeld van link',
  ],
  openWorld: true,
  cacheSec: 60,
  key: ({ url }) => readAddress(url),
  target: ({ url }) => toHostname(url),
  title: 'Read the metadata of a page',
  description:
    'Fetches a web page and returns its title, description, canonical address, OpenGraph and Twitter card tags, favicon and language. Use it for link previews. Free over A2A and MCP, else 0.003 USD.',
  input: z.object({ url: AddressInput }),
  output: z.object({
    url: z.string().describe('The address that was asked for, absolute'),
    finalUrl: z.string().describe('Where the last redirect led'),
    status: z.number().int().describe('HTTP status of the final page'),
    title: text('The title element, else og:title, twitter:title or the first h1'),
    description: text('The description, else that of OpenGraph or the Twitter card'),
    canonical: text('Canonical address, absolute, from the page or the Link header'),
    openGraph: tags(
      'OpenGraph tags without og:, the first of each name, addresses absolute; null when there are none',
    ),
    twitterCard: tags('Twitter card tags without twitter:, the first of each name; null when there are none'),
    favicon: text('Declared icon, absolute'),
    lang: text('Language as the page or the server declares it'),
    image: text('First preview image, absolute'),
    images: z.array(z.string()).describe('All preview images, absolute'),
    imageCount: z.number().int().describe('Number of preview images'),
    siteName: text('Name of the site'),
    type: text('OpenGraph type such as website or article'),
    author: text('Author'),
    publishedTime: text('When it was published, ISO 8601 UTC'),
    publishedTimeRaw: text('The same as the page writes it'),
    robots: text('What the page or its headers tell robots'),
    refresh: text('Where a meta refresh leads, absolute; it is not followed'),
    contentType: text('Content-Type header'),
    charset: z.string().describe('Charset the page was read in'),
    redirects: z
      .array(
        z.object({
          url: z.string().describe('Address that redirected'),
          status: z.number().int().describe('HTTP status'),
          location: text('Where it led, absolute'),
        }),
      )
      .describe('Redirects on the way to the final page'),
    redirectCount: z.number().int().describe('Number of redirects'),
  }),
  needs: ['fetch', 'workers'],
  examples: [{ url: 'http://example.com/' }],
  say: ({ title, finalUrl }) => (title === null ? `${finalUrl} has no title.` : title),
}).run(async ({ signal, ...ports }, { url: input }) => {
  const url = readAddress(input) ?? input
  const pageVisit = await visit(ports, url, extractor, { ...limits, options: {}, signal })
  const { fetched, charset, result: metadata, warnings, truncated } = pageVisit
  const redirects = fetched.hops.slice(0, -1)
  return {
    url,
    finalUrl: fetched.url,
    status: fetched.status,
    ...metadata,
    imageCount: metadata.images.length,
    contentType: fetched.headers['content-type'] ?? null,
    charset,
    redirects: redirects.map(({ url, status, location }) => ({ url, status, location: location ?? null })),
    redirectCount: redirects.length,
    about: {
      sources: [fetched.url],
      truncated,
      warnings: [...warnings, ...elsewhere(metadata.canonical, fetched.url)],
    },
  }
})
