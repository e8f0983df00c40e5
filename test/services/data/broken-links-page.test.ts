import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { pageLinks } from '../../../mcp/lib/page/links/page-links.ts'
import { parseSrcset } from '../../../mcp/lib/page/links/reference.ts'
import { readTarget } from '../../../mcp/lib/page/links/target.ts'
import { parsePage } from '../../../mcp/lib/page/parse-page.ts'
import { startData } from './run.ts'

const read = async (markup: string) => {
  const { document } = await parsePage(markup)
  const url = 'https://example.com/page'
  return pageLinks.read({ document, url, status: 200, headers: {}, markup }, {})
}

const link = (href: string) => `<a href="${href}">here</a>`

describe('the links of a page', () => {
  test('are what all elements refer to, variants of images last', async () => {
    const { links } =
      await read(`<base href="/dir/"><link rel="stylesheet" href="s.css"><link rel="shortcut icon" href="i.ico">
      <link rel=preconnect href="https://cdn.example.org"><script src="x.js"></script><a href=p>p</a>
      <map><area href=area></map><iframe src=frame></iframe><video src=v.mp4 poster=v.png><track src=t.vtt></video>
      <audio><source src=a.ogg></audio><picture><source srcset="w,1.webp 1x, w2.webp 2x"><img src=w.png srcset="w3.png 300w"></picture>
      <object data=o.svg></object><svg><image href=svg.png /><a xlink:href=inner>x</a></svg><img src=""><input type=image src=go.png>
      <template>${link('never')}</template><script>document.write('<a href="/script">')</script><noscript>${link('no-js')}</noscript>`)
    const base = 'https://example.com/dir/'
    expect(links.map(({ url, foundIn, kind }) => `${foundIn} ${kind} ${url.replace(base, '')}`)).toEqual([
      'link style s.css',
      'link icon i.ico',
      'script script x.js',
      'a page p',
      'area page area',
      'iframe frame frame',
      'video media v.mp4',
      'video image v.png',
      'track media t.vtt',
      'source media a.ogg',
      'img image w.png',
      'object other o.svg',
      'image image svg.png',
      'a page inner',
      'input image go.png',
      'a page no-js',
      'source image w,1.webp',
      'source image w2.webp',
      'img image w3.png',
    ])
  })

  test('are counted once for all fragments and spellings', async () => {
    const { links, total } = await read(
      ['/p', 'p#part', ' /p#part ', 'https://EXAMPLE.com/p#else', '/x/../p'].map(link).join(''),
    )
    expect(total).toBe(1)
    expect(links).toMatchObject([{ url: 'https://example.com/p', count: 5, fragments: ['part', 'else'] }])
  })

  test('have the text of the first, or what a picture in it says', async () => {
    const { links } = await read(
      `<a href=1> Two <b>words</b>\n</a><a href=2><img src=i.png alt="A cat"></a><a href=3></a><a href=4><svg><title>Menu</title></svg></a>`,
    )
    expect(links.map(({ text }) => text)).toEqual(['Two words', 'A cat', 'A cat', null, 'Menu'])
  })

  test.each([
    ['a, b 2x', ['a', 'b']],
    [' a 1x ,b', ['a', 'b']],
    ['a,b 1x, c', ['a,b', 'c']],
    ['a,, b', ['a', 'b']],
    ['a 1x (( , b), c', ['a', 'c']],
    ['\u00a0a 1x', ['\u00a0a']],
    ['data:image/png;base64,xx 1x, b (x,y) 2x, c', ['data:image/png;base64,xx', 'b', 'c']],
    [', ,', []],
    ['', []],
  ])('in srcset %j are %j', (text, found) => expect(parseSrcset(text)).toEqual(found))

  test.each([
    ['java\tscript:x()', { to: 'elsewhere', reason: 'script' }],
    ['MAILTO:a@example.com', { to: 'elsewhere', reason: 'mail' }],
    ['skype:x', { to: 'elsewhere', reason: 'other_scheme' }],
    ['https://', { to: 'nowhere' }],
    ['//other.example.org', { to: 'web', url: 'https://other.example.org/', fragment: '' }],
    ['?q=a b#é', { to: 'web', url: 'https://example.com/p?q=a%20b', fragment: '%C3%A9' }],
    ['#a:~:text=x', { to: 'web', url: 'https://example.com/p', fragment: 'a' }],
    ['#!/route', { to: 'web', url: 'https://example.com/p', fragment: '' }],
    [`/${'x'.repeat(3000)}`, { to: 'elsewhere', reason: 'too_long' }],
  ])('at %j lead to %j', (href, target) => expect(readTarget(href, 'https://example.com/p')).toEqual(target))
})

describe('a hostile page', () => {
  let data: Awaited<ReturnType<typeof startData>>
  beforeAll(async () => {
    data = await startData()
  })
  afterAll(() => data.stop())

  test.each([
    ['40,000 links to one place', link('/x').repeat(40_000), 1],
    [
      '20,000 links',
      Array.from({ length: 20_000 }, (_, i) => link(`mailto:${i}@example.com`)).join(''),
      20_000,
    ],
    ['links in links', `<a href=/x><object>`.repeat(240), 1],
    ['a srcset of commas', `<img srcset="${','.repeat(300_000)}">`, 0],
    ['a srcset of brackets', `<img srcset="data:x ${'('.repeat(300_000)}">`, 1],
    ['a data address of a megabyte', `<img src="data:image/png;base64,${'A'.repeat(1_000_000)}">`, 1],
  ])(
    'with %s is read',
    async (_, body, total) => {
      data.internet.web.site('hostile.example.net', '/', { body })
      data.internet.web.site('hostile.example.net', '/x', { body: '' })
      const found = await data.ask('broken-links', {
        url: `http://hostile.example.net/?${total}${body.length}`,
      })
      expect(found).toMatchObject({ total, broken_count: 0 })
    },
    30_000,
  )

  test('lists a data address without its data', async () => {
    const { links } = await read(`<img src="data:image/png;base64,${'A'.repeat(100_000)}">`)
    expect(links[0]).toMatchObject({ skip: 'inline' })
    expect(links[0]?.url.length).toBeLessThanOrEqual(200)
  })
})
