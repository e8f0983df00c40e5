import { describe, expect, test } from 'vitest'
import { metadata } from '../../../mcp/lib/page/metadata.ts'
import { parsePage } from '../../../mcp/lib/page/parse-page.ts'
import { readPublishedTime } from '../../../mcp/lib/page/publication.ts'
import { toFileFacts } from '../../../mcp/services/data/page/file.ts'

const read = async (markup: string, path = '/a') => {
  const { document } = await parsePage(markup)
  return metadata.read({ document, url: `https://news.example${path}`, status: 200, headers: {}, markup }, {})
}
const ld = (value: unknown) => `<script type="application/ld+json">${JSON.stringify(value)}</script>`

describe('who published a page', () => {
  test('JSON-LD goes before microdata, and both before meta elements', async () => {
    const metas =
      '<meta name="author" content="The Desk"><meta property="article:published_time" content="2020-01-01">'
    const micro =
      '<div itemscope itemtype="https://schema.org/Article"><span itemprop="author" itemscope><b itemprop="name">Mia Micro</b></span><time itemprop="datePublished" datetime="2021-02-03">x</time></div>'
    const graph = ld({
      '@type': 'NewsArticle',
      author: [{ '@type': 'Person', name: 'Gia Graph' }, { name: 'Bo Graph' }],
      publisher: { name: 'The Paper' },
      datePublished: '2022-03-04T05:06:07+01:00',
    })
    expect(await read(metas)).toMatchObject({
      author: 'The Desk',
      published_time: '2020-01-01T00:00:00.000Z',
    })
    expect(await read(metas + micro)).toMatchObject({
      author: 'Mia Micro',
      published_time: '2021-02-03T00:00:00.000Z',
    })
    expect(await read(metas + micro + graph)).toMatchObject({
      author: 'Gia Graph, Bo Graph',
      authors: ['Gia Graph', 'Bo Graph'],
      publisher: 'The Paper',
      published_time: '2022-03-04T04:06:07.000Z',
    })
  })

  test('references within a graph are followed, and nodes without a say are passed over', async () => {
    const page = ld({
      '@graph': [
        { '@type': 'Organization', '@id': '#org', name: 'Example Press' },
        { '@type': 'BreadcrumbList', author: 'Crumb' },
        { '@type': ['WebPage'], author: { '@id': '#w' }, datePublished: '2019-01-01' },
        {
          '@type': 'Article',
          '@id': '#a',
          author: { '@id': '#p' },
          publisher: { '@id': '#org' },
          datePublished: '2020-05-06',
        },
        { '@type': 'Person', '@id': '#p', name: 'Rea Ference' },
      ],
    })
    expect(await read(page)).toMatchObject({
      author: 'Rea Ference',
      publisher: 'Example Press',
      published_time: '2020-05-06T00:00:00.000Z',
    })
  })

  test('names count, addresses of profiles do not', async () => {
    const page =
      '<meta property="article:author" content="https://www.facebook.com/jane.doe"><meta name="twitter:creator" content="@jane">' +
      ld({ '@type': 'Article', author: 'https://example.com/author/jane' })
    expect((await read(page)).author).toBe('@jane')
    expect(
      (await read(`${page}<p class="byline">By <a rel="author" href="/jane">Jane Doe</a></p>`)).author,
    ).toBe('Jane Doe')
  })

  test('broken JSON-LD is repaired, and what is hopeless is passed over', async () => {
    const broken = `<script type="application/ld+json">{"@type":"Article","author":{"name":"Ray Pair"},"datePublished":"2020-01-02",}</script>`
    expect(await read(broken)).toMatchObject({
      author: 'Ray Pair',
      published_time: '2020-01-02T00:00:00.000Z',
    })
    expect(
      await read('<script type="application/ld+json">%%%</script><meta name="author" content="Ann">'),
    ).toMatchObject({ author: 'Ann' })
  })

  test('two bylines side by side are two authors; a date, a photographer or the author of another article is none', async () => {
    const page =
      '<article><h1>Cats</h1><p class="byline">By <a rel="author" href="/a">Ann Ash</a> and <a rel="author" href="/b">Bob Birch</a></p></article>' +
      '<aside><a rel="author" href="/c">Cy Cedar</a></aside>'
    expect((await read(page)).authors).toEqual(['Ann Ash', 'Bob Birch'])
    const none = '<p class="byline">5 August 2024</p><p class="byline">Photo: Pat Pine</p>'
    expect((await read(none)).author).toBe(null)
    expect((await read('<meta name="author" content="@ann"><p class="byline">By Ann Ash</p>')).author).toBe(
      'Ann Ash',
    )
  })

  test('a day as its language writes it is the day of the page, and not that of a comment', async () => {
    const locales =
      'en-GB de-DE fr-FR es-ES it-IT nl-NL pt-BR pl-PL cs-CZ ru-RU uk-UA tr-TR sv-SE fi-FI hu-HU el-GR ja-JP ko-KR id-ID vi-VN'
    let right = 0
    for (const locale of locales.split(' ')) {
      const format = new Intl.DateTimeFormat(locale, { dateStyle: 'long', timeZone: 'UTC' })
      for (let month = 0; month < 12; month++) {
        const time = Date.UTC(2019, month, 3 + 2 * month)
        const page = `<article><h1>Cats</h1><span class="post-date">${format.format(time)}</span><p>Cats sleep.</p></article><div id="comments"><time datetime="2021-01-01">${format.format(Date.UTC(2021, 0, 1))}</time></div>`
        const { published_time: publishedTime } = await read(page)
        // What is not read is left open: "listopada" is November to Poles and October to Croats.
        if (publishedTime === null) continue
        expect(publishedTime, format.format(time)).toBe(new Date(time).toISOString())
        right++
      }
    }
    expect(right).toBeGreaterThan(220)
  })

  test('the address tells the day where nothing else does', async () => {
    const markup = '<h1>Cats</h1><aside><time datetime="2021-01-01">then</time></aside>'
    const { document } = await parsePage(markup)
    const url = 'https://news.example/2019/08/05/cats'
    const page = await metadata.read({ document, url, status: 200, headers: {}, markup }, {})
    expect(page.published_time).toBe('2019-08-05T00:00:00.000Z')
  })

  test('the author of a comment is not that of the page', async () => {
    const page =
      '<div itemscope itemtype="http://schema.org/Comment"><span itemprop="author">Troll</span><time itemprop="datePublished" datetime="2001-01-01"></time></div><meta name="author" content="Ann">'
    expect((await read(page)).author).toBe('Ann')
  })
})

