import { gzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import type { Page } from '../../internet/web-server.ts'
import { opened } from '../../opened.ts'
import { refused, startData } from './run.ts'

const data = opened(startData)

type Answer = {
  urls: { loc: string }[]
  sitemaps: { url: string; type: string | null; urls: number; error: string | null }[]
  count: number
  total_found: number
  truncated: boolean
}

const extract = async (domain: string, more: object = {}) =>
  (await data.ask('sitemap-extract', { domain, ...more })) as Record<string, unknown> & Answer

let hosts = 0
/** A site of its own with some files. */
const site = (files: Record<string, string | Buffer | Page>) => {
  const host = `map-${++hosts}.example.org`
  for (const [path, file] of Object.entries(files)) {
    const isPage = typeof file === 'function' || (typeof file === 'object' && !Buffer.isBuffer(file))
    data.internet.web.site(
      host,
      path,
      isPage ? file : { headers: { 'content-type': 'text/plain' }, body: file },
    )
  }
  return host
}

const urlset = (...locs: string[]) =>
  `<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">${locs.map(loc => `<url><loc>${loc}</loc></url>`).join('')}</urlset>`
const index = (...locs: string[]) =>
  `<sitemapindex>${locs.map(loc => `<sitemap><loc>${loc}</loc></sitemap>`).join('')}</sitemapindex>`
const locsOf = ({ urls }: Answer) => urls.map(({ loc }) => new URL(loc).pathname)

describe('sitemap-extract', () => {
  test('follows robots.txt, an index and a packed sitemap', async () => {
    expect(await extract('example.com')).toMatchObject({
      domain: 'example.com',
      source: 'robots.txt',
      sitemaps: [
        { url: 'https://example.com/sitemap.xml', type: 'index', status: 200, urls: 0, error: null },
        { url: 'https://example.com/sitemap-pages.xml', type: 'urlset', urls: 2 },
        { url: 'https://example.com/sitemap-news.xml.gz', type: 'urlset', urls: 1 },
      ],
      sitemap_count: 3,
      count: 3,
      total_found: 3,
      truncated: false,
      urls: [
        {
          loc: 'https://example.com/',
          lastmod: '2026-01-02T09:00:00.000Z',
          lastmod_raw: '2026-01-02T10:00:00+01:00',
          changefreq: 'daily',
          priority: 1,
          alternates: [{ lang: 'de', href: 'https://example.com/de/' }],
        },
        { loc: 'https://example.com/about', lastmod: null, changefreq: null, priority: null },
        { loc: 'https://example.com/news?a=1&b=2' },
      ],
      meta: { truncated: false, warnings: [] },
    })
  })

  test('reads the sitemap whose address is given', async () => {
    const found = await extract('https://example.com/sitemap-news.xml.gz')
    expect(found).toMatchObject({ source: 'input', total_found: 1, sitemap_count: 1 })
  })

  test('looks at the usual places when robots.txt names none', async () => {
    for (const path of ['/sitemap.xml', '/sitemap_index.xml', '/sitemap-index.xml', '/wp-sitemap.xml']) {
      const found = await extract(site({ [path]: urlset('/a') }))
      expect(found).toMatchObject({ source: 'guess', total_found: 1, sitemap_count: 1 })
    }
    expect(await extract(site({ '/sitemap.xml.gz': gzipSync(urlset('/a')) }))).toMatchObject({
      total_found: 1,
    })
  })

  test('looks there too when those that are named are gone', async () => {
    const host = site({ '/robots.txt': 'Sitemap: /old.xml', '/sitemap.xml': urlset('/a') })
    const found = await extract(host)
    expect(found.sitemaps).toMatchObject([
      { url: `https://${host}/old.xml`, type: null, status: 404 },
      { url: `https://${host}/sitemap.xml`, type: 'urlset' },
    ])
  })

  test('reads odd XML: CDATA, entities, prefixes, relative addresses, images, bad values', async () => {
    const host = site({
      '/sitemap.xml': `\ufeff<?xml version="1.0"?><!-- made by hand --><s:urlset xmlns:s="http://www.sitemaps.org/schemas/sitemap/0.9" xmlns:i="http://www.google.com/schemas/sitemap-image/1.1">
        <s:url><s:loc> <![CDATA[/a?x=1&y=2]]> </s:loc><s:lastmod>2026-01-02</s:lastmod><s:priority>7</s:priority><s:changefreq>Weekly</s:changefreq>
        <i:image><i:loc>/i.png</i:loc></i:image><i:image><i:loc>/j.png</i:loc></i:image></s:url>
        <s:url><s:loc>b&#47;c&amp;d</s:loc><s:lastmod>last May</s:lastmod></s:url>
        <s:url><s:loc>javascript:alert(1)</s:loc></s:url><s:url><s:lastmod>2026-01-01</s:lastmod></s:url></s:urlset>`,
    })
    expect((await extract(host)).urls).toEqual([
      {
        loc: `https://${host}/a?x=1&y=2`,
        lastmod: '2026-01-02',
        changefreq: 'weekly',
        priority: null,
        images: 2,
      },
      {
        loc: `https://${host}/b/c&d`,
        lastmod: null,
        lastmod_raw: 'last May',
        changefreq: null,
        priority: null,
      },
    ])
  })

  test('reads sitemaps of text, RSS and Atom', async () => {
    const rss =
      '<rss><channel><link>/home</link><item><title>x</title><image><link>/picture</link></image><link>/r</link></item></channel></rss>'
    const atom =
      '<feed xmlns="http://www.w3.org/2005/Atom"><link href="/home"/><entry><link rel="self" href="/s"/><link href="/e"/></entry></feed>'
    const host = site({
      '/robots.txt': 'Sitemap: /a.txt\nSitemap: /b.xml\nSitemap: /c.xml',
      '/a.txt': 'https://example.net/1\r\n\r\nhttps://example.net/2\nno address',
      '/b.xml': rss,
      '/c.xml': atom,
    })
    const found = await extract(host)
    expect(found.sitemaps.map(({ type, urls }) => [type, urls])).toEqual([
      ['text', 2],
      ['rss', 1],
      ['atom', 1],
    ])
    expect(locsOf(found)).toEqual(['/1', '/2', '/r', '/e'])
  })

  test('reads each sitemap once and three levels deep', async () => {
    const host = site({
      '/sitemap.xml': index('/sitemap.xml', '/two.xml', '/two.xml'),
      '/two.xml': index('/three.xml', '/sitemap.xml'),
      '/three.xml': index('/four.xml'),
      '/four.xml': urlset('/deep'),
    })
    const found = await extract(host)
    expect(found.sitemaps.map(({ url }) => new URL(url).pathname)).toEqual([
      '/sitemap.xml',
      '/two.xml',
      '/three.xml',
    ])
    expect(found).toMatchObject({ truncated: true, meta: { warnings: [{ code: 'cut_depth' }] } })
  })

  test('reads 50 files at most', async () => {
    const host = site({
      '/sitemap.xml': index(...Array.from({ length: 80 }, (_, i) => `/maps/${i}.xml`)),
      '*': { headers: { 'content-type': 'text/xml' }, body: urlset('/same') },
    })
    const found = await extract(host)
    expect(found).toMatchObject({
      sitemap_count: 50,
      total_found: 49,
      truncated: true,
      meta: { warnings: [{ code: 'cut_files' }] },
    })
  })

  test('counts 50,000 addresses and lists as many as are wanted', async () => {
    const locs = Array.from({ length: 50_010 }, (_, i) => `https://example.net/some/long/path/page-${i}`)
    const host = site({ '/sitemap.xml': urlset(...locs) })
    const found = await extract(host, { limit: 20 })
    expect(found).toMatchObject({ count: 20, total_found: 50_000, truncated: true })
    expect(found.meta).toMatchObject({ warnings: [{ code: 'cut_file' }, { code: 'limited' }] })
    const next = await extract(host, { limit: 20, after: 18 })
    expect(locsOf(next)).toEqual(['/some/long/path/page-18', '/some/long/path/page-19'])
  })

  test('sees a page of HTML that is answered with 200', async () => {
    const html = { body: '<!DOCTYPE html><html><title>App</title></html>' }
    const found = await extract(site({ '*': html, '/robots.txt': 'Sitemap: /sitemap.xml' }))
    expect(found).toMatchObject({
      source: null,
      count: 0,
      sitemaps: [{ type: null, status: 200, error: 'It is a page of HTML, no sitemap.' }],
      meta: { warnings: [{ code: 'no_sitemap' }, { code: 'html' }] },
    })
  })

  test('says so when there is none', async () => {
    expect(await extract(site({ '/robots.txt': 'User-agent: *' }))).toMatchObject({
      source: null,
      sitemaps: [],
      total_found: 0,
      truncated: false,
      meta: { warnings: [{ code: 'no_sitemap' }] },
    })
  })

  test('keeps what it has when one of several fails', async () => {
    const host = site({
      '/sitemap.xml': index('/a.xml', '/b.xml', 'http://127.0.0.1/c.xml', '/d.xml'),
      '/a.xml': { status: 503 },
      '/b.xml': urlset('/b'),
      '/d.xml': gzipSync(
        urlset(...Array.from({ length: 500 }, (_, i) => `/d/${(i * 7919) % 1000}`)),
      ).subarray(0, 900),
    })
    const found = await extract(host)
    expect(found.sitemaps.map(({ error }) => error)).toEqual([
      null,
      'It answered 503.',
      null,
      expect.stringContaining('not visited'),
      null,
    ])
    expect(locsOf(found)[0]).toBe('/b')
    expect(found.total_found).toBeGreaterThan(1)
    expect(found).toMatchObject({ truncated: true, meta: { warnings: [{ code: 'cut_file' }] } })
  })

  test('is sorry, retryably, rather than to say that there is none', async () => {
    for (const host of [
      site({ '/robots.txt': 'Sitemap: /s.xml', '/s.xml': { status: 500 } }),
      site({ '/sitemap.xml': { status: 429 } }),
    ]) {
      const error = await refused(extract(host))
      expect(error.code).toBe('upstream')
      expect(error.toProblem().retryable).toBe(true)
    }
    data.internet.dns.zone.set('down-map.example.org', { A: ['93.184.216.99'] })
    expect((await refused(extract('down-map.example.org'))).toProblem()).toMatchObject({
      code: 'upstream',
      retryable: true,
    })
  })

  test.each<[string, Buffer | string]>([
    ['a million nested tags', '<urlset>'.repeat(1_000_000)],
    ['five million opening brackets', '<'.repeat(5_000_000)],
    ['an address without an end', `<urlset><url><loc>${'a'.repeat(3_000_000)}`],
    [
      'a bomb',
      gzipSync(
        Buffer.concat([Buffer.from('<urlset><url><loc>/a</loc></url>'), Buffer.alloc(80_000_000, 97)]),
      ),
    ],
    ['bytes', Buffer.from(Array.from({ length: 100_000 }, (_, i) => (i * 7919) % 256))],
    [
      'declared entities',
      '<!DOCTYPE u [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]><urlset><url><loc>/&b;</loc></url></urlset>',
    ],
  ])(
    'survives %s',
    async (_, body) => {
      const found = await extract(site({ '/sitemap.xml': body }))
      expect(found.total_found).toBeLessThan(2)
      expect(locsOf(found).join()).not.toContain('aaaa')
    },
    20_000,
  )

  test.each(['localhost', 'not a domain', 'http://10.0.0.1/sitemap.xml'])('refuses %j', async domain => {
    const error = await refused(extract(domain))
    expect(error.code).toBe('invalid_input')
    expect(error.toProblem().issues).toMatchObject([{ path: 'domain' }])
  })
})
