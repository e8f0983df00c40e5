import { describe, expect, test } from 'vitest'
import type { Page } from '../../internet/web-server.ts'
import { opened } from '../../opened.ts'
import { refused, startData } from './run.ts'

const data = opened(startData)

type Answer = {
  feed_url: string
  items: { title: string; content?: string }[]
  meta: { warnings: { code: string }[] }
}

const read = async (url: string, more: object = {}) =>
  (await data.ask('rss-to-json', { url, ...more })) as Record<string, unknown> & Answer

let hosts = 0
/** A site of its own with some pages; the answer is its address. */
const site = (pages: Record<string, Page | string>) => {
  const host = `feed-${++hosts}.example.org`
  for (const [path, page] of Object.entries(pages))
    data.internet.web.site(host, path, typeof page === 'string' ? { body: page } : page)
  return `https://${host}`
}

const feed = (title: string) => `<rss version="2.0"><channel><title>${title}</title></channel></rss>`
const many = (count: number) =>
  `<rss version="2.0"><channel>${Array.from({ length: count }, (_, i) => `<item><title>${i}</title><guid>${i}</guid></item>`).join('')}</channel></rss>`

describe('rss-to-json', () => {
  test('heeds the name, charset and language that the server gives to the document', async () => {
    const body = Buffer.from(
      '<rss version="2.0"><channel><item><title>\xf0\xd5</title><link>b</link></item></channel></rss>',
      'latin1',
    )
    const headers = {
      'content-location': '/news/feed.xml',
      'content-type': 'text/xml; charset=koi8-r',
      'content-language': 'ru',
    }
    const url = site({ '/f': { headers, body } })
    expect(await read(`${url}/f`)).toMatchObject({
      lang: 'ru',
      items: [{ title: 'Пу', link: `${url}/news/b` }],
    })
  })

  test('reads a feed', async () => {
    expect(await read('https://example.com/feed.xml')).toMatchObject({
      skill: 'rss-to-json',
      url: 'https://example.com/feed.xml',
      feed_url: 'https://example.com/feed.xml',
      format: 'rss 2.0',
      title: 'Example news',
      link: 'https://example.com/',
      description: 'What is new',
      lang: 'en-gb',
      count: 2,
      total_items: 2,
      items: [
        {
          title: 'Second & newest',
          link: 'https://example.com/second',
          date: '2026-01-02T09:00:00.000Z',
          date_raw: 'Fri, 02 Jan 2026 10:00:00 +0100',
          summary: 'A short text.',
          author: 'Ada Example',
          id: 'tag:example.com,2026:2',
          categories: ['News'],
          enclosures: [
            {
              url: 'https://example.com/second.mp3',
              type: 'audio/mpeg',
              length: 1234,
              title: null,
              description: null,
            },
          ],
        },
        { title: 'First', link: 'https://example.com/first', summary: 'Plain text', author: null },
      ],
      meta: { truncated: false, warnings: [] },
    })
  })

  test('gives the content only when it is asked for', async () => {
    expect((await read('https://example.com/feed.xml')).items[0]).not.toHaveProperty('content')
    const { items } = await read('https://example.com/feed.xml', { content: true })
    expect(items.map(({ content }) => content)).toEqual(['The whole text.', 'Plain text'])
  })

  test('finds the feed that a page names', async () => {
    expect(await read('example.com')).toMatchObject({
      feed_url: 'https://example.com/feed.xml',
      total_items: 2,
    })
    const url = site({
      '/': '<base href="/blog/"><link rel=alternate type="application/rss+xml" title="Comments" href="comments"><link rel="ALTERNATE me" type="application/atom+xml" href="posts">',
      '/blog/posts': '<feed xmlns="http://www.w3.org/2005/Atom"><title>Posts</title></feed>',
      '/blog/comments': feed('Comments'),
    })
    expect(await read(url)).toMatchObject({
      feed_url: `${url}/blog/posts`,
      format: 'atom 1.0',
      title: 'Posts',
    })
  })

  test('follows links that look like feeds, and looks at the usual places', async () => {
    const linked = site({ '/': '<a href="/news/rss.xml">RSS</a>', '/news/rss.xml': feed('Linked') })
    expect((await read(linked)).title).toBe('Linked')
    for (const path of ['/feed', '/rss.xml', '/atom.xml', '/index.xml'])
      expect((await read(site({ '/': '<p>x', [path]: feed(path) }))).title).toBe(path)
  })

  test('tries four places at most', async () => {
    const links = Array.from(
      { length: 9 },
      (_, i) => `<link rel=alternate type="application/rss+xml" href="/${i}">`,
    )
    const url = site({ '/': links.join(''), '/4': feed('Too late') })
    const before = data.internet.web.visits.length
    expect((await refused(read(url))).code).toBe('not_found')
    expect(data.internet.web.visits.length - before).toBe(5)
  })

  test('reads an empty feed', async () => {
    expect(await read(site({ '/': feed('Empty') }))).toMatchObject({ title: 'Empty', items: [], count: 0 })
  })

  test('lists as many items as are wanted, and pages them', async () => {
    const url = site({ '/': many(120) })
    expect(await read(url, { limit: 30 })).toMatchObject({
      count: 30,
      total_items: 120,
      meta: { truncated: true, warnings: [{ code: 'limited' }] },
    })
    const { items } = await read(url, { limit: 30, after: 28 })
    expect(items.map(({ title }) => title)).toEqual(['28', '29'])
  })

  test('leaves out what is repeated', async () => {
    const item = '<item><guid>1</guid><title>x</title></item>'
    const url = site({ '/': `<rss><channel>${item}${item}</channel></rss>` })
    expect(await read(url)).toMatchObject({ total_items: 1, meta: { warnings: [{ code: 'duplicates' }] } })
  })

  test('reads a large feed in a worker', async () => {
    const url = site({ '/': many(30_000) })
    expect(await read(url, { limit: 1 })).toMatchObject({
      total_items: 20_000,
      items: [{ title: '0' }],
      meta: { truncated: true, warnings: [{ code: 'feed_cut' }, { code: 'limited' }] },
    })
  })

  test.each([
    ['a million nested tags', `<rss><channel><title>T</title>${'<a>'.repeat(1_000_000)}`],
    ['an item without an end', `<rss><channel><title>T</title><item><title>${'a'.repeat(4_900_000)}`],
    [
      'half a million nested tags in a summary',
      `<rss><channel><title>T</title><item><description>${'&lt;b&gt;'.repeat(500_000)}`,
    ],
    ['more than is read', `<rss><channel><title>T</title>${'<item><title>x</title></item>'.repeat(200_000)}`],
  ])(
    'survives %s',
    async (_, body) => {
      expect(await read(site({ '/': body }))).toMatchObject({ title: 'T' })
    },
    20_000,
  )

  test.each([
    ['five million opening brackets', '<'.repeat(5_000_000)],
    ['null bytes', '\0'.repeat(1_000_000)],
    ['a page without a feed', '<title>Page</title>'],
    ['JSON', '{"a":1}'],
  ])(
    'finds no feed in %s',
    async (_, body) => {
      const error = await refused(read(site({ '/': body })))
      expect(error.code).toBe('not_found')
      expect(error.toProblem().retryable).toBe(false)
    },
    20_000,
  )

  test.each([
    [404, 'not_found', false],
    [410, 'gone', false],
    [403, 'upstream', false],
    [429, 'upstream', true],
    [503, 'upstream', true],
  ])('says what status %i means', async (status, code, retryable) => {
    const error = await refused(read(site({ '/': { status, body: feed('Error') } })))
    expect([error.code, error.toProblem().retryable]).toEqual([code, retryable])
  })

  test('is sorry, retryably, when the feed of a page fails for now', async () => {
    const page = '<link rel=alternate type="application/rss+xml" href="/broken">'
    const error = await refused(read(site({ '/': page, '/broken': { status: 500 } })))
    expect([error.code, error.toProblem().retryable]).toEqual(['upstream', true])
  })

  test.each(['ftp://example.com/', 'nothing', 'http://127.0.0.1/feed'])('refuses %j', async url => {
    const error = await refused(read(url))
    expect(error.code).toBe('invalid_input')
    expect(error.toProblem().issues).toMatchObject([{ path: 'url' }])
  })
})