test.each([
  ['2026-11-22T10:00:00+01:00', '2026-11-22T09:00:00.000Z'],
  ['2026/11/22', '2026-11-22T00:00:00.000Z'],
  ['2026-11-22T10:00:00+0000', '2026-11-22T10:00:00.000Z'],
  ['Sun, 22 Nov 2026 10:00:00 GMT', '2026-11-22T10:00:00.000Z'],
  ['November 22, 2026', '2026-11-22T00:00:00.000Z'],
  ['Published on 22nd November 2026 at 10:00', '2026-11-22T10:00:00.000Z'],
  ['20261122', '2026-11-22T00:00:00.000Z'],
  ['1795341600', '2026-11-22T10:00:00.000Z'],
  ['03/04/2026', null],
  ['yesterday', null],
  ['2026-02-31', null],
])('the date %s is %s', (raw, time) => {
  expect(readPublishedTime(raw)).toBe(time)
})

describe('what is no page', () => {
  const answer = (headers: Record<string, string>, body = 'x', url = 'https://x.example/a/b%20c.pdf?d=1') =>
    toFileFacts({
      url,
      status: 200,
      hops: [],
      headers,
      body: Buffer.from(body),
      truncated: true,
      text: () => ({ text: '', charset: '', charsetSource: '' }),
    })

  test.each([
    [
      { 'content-type': 'application/pdf', 'content-length': '1234' },
      { type: 'application/pdf', size: 1234, name: 'b c.pdf' },
    ],
    [
      {
        'content-type': 'image/png; a=b',
        'content-disposition': 'attachment; filename="../../etc/pass wd.png"',
      },
      { type: 'image/png', size: null, name: 'pass wd.png' },
    ],
    [
      {
        'content-type': 'text/csv',
        'content-disposition': "attachment; filename=x.csv; filename*=UTF-8''r%C3%A9sum%C3%A9.csv",
      },
      { type: 'text/csv', size: null, name: 'résumé.csv' },
    ],
    [{ 'content-type': 'text/html' }, undefined],
    [{}, undefined],
  ])('%j is %j', (headers, facts) => {
    expect(answer(headers as Record<string, string>)).toEqual(facts)
  })

  test('bytes without a media type are a file when they hold a zero', () => {
    expect(answer({}, 'a\0b')).toMatchObject({ type: 'application/octet-stream' })
  })
})

