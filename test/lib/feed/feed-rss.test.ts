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
const firstItem = ({ items }: ReturnType<typeof read>) => items[0]

describe('RSS', () => {
  test('titles are text or HTML, whichever they look like', () => {
    const title = (text: string) => firstItem(rss(`<title>${text}</title>`))?.title
    expect(title('AT&amp;T')).toBe('AT&T')
    expect(title('1 &lt; 2')).toBe('1 < 2')
    expect(title('List&lt;String&gt;')).toBe('List<String>')
    expect(title('&lt;b&gt;Bold&lt;/b&gt; move')).toBe('Bold move')
    expect(title('Foo&amp;trade;')).toBe('Foo™')
    expect(title('<![CDATA[A & B <i>c</i>]]>')).toBe('A & B c')
    expect(title('caf&eacute; &#8217; &#146; &nosuch;')).toBe('café ’ ’ &nosuch;')
    expect(title('  two\n lines ')).toBe('two lines')
    expect(title('')).toBeNull()
  })

  test('a summary is text without tags, scripts and entities', () => {
    expect(
      firstItem(
        rss(
          '<description>&lt;p&gt;One &amp;amp; &lt;b&gt;two&lt;/b&gt;&lt;/p&gt;&lt;p&gt;three&lt;script&gt;x()&lt;/script&gt;</description>',
        ),
      ),
    ).toMatchObject({ summary: 'One & two three', content: 'One & two\nthree' })
  })

  test('the content stands in for a summary, and the other way round', () => {
    expect(firstItem(rss('<c:encoded>&lt;p&gt;long&lt;/p&gt;</c:encoded>'))).toMatchObject({
      summary: 'long',
    })
    expect(firstItem(rss('<description>short</description>'))).toMatchObject({ content: 'short' })
    expect(firstItem(rss('<c:encoded>long</c:encoded><description>short</description>'))).toMatchObject({
      summary: 'short',
      content: 'long',
    })
  })

  test('an id that is an address is the link, unless it says that it is none', () => {
    expect(firstItem(rss('<guid>https://example.com/1</guid>'))?.link).toBe('https://example.com/1')
    expect(firstItem(rss('<guid isPermaLink="false">https://example.com/1</guid>'))?.link).toBeNull()
    expect(firstItem(rss('<guid>abc</guid>'))).toMatchObject({ link: null, id: 'abc' })
    expect(firstItem(rss('<guid>https://example.com/1</guid><link>/2</link>'))?.link).toBe(
      'https://example.com/2',
    )
  })

  test('elements are known by their namespace, not by their prefix', () => {
    const item = firstItem(
      rss(`<d:title>T</d:title><d:creator>Ada</d:creator><d:date>2026-01-02</d:date><d:subject>S</d:subject>
        <x:description xmlns:x="urn:x">wrong</x:description><a:link rel="alternate" href="/l"/><a:link rel="enclosure" href="/e.mp3" length="5"/>
        <m:group><m:content url="/v.mp4" type="video/mp4" fileSize="9"/><m:thumbnail url="/t.png"/></m:group>
        <i:keywords>one, two</i:keywords><g:point>45.5 -71.25</g:point>`),
    )
    expect(item).toMatchObject({
      title: 'T',
      author: 'Ada',
      date: '2026-01-02T00:00:00.000Z',
      summary: null,
      link: 'https://example.com/l',
      categories: ['S', 'one', 'two'],
      image: 'https://example.com/t.png',
      geo: { lat: 45.5, lon: -71.25 },
      enclosures: [
        { url: 'https://example.com/e.mp3', type: null, length: 5, title: null, description: null },
        { url: 'https://example.com/v.mp4', type: 'video/mp4', length: 9, title: null, description: null },
      ],
    })
  })

  test('the title of a picture or a form is not the title of the feed', () => {
    const channel =
      '<image><title>Logo</title><link>/logo</link></image><title>Feed</title><link>https://example.com/</link><textInput><title>Form</title></textInput><description>About</description><language>en</language><lastBuildDate>Fri, 02 Jan 2026 10:00:00 GMT</lastBuildDate>'
    expect(rss('<title>x</title>', channel)).toMatchObject({
      format: 'rss 2.0',
      title: 'Feed',
      link: 'https://example.com/',
      description: 'About',
      lang: 'en',
      updated: '2026-01-02T10:00:00.000Z',
    })
  })

  test.each([
    ['jo@example.com (Jo Bloggs)', 'Jo Bloggs'],
    ['Jo Bloggs &lt;jo@example.com&gt;', 'Jo Bloggs'],
    ['jo@example.com', 'jo@example.com'],
    ['Jo', 'Jo'],
  ])('the author %s', (text, name) => expect(firstItem(rss(`<author>${text}</author>`))?.author).toBe(name))

  test('a date that is none keeps its text', () => {
    expect(firstItem(rss('<pubDate>soon</pubDate>'))).toMatchObject({ date: null, date_raw: 'soon' })
    expect(firstItem(rss('<pubDate>soon</pubDate><d:date>2026-01-02</d:date>'))).toMatchObject({
      date: '2026-01-02T00:00:00.000Z',
      date_raw: '2026-01-02',
    })
  })

  test('is read in all its versions', () => {
    const rdf = (space: string) =>
      `<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns="${space}"><channel><title>C</title></channel><item rdf:about="https://example.com/1"><title>I</title></item></rdf:RDF>`
    expect(read(rdf('http://purl.org/rss/1.0/'))).toMatchObject({
      format: 'rss 1.0',
      title: 'C',
      items: [{ title: 'I', link: 'https://example.com/1' }],
    })
    expect(read(rdf('http://my.netscape.com/rdf/simple/0.9/')).format).toBe('rss 0.90')
    expect(read('<rss version="0.91"><channel><title>C</title></channel></rss>')).toMatchObject({
      format: 'rss 0.91',
      items: [],
      total: 0,
    })
    expect(
      read('<RSS VERSION="0.92"><CHANNEL><ITEM><TITLE>I</TITLE></ITEM></CHANNEL></RSS>').items[0]?.title,
    ).toBe('I')
    expect(
      read(
        '<CHANNEL HREF="/c"><TITLE>C</TITLE><ITEM HREF="/i" LASTMOD="2026-01-02T03:04Z"><ABSTRACT>S</ABSTRACT></ITEM></CHANNEL>',
      ),
    ).toMatchObject({
      format: 'cdf',
      link: 'https://example.com/c',
      items: [{ link: 'https://example.com/i', date: '2026-01-02T03:04:00.000Z', summary: 'S' }],
    })
  })

  test('what stands there twice is listed once', () => {
    const item = '<item><guid>1</guid><title>x</title></item>'
    const result = read(
      `<rss><channel>${item}${item}<item><title>y</title></item><item/><item/></channel></rss>`,
    )
    expect(result).toMatchObject({ total: 4, duplicates: 1 })
  })
})
