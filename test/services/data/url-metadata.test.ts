import { describe, expect, test } from 'vitest'
import { opened } from '../../opened.ts'
import { refused, startData } from './run.ts'

const data = opened(startData)

const read = (url: string) => data.ask('url-metadata', { url })

let pages = 0
/** Serves a page on a host of its own, so that limits per host do not count. */
const serve = (body: Buffer | string, headers: Record<string, string> = {}, status = 200) => {
  const host = `page-${++pages}.example.net`
  data.internet.web.site(host, '/dir/page', {
    status,
    headers: { 'content-type': 'text/html; charset=utf-8', ...headers },
    body,
  })
  return `http://${host}/dir/page`
}

describe('url-metadata', () => {
  test('reads what a page says about itself', async () => {
    expect(await read('http://example.com/')).toMatchObject({
      skill: 'url-metadata',
      input: 'http://example.com/',
      url: 'http://example.com/',
      final_url: 'http://example.com/',
      status: 200,
      title: 'Example Domain & friends',
      description: 'What is shown when the page is shared.',
      canonical: 'https://example.com/',
      open_graph: {
        title: 'Example, shared',
        type: 'website',
        site_name: 'Example',
        image: 'http://example.com/cover.png',
        'image:width': '1200',
      },
      twitter_card: { card: 'summary_large_image', site: '@example', title: 'Example, tweeted' },
      favicon: 'http://example.com/icon.svg',
      lang: 'en-GB',
      image: 'http://example.com/cover.png',
      image_count: 2,
      site_name: 'Example',
      author: 'Ada Example',
      robots: 'index, follow, max-image-preview:large',
      charset: expect.stringMatching(/utf-8/i),
      content_type: 'text/html; charset=utf-8',
      redirects: [],
      meta: { truncated: false, sources: ['http://example.com/'], warnings: [] },
    })
  })

  test('puts https before an address without a scheme', async () => {
    expect(await read('example.com')).toMatchObject({ url: 'https://example.com/', status: 200 })
  })

  test('follows redirects and shows them', async () => {
    const found = await read('http://example.com/chain/1')
    expect(found).toMatchObject({ final_url: 'http://example.com/', redirect_count: 5 })
    expect(([] as unknown[]).concat(found.redirects)[0]).toEqual({
      url: 'http://example.com/chain/1',
      status: 301,
      location: 'http://example.com/chain/2',
    })
  })

  test('says null for all that a page leaves out', async () => {
    expect(await read(serve('<p>hello'))).toMatchObject({
      title: null,
      description: null,
      canonical: null,
      open_graph: null,
      twitter_card: null,
      favicon: null,
      lang: null,
      image: null,
      published_time: null,
    })
  })

  test('resolves addresses against the base of the page', async () => {
    const url = serve(
      '<base href="/other/"><link rel="shortcut ICON" href="i.png"><link rel=canonical href="../c"><meta property=og:image content="a.png"><meta property=og:image content="//cdn.example.org/b.png">',
    )
    const { origin } = new URL(url)
    expect(await read(url)).toMatchObject({
      favicon: `${origin}/other/i.png`,
      canonical: `${origin}/c`,
      images: [`${origin}/other/a.png`, 'http://cdn.example.org/b.png'],
      image_count: 2,
    })
  })

  test('reads odd markup: no head, tags in the body, upper case, name for property, entities, duplicates', async () => {
    const url = serve(`<TITLE>
      A &lt;b&gt; &amp;
      c</TITLE><svg><title>icon</title></svg><title>second</title>
      <body><META CONTENT="Desc &eacute;" NAME=Description><meta name="og:title" content="T1"><meta property="og:title" content="T2">
      <meta name=description content=later><meta property="twitter:card" content=summary><p><title>third`)
    expect(await read(url)).toMatchObject({
      title: 'T1',
      description: 'Desc é',
      open_graph: { title: 'T1' },
      twitter_card: { card: 'summary' },
    })
  })

  test.each([
    ['what is stated for others', 'Harbour news | Coast', 'Harbour reopens', 'Other', 'Harbour reopens'],
    ['what is stated, without the name of the site', 'Tides | Coast', 'Tides', 'Tides', 'Tides'],
    [
      'title and heading where they agree',
      'Tides and ebbs | Coast',
      'Share this!',
      'Tides and ebbs',
      'Tides and ebbs',
    ],
    ['the heading where what is stated has the site, too', 'Tides', 'Coast | Tides', 'Tides', 'Tides'],
    [
      'what is not cut short',
      'The long story of the harbour',
      'The long story of…',
      'x',
      'The long story of the harbour',
    ],
    ['the heading where the title has the name of the site besides', 'Tides | Coast', '', 'Tides', 'Tides'],
    ['the title alone', 'Tides | Coast', '', 'Welcome to it', 'Tides | Coast'],
  ])('takes %s for the title', async (_, title, shared, heading, expected) => {
    const tag = shared === '' ? '' : `<meta property="og:title" content="${shared}">`
    expect(await read(serve(`<title>${title}</title>${tag}<h1>${heading}</h1>`))).toMatchObject({
      title: expected,
    })
  })

  test.each([
    ['Boats, sails and more.', 'All of it', 'All of it'],
    ['Boats, sails and more.', 'Boats, sails…', 'Boats, sails and more.'],
    ['Boats.', '', 'Boats.'],
  ])('of the descriptions %s and %s takes the one', async (own, shared, expected) => {
    const tag = shared === '' ? '' : `<meta property="og:description" content="${shared}">`
    expect(await read(serve(`<meta name=description content="${own}">${tag}<p>x`))).toMatchObject({
      description: expected,
    })
  })

  test('falls back to OpenGraph and the first heading for the title', async () => {
    expect(
      await read(serve('<title> </title><meta property=og:title content=Shared><h1>Head</h1>')),
    ).toMatchObject({
      title: 'Shared',
    })
    expect(await read(serve('<h1>Head <b>line</b></h1>'))).toMatchObject({ title: 'Head line' })
  })

  test('takes control and direction marks out of strings', async () => {
    const url = serve('<title>a\u202eb\u0007c\u2066d</title><meta name=author content="x\u200fy">')
    expect(await read(url)).toMatchObject({ title: 'abcd', author: 'xy' })
  })

  test('gives no address that is not http or https', async () => {
    const url = serve(
      '<link rel=canonical href="javascript:alert(1)"><link rel=icon href="data:image/png;base64,xx"><base href="file:///etc/">',
    )
    expect(await read(url)).toMatchObject({ canonical: null, favicon: null })
  })

  test('reads pages in a legacy charset', async () => {
    expect(await read('http://example.com/windows-1252')).toMatchObject({
      title: 'Café € 5',
      charset: 'windows-1252',
    })
    expect(await read('http://example.com/undeclared')).toMatchObject({ title: 'Café € 5' })
  })

  test('gives the dates as ISO, with the text beside it', async () => {
    const url = serve('<meta property="article:published_time" content="2024-03-05T10:00:00+02:00">')
    expect(await read(url)).toMatchObject({
      published_time: '2024-03-05T08:00:00.000Z',
      published_time_raw: '2024-03-05T10:00:00+02:00',
    })
    expect(await read(serve('<meta name=date content="last May">'))).toMatchObject({
      published_time: null,
      published_time_raw: 'last May',
    })
  })

  test('reads the canonical address and the language from headers', async () => {
    const url = serve('<p>x', {
      link: '</a>; rel=preload, </real>; rel="canonical"',
      'content-language': 'nl',
      'x-robots-tag': 'noindex',
    })
    expect(await read(url)).toMatchObject({
      canonical: `${new URL(url).origin}/real`,
      lang: 'nl',
      robots: 'noindex',
    })
  })

  test('notes a meta refresh without following it', async () => {
    const url = serve('<meta http-equiv=refresh content="0; url=/next">')
    expect(await read(url)).toMatchObject({ refresh: `${new URL(url).origin}/next`, redirect_count: 0 })
  })

  test('reads the page of an error and says what it is', async () => {
    expect(await read(serve('<title>Gone</title>', {}, 404))).toMatchObject({
      status: 404,
      title: 'Gone',
      meta: { warnings: [{ code: 'http_error' }] },
    })
    expect(await read(serve('<title>Wait</title>', { 'cf-mitigated': 'challenge' }, 403))).toMatchObject({
      meta: { warnings: [{ code: 'bot_wall' }] },
    })
  })

  test('warns of a canonical address on another host', async () => {
    expect(await read(serve('<link rel=canonical href="https://example.org/x">'))).toMatchObject({
      meta: { warnings: [{ code: 'canonical_elsewhere' }] },
    })
  })

  test.each([
    ['100,000 nested elements', `<title>Deep</title>${'<div>'.repeat(100_000)}`, 'page_cut'],
    ['100,000 nested formatting elements', `<title>Deep</title>${'<b><i>'.repeat(50_000)}`, 'page_cut'],
    ['340,000 elements', `<title>Deep</title>${'<p>'.repeat(340_000)}`, 'page_cut'],
    ['two million characters', `<title>Deep</title>${'text '.repeat(400_000)}`, 'body_cut'],
  ])(
    'stops in %s and keeps what came before',
    async (_, body, code) => {
      const found = await read(serve(body))
      expect(found.title).toBe('Deep')
      expect(found.meta).toMatchObject({ truncated: true, warnings: [{ code }] })
    },
    20_000,
  )

  test('keeps 256 attributes of an element with 50,000', async () => {
    const names = Array.from({ length: 50_000 }, (_, i) => `a${i}`).join(' ')
    expect(await read(serve(`<html lang=fr ${names}><title>Many</title>`))).toMatchObject({
      title: 'Many',
      lang: 'fr',
    })
  })

  test('answers for a file with its type, size and name', async () => {
    expect(await read('http://example.com/json')).toMatchObject({
      title: null,
      file: { type: 'application/json', size: expect.any(Number), name: 'json' },
      meta: { truncated: false },
    })
    expect((await read('http://example.com/')).file).toBeNull()
  })

  test('is sorry, retryably, when the site is down', async () => {
    data.internet.dns.zone.set('down.example.net', { A: ['93.184.216.99'] })
    const error = await refused(read('http://down.example.net/'))
    expect(error.code).toBe('upstream')
    expect(error.toProblem().retryable).toBe(true)
  })

  test.each([
    'ftp://example.com/',
    'javascript:alert(1)',
    'not a url',
    '',
    'http://127.0.0.1/',
    'http://localhost/',
  ])('refuses %j as a URL', async url => {
    const error = await refused(read(url))
    expect(error.code).toBe('invalid_input')
    expect(error.toProblem().issues).toMatchObject([{ path: 'url' }])
  })
})
