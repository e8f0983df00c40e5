import { describe, expect, test } from 'vitest'
import { html, openHosts, png } from '../../internet/site-audits.ts'
import type { Page } from '../../internet/web-server.ts'
import { opened } from '../../opened.ts'
import { startData } from './run.ts'

const data = opened(startData)

const read = async (url: string) => (await data.ask('brand-assets', { url })) as Record<string, unknown>

const { serve: serveAt } = openHosts(() => data.internet.web, 'around')

/** A host with a page and some files; anything else is 404. */
const serve = (markup: string, files: Record<string, Page> = {}) => {
  const url = serveAt(html(markup), files)
  const { hostname: host, origin } = new URL(url)
  return { url, at: (path: string) => `${origin}${path}`, host }
}

describe('brand-assets', () => {
  test.each([
    ['manifest_missing', { status: 404 }],
    ['manifest_invalid', html('<!doctype html>')],
    ['manifest_invalid', { body: '[]' }],
    ['manifest_unread', { status: 302, headers: { location: 'http://127.0.0.1/' } }],
  ] as [string, Page][])('warns of a manifest that cannot be read: %s', async (code, file) => {
    const { url } = serve('<link rel=manifest href=/m.json>', { '/m.json': file })
    expect(await read(url)).toMatchObject({ manifest: null, meta: { warnings: [{ code }] } })
  })

  test('takes the theme colour of the manifest where the page has none', async () => {
    const { url } = serve('<link rel=manifest href=/m.json>', {
      '/m.json': { body: "{theme_color: '#123456',}" },
    })
    expect(await read(url)).toMatchObject({ theme_color: '#123456', theme_colors: [] })
  })

  test.each([
    [
      'json-ld',
      '<script type="application/ld+json">{"@graph":[{"@type":"Article","publisher":{"@type":"Organization","@id":"#o"}},{"@type":"NewsMediaOrganization","@id":"#o","logo":["/l.png"]}]}</script>',
    ],
    [
      'json-ld',
      '<script type="application/ld+json">[{"@type":"Product","logo":"/product.png"},{"@type":"Organization","logo":{"@id":"#l"}},{"@id":"#l","contentUrl":"/l.png"}]</script>',
    ],
    [
      'microdata',
      '<div itemscope itemtype="https://schema.org/Organization"><img itemprop=logo src=/l.png></div>',
    ],
    ['microdata', '<span itemprop=logo itemscope><meta itemprop=url content=/l.png></span>'],
    ['meta', '<meta property=og:logo content=/l.png><img class=logo src=/x.png>'],
    ['image', '<header><a href="/"><img src=/l.png></a></header><img class=site-logo src=/x.png>'],
    ['image', '<img src=/a.png><div class="brand-logo"><img src=/l.png></div>'],
  ])('finds the logo by %s', async (source, markup) => {
    const { url, at } = serve(markup)
    expect(await read(url)).toMatchObject({ logo: at('/l.png'), logo_source: source })
  })

  test('takes the logo where there is no icon', async () => {
    const { url, at } = serve('<meta property=og:logo content=/l.png>', { '/l.png': png(200, 50) })
    expect(await read(url)).toMatchObject({ best: { href: at('/l.png'), source: 'logo', verified: true } })
  })

  test('never asks for an address that is not public', async () => {
    const { url } = serve(
      '<link rel=icon href="http://127.0.0.1/i.png"><link rel=manifest href="http://10.0.0.1/m.json"><meta property=og:logo content="http://localhost/l.png">',
    )
    expect(await read(url)).toMatchObject({
      icons: [{ ok: null }],
      meta: { warnings: [{ code: 'manifest_unread' }] },
    })
  })

  test('asks for each file once, and for no more than a few', async () => {
    const many = Array.from(
      { length: 60 },
      (_, n) => `<link rel=icon sizes=${n + 1}x${n + 1} href=/${n}.png>`,
    ).join('')
    const { url, host } = serve(many + many)
    const found = await read(url)
    expect(found).toMatchObject({ icon_count: 60, meta: { truncated: true } })
    expect(found.icons).toHaveLength(50)
    const asked = data.internet.web.visits.filter(visit => visit.host === host).map(({ path }) => path)
    expect(new Set(asked).size).toBe(asked.length)
    expect(asked.length).toBeLessThanOrEqual(12)
  })

  test.each([
    ['deep JSON', `<script type="application/ld+json">${'{"logo":'.repeat(50_000)}</script>`],
    [
      'a logo that points to itself',
      '<script type="application/ld+json">{"@id":"#a","logo":{"@id":"#a"}}</script>',
    ],
    ['20,000 icons', '<link rel=icon href=/x>'.repeat(20_000)],
    ['20,000 logos', '<p itemprop=logo>'.repeat(20_000)],
    ['an address of a megabyte', `<link rel=icon href="/${'x'.repeat(1_000_000)}">`],
    ['a data address of a megabyte', `<link rel=icon href="data:image/png;base64,${'A'.repeat(1_000_000)}">`],
  ])(
    'reads a page with %s',
    async (_, markup) => {
      expect(await read(serve(markup).url)).toMatchObject({ status: 200 })
    },
    20_000,
  )
})
