import { z } from 'zod'
import { ToolError } from '../../kernel/error.ts'
import { countText } from '../../lib/text/count.ts'
import { parseAddress } from './address.ts'
import { DomainInput, parseDomain, toTarget } from './domain.ts'
import type { Note } from './meta.ts'
import { type Crawl, crawl } from './sitemap/crawl.ts'
import { type Discovery, discover } from './sitemap/discover.ts'
import { frequencies } from './sitemap/entry-url.ts'
import type { SitemapAccess } from './sitemap/read-file.ts'
import { skill } from './skill.ts'

const text = (what: string) => z.string().nullable().describe(what)

const Sitemaps = z
  .array(
    z.object({
      url: z.string().describe('Where it lies'),
      type: z.enum(['index', 'urlset', 'text', 'rss', 'atom']).nullable().describe('Null: no sitemap'),
      status: z.number().int().nullable().describe('HTTP status; null for no answer'),
      urls: z.number().int().describe('URLs in it, without those of the sitemaps it names'),
      error: text('Why it could not be read'),
    }),
  )
  .describe('The sitemaps in the order they were read')

const Urls = z
  .array(
    z.object({
      loc: z.string().describe('Address, absolute'),
      lastmod: text('Last change, ISO 8601: a day, or a time in UTC'),
      lastmod_raw: z.string().optional().describe('The same as written, where that differs'),
      changefreq: z.enum(frequencies).nullable().describe('How often it changes'),
      priority: z.number().nullable().describe('0 to 1, as the site sees it'),
      alternates: z
        .array(
          z.object({
            lang: z.string().describe('Language tag or x-default'),
            href: z.string().describe('Address, absolute'),
          }),
        )
        .optional()
        .describe('The page in other languages'),
      images: z.number().int().optional().describe('Images listed with it'),
      videos: z.number().int().optional().describe('Videos listed with it'),
    }),
  )
  .describe('The URLs in the order of the sitemaps')

/** The address of a sitemap, where one was given instead of a domain. */
const sitemapIn = (input: string): string | undefined => {
  const url = parseAddress(input)
  const path = url === undefined ? '' : new URL(url).pathname
  return /\.(?:xml|gz|txt|rss|atom)$|sitemap/i.test(path) ? url : undefined
}

const limits: Readonly<Record<NonNullable<Crawl['cut']>, string>> = {
  files: 'There are more than 50 files; the rest was not read.',
  urls: 'There are more than 50,000 addresses; the rest was not read.',
  time: 'Reading took 20 seconds; the rest was not read.',
  depth: 'Indexes lie more than three levels deep; deeper ones were not read.',
  file: 'A file is longer than what is read of it, or breaks off.',
}

const cutNotes = ({ cut, urls, total_found: totalFound }: Crawl, limit: number): Note[] => [
  ...(cut ? [{ code: `cut_${cut}`, message: limits[cut] }] : []),
  ...(totalFound > urls.length
    ? [{ code: 'limited', message: `The first ${limit} addresses are listed; limit can be 50,000.` }]
    : []),
]

const readGiven = async (reach: SitemapAccess, url: string, limit: number): Promise<Discovery> => {
  const result = await crawl(reach, [url], limit)
  const [first] = result.outcomes
  const notes = first?.file.type === null ? [{ code: 'no_sitemap', message: `${first.file.error}` }] : []
  if (first?.outage)
    throw new ToolError('upstream', `The sitemap could not be read: ${first.file.error}`, { retryable: true })
  return { ...result, notes, source: 'input' }
}

export default skill({
  id: 'sitemap-extract',
  argument: 'domain',
  price: '0.004',
  tags: ['web', 'sitemap', 'crawl'],
  keywords: ['crawl', 'map', 'structure', 'blog', 'product'],
  openWorld: true,
  partial: true,
  cacheSec: 300,
  key: ({ domain, limit }) => [sitemapIn(domain) ?? toTarget(domain), limit],
  target: ({ domain }) => toTarget(domain),
  main: 'urls',
  title: 'List the pages of a site',
  description:
    'Finds the sitemaps of a domain (robots.txt, then the usual places), follows indexes, reads XML, gzip, text and feeds, and returns the URLs with lastmod, changefreq, priority and language alternates, and the total count. Free over A2A and MCP, else 0.004 USD.',
  input: z.object({
    domain: DomainInput.describe('Domain name such as example.com, or the URL of a sitemap'),
    limit: z.number().int().min(1).max(50_000).default(1000).describe('Most URLs to list; all are counted'),
  }),
  output: z.object({
    domain: z.string().describe('The domain in ASCII (punycode)'),
    source: z
      .enum(['robots.txt', 'guess', 'input'])
      .nullable()
      .describe(
        'How the sitemaps were found: named in robots.txt, at a usual place, given; null for not at all',
      ),
    sitemaps: Sitemaps,
    sitemap_count: z.number().int().describe('Number of sitemaps that were asked for'),
    urls: Urls,
    count: z.number().int().describe('URLs listed before paging'),
    total_found: z.number().int().describe('URLs in all sitemaps that were read'),
    truncated: z.boolean().describe('True when there are more URLs than are listed'),
  }),
  needs: ['fetch', 'workers'],
  examples: [{ domain: 'example.com' }, { domain: 'https://example.com/sitemap-pages.xml', limit: 10 }],
  summary: ({ domain, total_found: totalFound, sitemap_count: sitemapCount }) =>
    `${domain} lists ${countText(totalFound, 'URL')} in ${countText(sitemapCount, 'sitemap')}.`,
}).run(async (reach, { domain: input, limit }) => {
  const domain = parseDomain(input)
  if (!domain) throw new ToolError('invalid_input', 'domain: must be a domain name such as example.com.')
  const sitemapUrl = sitemapIn(input)
  const result = sitemapUrl
    ? await readGiven(reach, sitemapUrl, limit)
    : await discover(reach, domain.ascii, limit)
  const { outcomes, urls, total_found: totalFound, cut, notes, source } = result
  const truncated = cut !== null || totalFound > urls.length
  return {
    domain: domain.ascii,
    source,
    sitemaps: outcomes.map(({ file }) => file),
    sitemap_count: outcomes.length,
    urls,
    count: urls.length,
    total_found: totalFound,
    truncated,
    about: {
      sources: outcomes.filter(({ file }) => file.type !== null).map(({ file }) => file.url),
      warnings: [...notes, ...cutNotes(result, limit)],
      truncated,
    },
  }
})
