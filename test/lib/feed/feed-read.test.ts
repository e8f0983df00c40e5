import { describe, expect, test } from 'vitest'
import { readFeed } from '../../../mcp/lib/feed/read-feed.ts'

const url = 'https://example.com/dir/feed.xml'
const read = (feed: string | Uint8Array, more: object = {}) => {
  const result = readFeed(feed, { url, ...more })
  if (!result) throw new Error('it is no feed')
  return result
}

const spaces =
  'xmlns:a="http://www.w3.org/2005/Atom" xmlns:d="http://purl.org/dc/elements/1.1/" xmlns:c="http://purl.org/rss/1.0/modules/content/" xmlns:m="http://search.yahoo.com/mrss/" xmlns:i="http://www.itunes.com/dtds/podcast-1.0.dtd" xmlns:g="http://www.georss.org/georss" xmlns:t="http://purl.org/dc/terms/"'
const rss = (item: string, channel = '') =>
  read(`<rss version="2.0" ${spaces}><channel>${channel}<item>${item}</item></channel></rss>`, {
    content: true,
  })
const atom = (entry: string, head = '', attributes = '') =>
  read(`<feed xmlns="http://www.w3.org/2005/Atom" ${attributes}>${head}<entry>${entry}</entry></feed>`, {
    content: true,
  })
const firstItem = ({ items }: ReturnType<typeof read>) => items[0]

