import { describe, expect, test } from 'vitest'
import { readFeed } from '../../../mcp/lib/feed/read-feed.ts'
import { threadSeconds } from '../../processor-time.ts'

const url = 'https://example.com/feed'
const space =
  'xmlns:media="http://search.yahoo.com/mrss/" xmlns:itunes="http://www.itunes.com/dtds/podcast-1.0.dtd"'

const itemOf = (item: string, before = '') =>
  readFeed(
    `${before}<rss version="2.0" ${space}><channel><title>T</title><item>${item}</item></channel></rss>`,
    {
      url,
      content: true,
    },
  )?.items[0]

const withType = (subset: string, title: string) =>
  itemOf(`<title>${title}</title>`, `<!DOCTYPE rss [${subset}]>`)?.title

describe('entities that a feed declares', () => {
  test('stand for their text, also through others, and before names of HTML', () => {
    const subset = `<!-- ]> "not the end' --><?x ]> ?><!ENTITY firm "AT&#38;T &lt;Inc&gt;"> <!ENTITY who '&firm; & > us'><!ENTITY eacute "E">`
    expect(withType(subset, '&firm;|&who;|&eacute;|&nbsp;|&agrave;')).toBe(
      'AT&T <Inc>|AT&T <Inc> & > us|E| |à',
    )
  })

  test('stand in attributes, and markup in them is text', () => {
    const item = itemOf(
      '<enclosure url="&base;/a.mp3"/><description>&hello;</description>',
      '<?xml version="1.0"?><!DOCTYPE rss SYSTEM "http://evil.example/x.dtd" [<!ENTITY base "https://cdn.example.com"><!ENTITY hello "Hello <b>you</b>">]>',
    )
    expect(item?.enclosures[0]?.url).toBe('https://cdn.example.com/a.mp3')
    expect(item?.summary).toBe('Hello you')
  })

  test('read nothing from outside, and a circle leads nowhere', () => {
    const subset =
      '<!ENTITY f SYSTEM "file:///etc/passwd"><!ENTITY % p "x">%p;<!ENTITY a "&b;"><!ENTITY b "&a;">'
    expect(withType(subset, '&f; &a; &p;')).toBe('&f; &a; &p;')
  })

  test('a type that never ends or has an odd quote leaves the feed as it is', () => {
    expect(itemOf('<title>A</title>', '<!DOCTYPE rss PUBLIC "-//Netscape//DTD RSS 0.91//EN>')?.title).toBe(
      'A',
    )
    for (const open of ['<!--', '<?', '"', '<!ENTITY a "', '<', '[']) withType(open.repeat(50_000), 'x')
  })

  test('all of them together stay small, and cost little', () => {
    const laughs = Array.from({ length: 400 }, (_, n) => `<!ENTITY e${n + 1} "&e${n};&e${n};">`).join('')
    const subset = `<!ENTITY e0 "${'ha'.repeat(2000)}">${laughs}`
    const began = threadSeconds()
    const feed = readFeed(
      `<!DOCTYPE rss [${subset}]><rss><channel><item><description>${'&e0;&e1;&e400;'.repeat(20_000)}</description></item></channel></rss>`,
      { url, content: true },
    )
    expect(JSON.stringify(feed).length).toBeLessThan(1_000_000)
    expect(threadSeconds() - began).toBeLessThan(2)
  })
})

describe('texts of media', () => {
  test('stand for the item where it has none of its own', () => {
    const media =
      '<media:content url="/v.mp4" type="video/mp4"><media:title type="html">&lt;i&gt;Clip&lt;/i&gt;</media:title><media:description>Waves &amp; wind</media:description></media:content>'
    for (const holder of [media, `<media:group>${media}</media:group>`])
      expect(itemOf(holder)).toMatchObject({
        title: 'Clip',
        summary: 'Waves & wind',
        enclosures: [{ url: 'https://example.com/v.mp4', title: 'Clip', description: 'Waves & wind' }],
      })
    const group = itemOf(
      '<media:group><media:title>Film</media:title><media:description>1 &lt; 2</media:description></media:group>',
    )
    expect(group).toMatchObject({ title: 'Film', summary: '1 < 2', content: '1 < 2' })
    expect(itemOf(`<title>Own</title><description>Its own</description>${media}`)).toMatchObject({
      title: 'Own',
      summary: 'Its own',
    })
  })

  test('of podcasts count, too', () => {
    expect(
      itemOf(
        '<itunes:title>Episode</itunes:title><itunes:summary>&lt;p&gt;About &lt;b&gt;it&lt;/b&gt;&lt;/p&gt;</itunes:summary>',
      ),
    ).toMatchObject({
      title: 'Episode',
      summary: 'About it',
    })
  })
})

describe('markup in a feed', () => {
  test.each([
    ['as elements', '<p>One</p><p>Two <i>too</i></p>'],
    ['escaped', '&lt;p&gt;One&lt;/p&gt;&lt;p&gt;Two &lt;i&gt;too&lt;/i&gt;&lt;/p&gt;'],
    ['in CDATA', '<![CDATA[<p>One</p><p>Two <i>too</i></p>]]>'],
    ['escaped twice', '&amp;lt;p&amp;gt;One&amp;lt;/p&amp;gt;&amp;lt;p&amp;gt;Two too&amp;lt;/p&amp;gt;'],
  ])('gives its text: %s', (_, description) => {
    expect(itemOf(`<description>${description}</description>`)).toMatchObject({
      summary: 'One Two too',
      content: 'One\nTwo too',
    })
  })

  test('that a text is about is left in it', () => {
    const text = '&lt;p&gt;Write &amp;lt;b&amp;gt; for bold&lt;/p&gt;'
    expect(itemOf(`<description>${text}</description>`)?.summary).toBe('Write <b> for bold')
  })
})
