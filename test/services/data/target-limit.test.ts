import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { startData } from './run.ts'

let data: Awaited<ReturnType<typeof startData>>
let now = 1_000_000
const perHost = 20
beforeAll(async () => {
  data = await startData({ budget: { host: perHost }, now: () => now })
  data.internet.web.site('victim.example.org', '*', {
    headers: { 'cache-control': 'no-store' },
    body: 'here',
  })
})
afterAll(() => data.stop())
beforeEach(() => {
  now += 120_000
  data.internet.web.visits.length = 0
})

const visits = () => data.internet.web.visits.filter(({ host }) => host === 'victim.example.org').length

let pages = 0
/** A page of a host of its own with so many links to the victim. */
const pageOf = (markup: string): string => {
  const host = `flood-${++pages}.example.com`
  data.internet.web.site(host, '/', { body: `<!doctype html><title>t</title>${markup}` })
  return `http://${host}/`
}
const links = (count: number) =>
  Array.from({ length: count }, (_, n) => `<a href="http://victim.example.org/${pages}-${n}">x</a>`).join('')

type Found = {
  ok: number
  checked: number
  skipped_count: number
  skipped: { reason: string }[]
  broken_count: number
}

describe('a host is not flooded through pages that link to it', () => {
  test('pages on many hosts, checked by many callers, spend one budget together', async () => {
    const found = (await Promise.all(
      Array.from({ length: 6 }, () => data.ask('broken-links', { url: pageOf(links(5)) })),
    )) as (Found & { meta: object; truncated: boolean })[]
    const sum = (field: 'ok' | 'skipped_count' | 'broken_count' | 'checked') =>
      found.reduce((total, one) => total + one[field], 0)
    expect(visits()).toBe(perHost / 2)
    expect([sum('ok'), sum('checked'), sum('skipped_count'), sum('broken_count')]).toEqual([10, 10, 20, 0])
    const reasons = new Set(found.flatMap(({ skipped }) => skipped.map(({ reason }) => reason)))
    expect([...reasons]).toEqual(['target_limit'])
    for (const { skipped_count: skippedCount, meta, truncated } of found.filter(
      one => one.skipped_count > 0,
    )) {
      expect(skippedCount).toBeGreaterThan(0)
      expect(meta).toMatchObject({ truncated: true, warnings: [{ code: 'target_limit' }] })
      expect(truncated).toBe(true)
    }
    expect(
      (await data.ask('url-metadata', { url: 'http://victim.example.org/mine' })) as object,
    ).toMatchObject({
      status: 200,
    })
  })

  test('the files that a sitemap index names spend the same budget', async () => {
    const host = 'index.example.com'
    const maps = Array.from(
      { length: 30 },
      (_, n) => `<sitemap><loc>http://victim.example.org/map-${n}.xml</loc></sitemap>`,
    )
    data.internet.web.site(host, '/sitemap.xml', {
      headers: { 'content-type': 'application/xml' },
      body: `<sitemapindex xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">${maps.join('')}</sitemapindex>`,
    })
    const found = await data.ask('sitemap-extract', { domain: host })
    expect(visits()).toBe(perHost / 2)
    expect(found).toMatchObject({
      meta: {
        truncated: true,
        warnings: expect.arrayContaining([expect.objectContaining({ code: 'target_limit' })]),
      },
    })
  })

  test('the images and the manifest of a brand spend the same budget', async () => {
    const icons = Array.from(
      { length: 30 },
      (_, n) => `<link rel=icon href="http://victim.example.org/${n}.png">`,
    )
    for (let asked = 0; asked < 4; asked++) await data.ask('brand-assets', { url: pageOf(icons.join('')) })
    expect(visits()).toBeLessThanOrEqual(perHost / 2)
  })
})

const spend = async () => {
  await Promise.all(
    Array.from({ length: perHost }, (_, n) =>
      data.world.ports.fetch?.(`http://victim.example.org/spent-${n}`, { fresh: true }),
    ),
  )
}

describe('a tool that may not ask a host says so, and nothing about the host', () => {
  const url = 'http://victim.example.org/'
  const domain = 'victim.example.org'
  test.each([
    ['url-metadata', { url }],
    ['readability', { url }],
    ['redirect-trace', { url }],
    ['security-headers', { url }],
    ['tech-detect', { url }],
    ['seo-audit', { url }],
    ['structured-data', { url }],
    ['lang-hreflang', { url }],
    ['html-table', { url }],
    ['rss-to-json', { url }],
    ['source-verify', { url }],
    ['brand-assets', { url }],
    ['broken-links', { url }],
    ['robots-analyze', { domain }],
    ['sitemap-extract', { domain }],
  ])('%s', async (name, input) => {
    await spend()
    await expect(data.ask(name, input)).rejects.toMatchObject({
      code: 'too_many_requests',
      status: 429,
      extra: { reason: 'target_limit' },
      headers: { 'Retry-After': expect.any(String) },
    })
    expect(visits()).toBe(perHost)
  })
})