describe('Atom', () => {
  test('text is text, HTML is read, XHTML too', () => {
    expect(firstItem(atom('<title>a &lt;b&gt; c</title>'))?.title).toBe('a <b> c')
    expect(firstItem(atom('<title>a &amp;amp; b <![CDATA[&amp; <c>]]></title>'))?.title).toBe(
      'a &amp; b &amp; <c>',
    )
    expect(firstItem(atom('<title type="html">a &lt;b&gt;b&lt;/b&gt; &amp;amp; c</title>'))?.title).toBe(
      'a b & c',
    )
    expect(
      firstItem(
        atom(
          '<content type="xhtml"><div xmlns="http://www.w3.org/1999/xhtml"><p>A <b>b</b> &amp; c</p><p>d &lt;e&gt;</p></div></content>',
        ),
      ),
    ).toMatchObject({ content: 'A b & c\nd <e>', summary: 'A b & c d <e>' })
  })

  test('the alternate link counts, a page of HTML first', () => {
    const link = (links: string) => firstItem(atom(links))?.link
    expect(link('<link rel="self" href="/s"/><link href="/a"/>')).toBe('https://example.com/a')
    expect(
      link('<link type="application/pdf" href="/p"/><link rel="alternate" type="text/html" href="/a"/>'),
    ).toBe('https://example.com/a')
    expect(link('<link rel="enclosure">/e</link><link rel="alternate">/a</link>')).toBe(
      'https://example.com/a',
    )
    expect(link('<link rel="related" href="/r"/>')).toBeNull()
    expect(link('<id>https://example.com/id</id>')).toBe('https://example.com/id')
    expect(link('<id>tag:example.com,2026:1</id>')).toBeNull()
  })

  test('relative addresses start from the nearest xml:base', () => {
    const result = atom(
      '<link xml:base="y/" href="z"/>',
      '<link href="home"/>',
      'xml:base="http://example.org/x/"',
    )
    expect(result.link).toBe('http://example.org/x/home')
    expect(firstItem(result)?.link).toBe('http://example.org/x/y/z')
  })

  test('published comes before updated, and what is in a source is not of the entry', () => {
    const entry =
      '<source><title>S</title><updated>2001-01-01T00:00:00Z</updated></source><title>E</title><updated>2026-02-03T00:00:00Z</updated><published>2026-01-02T00:00:00Z</published><author><name>Ada</name><email>a@example.com</email></author><author><name>Bob</name></author><category term="t" label="Label"/><category label="Only"/>'
    expect(firstItem(atom(entry))).toMatchObject({
      title: 'E',
      date: '2026-01-02T00:00:00.000Z',
      updated: '2026-02-03T00:00:00.000Z',
      author: 'Ada, Bob',
      categories: ['t', 'Only'],
    })
  })

  test('text in frames, objects, drawings and formulas is text, and a language may have an underscore', () => {
    const html =
      '&lt;iframe src=x>frame&lt;/iframe>&lt;object>object&lt;/object>&lt;svg>&lt;text>drawing&lt;/text>&lt;/svg>&lt;math>&lt;mi>x&lt;/mi>&lt;/math>&lt;script>no&lt;/script>'
    const result = read(
      `<feed xmlns="http://www.w3.org/2005/Atom" xml:lang="en_US"><entry><summary type="html">${html}</summary></entry></feed>`,
    )
    expect(result).toMatchObject({ lang: 'en-US', items: [{ summary: 'frameobjectdrawingx' }] })
  })

  test('categories of podcasts stand in each other, and their pictures are links', () => {
    const item =
      '<itunes:category text="Technology"><itunes:category text="Gadgets"/></itunes:category><itunes:link rel="self" href="/f"/><itunes:link rel="image" href="/logo.jpg"/>'
    const result = read(
      `<rss xmlns:itunes="http://www.itunes.com/dtds/podcast-1.0.dtd"><channel><item>${item}</item></channel></rss>`,
    )
    expect(result.items[0]).toMatchObject({
      categories: ['Technology', 'Gadgets'],
      image: 'https://example.com/logo.jpg',
    })
  })

  test('a relative id is of the base in force, and an opaque one stays', () => {
    const ids = (feed: string) => read(feed).items.map(({ id }) => id)
    const entries =
      '<entry><id>/a</id></entry><entry><id>b/1</id></entry><entry><id>tag:x,2026:/c</id></entry>'
    expect(
      ids(`<feed xmlns="http://www.w3.org/2005/Atom" xml:base="https://example.org/x/">${entries}</feed>`),
    ).toEqual(['https://example.org/a', 'https://example.org/x/b/1', 'tag:x,2026:/c'])
    expect(ids('<rss><channel><item><guid>/a</guid></item></channel></rss>')).toEqual(['/a'])
  })

  test('a prefix may be called as what every object has', () => {
    const result = read(
      '<feed xmlns="http://www.w3.org/2005/Atom" constructor:a="b"><toString:title>x</toString:title><title>t</title><entry/></feed>',
    )
    expect(result).toMatchObject({ title: 't' })
  })

  test('is read in version 0.3, packed in base64 or not', () => {
    const base64 = Buffer.from('A <b>bold</b> step').toString('base64')
    const result = read(
      `<feed version="0.3" xmlns="http://purl.org/atom/ns#"><tagline>T</tagline><entry><title type="text/html" mode="base64">${base64}</title><issued>2026-01-02</issued><summary type="text/html" mode="escaped">&lt;i&gt;s&lt;/i&gt;</summary></entry></feed>`,
    )
    expect(result).toMatchObject({ format: 'atom 0.3', description: 'T' })
    expect(result.items[0]).toMatchObject({
      title: 'A bold step',
      summary: 's',
      date: '2026-01-02T00:00:00.000Z',
    })
  })
})

test('JSON Feed is read in both versions', () => {
  const result = read(
    JSON.stringify({
      version: 'https://jsonfeed.org/version/1.1',
      title: 'J',
      home_page_url: '/',
      language: 'en',
      items: [
        {
          id: 7,
          url: '/7',
          title: 'Seven',
          content_html: '<p>A &amp; b</p><p>c</p>',
          date_published: '2026-01-02T03:04:05+01:00',
          authors: [{ name: 'Ada' }],
          tags: ['t', 't'],
          attachments: [{ url: '/a.mp3', mime_type: 'audio/mpeg', size_in_bytes: 3 }],
          image: '/i.png',
        },
        { id: 'https://example.com/8', author: { name: 'Bob' }, content_text: '1 < 2' },
        'odd',
      ],
    }),
    { content: true },
  )
  expect(result).toMatchObject({
    format: 'json 1.1',
    title: 'J',
    link: 'https://example.com/',
    lang: 'en',
    total: 2,
  })
  expect(result.items).toMatchObject([
    {
      id: '7',
      link: 'https://example.com/7',
      summary: 'A & b c',
      content: 'A & b\nc',
      date: '2026-01-02T02:04:05.000Z',
      author: 'Ada',
      categories: ['t'],
      enclosures: [{ url: 'https://example.com/a.mp3', length: 3 }],
      image: 'https://example.com/i.png',
    },
    { link: 'https://example.com/8', author: 'Bob', summary: '1 < 2', date: null, enclosures: [] },
  ])
})

