import { describe, expect, test } from 'vitest'
import { html, ico, openHosts, png, svg } from '../../internet/site-audits.ts'
import type { Page } from '../../internet/web-server.ts'
import { opened } from '../../opened.ts'
import { startData } from './run.ts'

const data = opened(startData)

const read = async (url: string) => (await data.ask('brand-assets', { url })) as Record<string, unknown>

const { serve: serveAt } = openHosts(() => data.internet.web, 'brand')

/** A host with a page and some files; anything else is 404. */
const serve = (markup: string, files: Record<string, Page> = {}) => {
  const url = serveAt(html(markup), files)
  const { hostname: host, origin } = new URL(url)
  return { url, at: (path: string) => `${origin}${path}`, host }
}

describe('brand-assets', () => {
  test('finds all that a page names, and looks at the files', async () => {
    data.internet.web.site('cdn.example.org', '/app/site.webmanifest', {
      headers: { 'content-type': 'application/manifest+json' },
      body: '{"name":"Example App","short_name":"Ex","theme_color":"#111","background_color":"#222","icons":[{"src":"512.png","sizes":"512x512","type":"image/png"}]}',
    })
    data.internet.web.site('cdn.example.org', '/app/512.png', png(512))
    const { url, at } = serve(
      `<link rel="shortcut ICON" href="/f.ico"><link rel=icon type="image/png" sizes="32x32" href="/32.png">
      <link rel=apple-touch-icon sizes=180x180 href=../touch.png><link rel=mask-icon href=/mask.svg color="#abc">
      <link rel=manifest href="http://cdn.example.org/app/site.webmanifest">
      <meta name=theme-color media="(prefers-color-scheme: dark)" content="#000"><meta name="Theme-Color" content=" #fff ">
      <meta name=msapplication-TileColor content="#da532c"><meta name=msapplication-TileImage content=/tile.png><meta name=msapplication-config content=/browserconfig.xml>
      <meta property=og:image content=/og.png><meta property=og:image content=/og2.png><meta name=twitter:image content="https://example.org/t.png"><meta property=og:site_name content="Example Site">
      <script type="application/ld+json">{"@type":"Organization","logo":{"@type":"ImageObject","url":"/logo.png"}}</script>`,
      {
        '/f.ico': ico(16, 32),
        '/32.png': png(32),
        '/touch.png': png(180),
        '/favicon.ico': ico(16),
        '/logo.png': png(300, 60),
      },
    )
    const found = await read(url)
    expect(found).toMatchObject({
      url,
      final_url: url,
      status: 200,
      site_name: 'Example Site',
      favicon: at('/f.ico'),
      apple_touch_icon: at('/touch.png'),
      og_image: at('/og.png'),
      twitter_image: 'https://example.org/t.png',
      images: [at('/og.png'), at('/og2.png'), 'https://example.org/t.png'],
      image_count: 3,
      logo: at('/logo.png'),
      logo_source: 'json-ld',
      theme_color: '#fff',
      theme_colors: [
        { color: '#000', media: '(prefers-color-scheme: dark)' },
        { color: '#fff', media: null },
      ],
      theme_color_count: 2,
      icon_count: 4,
      favicon_ico: { url: at('/favicon.ico'), status: 200, ok: true, type: 'image/x-icon', sizes: ['16x16'] },
      manifest: {
        url: 'http://cdn.example.org/app/site.webmanifest',
        name: 'Example App',
        short_name: 'Ex',
        theme_color: '#111',
        background_color: '#222',
        icon_count: 1,
        icons: [{ src: 'http://cdn.example.org/app/512.png', sizes: '512x512' }],
      },
      mask_icon: { href: at('/mask.svg'), color: '#abc' },
      msapplication: { tilecolor: '#da532c', tileimage: at('/tile.png'), config: at('/browserconfig.xml') },
      best: {
        href: 'http://cdn.example.org/app/512.png',
        kind: 'raster',
        source: 'manifest',
        size: 512,
        verified: true,
        reason: 'The largest square icon, 512 pixels.',
      },
      meta: { warnings: [], truncated: false },
    })
    expect(found.icons).toMatchObject([
      { href: at('/f.ico'), rel: 'shortcut icon', sizes: null, ok: true, width: 32, height: 32 },
      { href: at('/32.png'), rel: 'icon', sizes: '32x32', type: 'image/png', ok: true },
      { href: at('/touch.png'), rel: 'apple-touch-icon', sizes: '180x180', ok: true, width: 180 },
      { href: at('/mask.svg'), rel: 'mask-icon', color: '#abc', ok: null, width: null },
    ])
  })

  test('says null for all that a bare page leaves out', async () => {
    const { url, at } = serve('<p>hello')
    expect(await read(url)).toMatchObject({
      favicon: null,
      apple_touch_icon: null,
      og_image: null,
      twitter_image: null,
      logo: null,
      logo_source: null,
      theme_color: null,
      theme_colors: [],
      icons: [],
      icon_count: 0,
      favicon_ico: { url: at('/favicon.ico'), status: 404, ok: false, type: null, sizes: [] },
      manifest: null,
      mask_icon: null,
      msapplication: {},
      best: null,
    })
  })

  test('takes /favicon.ico and the usual touch icon where nothing is named', async () => {
    const { url, at } = serve('<p>x', { '/favicon.ico': ico(16, 48), '/apple-touch-icon.png': png(180) })
    expect(await read(url)).toMatchObject({
      favicon: at('/favicon.ico'),
      apple_touch_icon: at('/apple-touch-icon.png'),
      best: { href: at('/apple-touch-icon.png'), size: 180, verified: true },
    })
  })

  test('takes no page of HTML for an icon, also not with status 200', async () => {
    const sorry = html('<!doctype html><title>Home</title><svg></svg>')
    const { url, at } = serve('<link rel=icon href=/icon.png>', {
      '/favicon.ico': sorry,
      '/icon.png': sorry,
      '/apple-touch-icon.png': sorry,
    })
    const found = await read(url)
    expect(found).toMatchObject({
      favicon: null,
      apple_touch_icon: null,
      favicon_ico: { status: 200, ok: false },
      icons: [{ href: at('/icon.png'), ok: false }],
      best: null,
    })
  })

  test('knows images by their bytes, whatever the media type says', async () => {
    const { url } = serve('<p>x', {
      '/favicon.ico': { ...(png(64) as object), headers: { 'content-type': 'text/html' } },
    })
    expect(await read(url)).toMatchObject({ favicon_ico: { ok: true, type: 'image/png', sizes: ['64x64'] } })
  })

  test('follows redirects of icons', async () => {
    const { url } = serve('<p>x', {
      '/favicon.ico': { status: 302, headers: { location: '/real.png' } },
      '/real.png': png(32),
    })
    expect(await read(url)).toMatchObject({ favicon_ico: { status: 200, ok: true } })
  })

  test('does not call an icon missing that nobody could look at', async () => {
    const { url, at } = serve('<link rel=icon href=/wall.png>', {
      '/wall.png': { status: 403 },
      '/favicon.ico': { status: 503 },
    })
    expect(await read(url)).toMatchObject({
      favicon: at('/wall.png'),
      favicon_ico: { status: 503, ok: null },
      icons: [{ ok: null }],
      best: { href: at('/wall.png'), verified: false },
    })
    data.internet.dns.zone.set('icons-down.example.net', 'SERVFAIL')
    const away = serve('<link rel=icon href="http://icons-down.example.net/i.png">')
    expect(await read(away.url)).toMatchObject({
      favicon: 'http://icons-down.example.net/i.png',
      icons: [{ ok: null }],
    })
  })

  test('prefers a vector image, and the real size over the declared one', async () => {
    const vector = serve('<link rel=icon sizes=any href=/i.svg><link rel=icon sizes=512x512 href=/512.png>', {
      '/i.svg': svg,
      '/512.png': png(512),
    })
    expect(await read(vector.url)).toMatchObject({
      best: {
        href: vector.at('/i.svg'),
        kind: 'vector',
        size: null,
        verified: true,
        reason: expect.stringContaining('any size'),
      },
    })
    const boast = serve(
      '<link rel=icon sizes=512x512 href=/boast.png><link rel=icon sizes=96x96 href=/96.png>',
      {
        '/boast.png': png(16),
        '/96.png': png(96),
      },
    )
    expect(await read(boast.url)).toMatchObject({ best: { href: boast.at('/96.png'), size: 96 } })
  })

  test('passes over icons that are missing, not square, maskable or of one colour', async () => {
    const { url, at } = serve(
      '<link rel=mask-icon href=/mask.svg><link rel=icon sizes=512x512 href=/gone.png><link rel=icon sizes=256x256 href=/wide.png><link rel=apple-touch-icon href=/touch.png><link rel=manifest href=/m.json>',
      {
        '/mask.svg': svg,
        '/wide.png': png(600, 200),
        '/touch.png': png(180),
        '/cut.png': png(256),
        '/m.json': {
          body: '{"icons":[{"src":"/cut.png","sizes":"256x256","purpose":"maskable"},{"src":"/mono.svg","sizes":"any","purpose":"monochrome"}]}',
        },
      },
    )
    expect(await read(url)).toMatchObject({
      best: { href: at('/touch.png'), source: 'apple-touch-icon', size: 180 },
    })
  })

  test('gives a data address when it is short, and only its size when it is long', async () => {
    const emoji = `data:image/svg+xml,<svg xmlns=%22http://www.w3.org/2000/svg%22><text>x</text></svg>`
    const { url } = serve(
      `<link rel=icon href="${emoji}"><link rel=icon href="data:image/png;base64,${'A'.repeat(9000)}"><link rel=icon href="data:text/html,x"><link rel=icon href="javascript:x">`,
    )
    const found = await read(url)
    expect(found).toMatchObject({
      favicon: emoji,
      icon_count: 2,
      best: { href: emoji, kind: 'vector', verified: false },
    })
    expect(found.icons).toMatchObject([
      { href: emoji, type: 'image/svg+xml', inline: emoji.length },
      { href: null, type: 'image/png', inline: 9022 },
    ])
  })

  test('lists each icon once and resolves addresses against the base', async () => {
    const { url } = serve(
      '<base href="http://example.org/assets/"><link rel=icon href=i.png><link rel=icon href="./i.png"><link rel=icon sizes=16x16 href=i.png><link rel="dns-prefetch icons" href=x>',
    )
    const found = await read(url)
    expect(found.icon_count).toBe(2)
    expect(found.icons).toMatchObject([{ href: 'http://example.org/assets/i.png' }, { sizes: '16x16' }])
  })
})