describe('the lines under a heading', () => {
  const story = `<p>${'Long words of the story. '.repeat(12)}</p>`
  const page = (lang: string, line: string) =>
    read(`<html lang="${lang}"><title>T</title><article><h1>T</h1>${line}${story}</article>`)

  test.each([
    ['fr', '<p>Publié le 5 août 2024 à 10h, mis à jour le 7 août 2024</p>', '2024-08-05', '2024-08-07'],
    ['de', '<p>Veröffentlicht am 5. August 2024 | Aktualisiert: 07.08.2024</p>', '2024-08-05', '2024-08-07'],
    ['ja', '<p>公開日：2024年8月5日　更新日：2024年8月7日</p>', '2024-08-05', '2024-08-07'],
    [
      'pt',
      '<div>Publicado em 05/08/2024 às 10h30, Atualizado em 07/08/2024</div>',
      '2024-08-05',
      '2024-08-07',
    ],
    ['en', '<div>By <a>Jane Doe</a> | August 5, 2024</div>', '2024-08-05', undefined],
    ['en', '<div>Posted 08/05/2024</div>', undefined, undefined],
    [
      'en',
      '<p class="by">By <a>Jane Doe</a> on Aug 05, 2024 at 11:30a <a>@jane</a></p>',
      '2024-08-05',
      undefined,
    ],
    [
      'en',
      '<div class="date">August 5th, 2024 in <a>Pop</a><b>of many words and more</b></div>',
      '2024-08-05',
      undefined,
    ],
    ['en', '<p><time>August 5, 2024 11:25 AM PDT</time></p>', '2024-08-05', undefined],
    ['en', '<p>The war began on 24 February 2022.</p>', undefined, undefined],
    ['en', '<aside>5 August 2024</aside>', undefined, undefined],
  ])('tell the day in %s: %s', async (lang, line, published, modified) => {
    const { published_time, modified_time } = await page(lang, line)
    expect([published_time?.slice(0, 10), modified_time?.slice(0, 10)]).toEqual([published, modified])
  })

  test('are those of the heading that the title has too', async () => {
    const days = '<div>6 August 2024</div>'
    const { published_time: time, title } = await read(
      `<title>Tides – Coast</title><h1>Coast news</h1>${story}${days}<h1>Tides</h1><p>5 August 2024</p>${story}`,
    )
    expect([time?.slice(0, 10), title]).toEqual(['2024-08-05', 'Tides'])
  })

  test.each([
    ['/2024/08/05/x', '2024-08-05'],
    ['/film/2024/aug/05/x', '2024-08-05'],
    ['/2024/POLITICS/08/05/x', '2024-08-05'],
    ['/2024/8/5', '2024-08-05'],
    ['/news/20240805-x', '2024-08-05'],
    ['/2024/13/05/x', undefined],
    ['/id/2024080577', undefined],
  ])('give way to the day in the address %s', async (path, day) => {
    expect((await read('<title>T</title>', path)).published_time?.slice(0, 10)).toBe(day)
  })

  test.each([
    ['<div class="byline"><i>by</i><a href="/jane">Jane Doe</a></div>', ['Jane Doe']],
    ['<p class="author"><a href="/author/jane">More from this author</a></p>', []],
    [
      '<cite class="byline">By <b class="fn">Jane Doe and John Roe - Technology Writers</b> | 1 hr ago</cite>',
      ['Jane Doe', 'John Roe'],
    ],
    ['<div class="m-byline">By <a>Jane Doe</a> on Jul 4, 2014 <a>@jane</a></div>', ['Jane Doe']],
    ['<div class="byline"><a>→ Learn More</a></div>', []],
  ])('name who wrote in %s', async (markup, authors) => {
    expect((await page('en', markup)).authors).toEqual(authors)
  })

  test('name two people, and a mailbox by its name', async () => {
    const line = '<div class="byline">By Jane Doe and John Roe</div>'
    expect((await page('en', line)).authors).toEqual(['Jane Doe', 'John Roe'])
    expect((await read('<meta name="author" content="jane@a.example (Jane Doe)">')).author).toBe('Jane Doe')
  })
})