describe('charsets', () => {
  const feed = (title: string, encoding = '') =>
    `${encoding && `<?xml version="1.0" encoding="${encoding}"?>`}<rss><channel><title>${title}</title></channel></rss>`
  const latin = (text: string) => Buffer.from(text, 'latin1')

  test.each<[string, Uint8Array, string, string]>([
    ['the XML declaration', latin(feed('caf\xe9', 'iso-8859-1')), '', 'café'],
    ['the server', latin(feed('\xf0\xd5', 'utf-8')), 'text/xml; charset=koi8-r', 'Пу'],
    [
      'the bytes, where both are wrong',
      Buffer.from(feed('café', 'iso-8859-1')),
      'text/xml; charset=iso-8859-1',
      'café',
    ],
    ['windows-1252', latin(feed('\x93q\x94', 'windows-1252')), '', '“q”'],
    ['UTF-16 with a mark', Buffer.from(`\ufeff${feed('café')}`, 'utf16le'), '', 'café'],
    ['UTF-8 with a mark', Buffer.from(`\ufeff${feed('café', 'iso-8859-1')}`), '', 'café'],
    ['no word about it', latin(feed('caf\xe9')), 'application/xml', 'café'],
  ])('are told by %s', (_, bytes, contentType, title) =>
    expect(read(bytes, { contentType }).title).toBe(title),
  )
})

describe('what is no good feed', () => {
  test.each(['', 'hello', '{"a":1}', '[]', '<html><body>no</body></html>', '<urlset/>', '\0\0\0'])(
    '%j is none',
    text => expect(readFeed(text, { url })).toBeUndefined(),
  )

  test('blank lines, comments, a document type and broken markup do no harm', () => {
    const text =
      '\n \ufeff<?xml version="1.0"?><!-- c --><!DOCTYPE rss [<!ENTITY x "y">]><rss><channel><title>A & B</title><item><title>I <!-- no -->J</title><description>a <b>c<br> d</description><link>/1</item><item><title>Last'
    expect(read(text)).toMatchObject({
      title: 'A & B',
      items: [{ title: 'I J', summary: 'a c d', link: 'https://example.com/1' }, { title: 'Last' }],
    })
  })

  test('declared entities do not grow', () => {
    const names = 'abcdefghij'
    const laughs = [...names]
      .map((name, i) => `<!ENTITY ${name} "${`&${names[i - 1] ?? 'z'};`.repeat(10)}">`)
      .join('')
    const result = read(
      `<!DOCTYPE r [<!ENTITY z "lol">${laughs}]><rss><channel><title>&j;</title></channel></rss>`,
    )
    expect(result.title).toBe('&j;')
  })

  test('what lies 100 levels deep is not read, and what came before is kept', () => {
    const result = read(`<rss><channel><title>T</title><item><title>I</title>${'<a>'.repeat(100_000)}`)
    expect(result).toMatchObject({ title: 'T', cut: true, items: [{ title: 'I' }] })
  })

  test('null bytes and marks of direction are taken out', () => {
    expect(firstItem(rss('<title>a\0b\u202ec</title>'))?.title).toBe('abc')
  })

  test('addresses that are not http or https are none', () => {
    const item = firstItem(rss('<link>javascript:alert(1)</link><enclosure url="file:///etc/passwd"/>'))
    expect(item).toMatchObject({ link: null, enclosures: [] })
  })
})
