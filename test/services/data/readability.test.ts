import { Worker } from 'node:worker_threads'
import { describe, expect, test } from 'vitest'
import { readArticle } from '../../../mcp/lib/page/article/article.ts'
import { opened } from '../../opened.ts'
import { refused, startData } from './run.ts'

const data = opened(startData)

let pages = 0
const serve = (body: string, headers: Record<string, string> = {}) => {
  const host = `article-${++pages}.example.net`
  const type = { 'content-type': 'text/html; charset=utf-8' }
  data.internet.web.site(host, '/news/1', { headers: { ...type, ...headers }, body })
  return `http://${host}/news/1`
}

const sentence =
  'The ferry was late again, which nobody minded, because the harbour was full of seals that day. '
const filler = `<p>${sentence.repeat(4)}</p>`.repeat(3)

/** The Markdown of an article with `html` in its middle, without what surrounds it. */
const markdownOf = async (html: string, lead = filler) => {
  const { markdown } = await readArticle(
    `<title>t</title><body><article>${lead}<div>${html}</div>${filler}</article>`,
    'http://example.com/a/b',
    { markdown: true },
  )
  const text = markdown ?? ''
  const around = `${sentence.repeat(4).trim()}\n\n`.repeat(3).trim()
  return text.slice(around.length, -around.length).trim()
}

describe('readability', () => {
  test('gives the article without what surrounds it', async () => {
    const found = await data.ask('readability', { url: 'http://example.com/story' })
    expect(found).toMatchObject({
      url: 'http://example.com/story',
      status: 200,
      title: 'A seal in the harbour',
      byline: 'Ada Example',
      site_name: 'The Example Times',
      published_time: '2026-02-03T07:30:00.000Z',
      published_time_raw: '2026-02-03T08:30:00+01:00',
      lang: 'en-GB',
      dir: 'ltr',
      excerpt: 'A seal was seen twice.',
      markdown: null,
      reading_time_minutes: 1,
      images: [{ url: 'http://example.com/seal.jpg', alt: 'A seal, from afar' }],
      image_count: 1,
      is_readable: true,
      truncated: false,
      meta: { warnings: [] },
    })
    expect(found.text).toContain('Another seal was seen at the harbour')
    for (const other of ['Log in', 'Buy a boat', 'All rights reserved', 'tracker'])
      expect(found.text).not.toContain(other)
    expect(found.length).toBe(String(found.text).length)
  })

  test('keeps paragraphs, list entries, rows and cells apart', async () => {
    const { text } = await data.ask('readability', { url: 'http://example.com/story' })
    expect(text).toContain('ready.\n\nWhat the crew says\n\nThe animal was seen')
    expect(text).toContain('at least.\nDo not feed')
    expect(text).toContain('Day\tSeals\nMonday\t1\nTuesday\t1')
  })

  test('writes Markdown on request', async () => {
    const { markdown } = await data.ask('readability', { url: 'http://example.com/story', markdown: true })
    for (const part of [
      '## What the *crew* says',
      '> It looked at us,',
      '[rules for seals](http://example.com/rules#seals), `seal --keep-away`, and mind **this**:',
      '- Keep a distance of one hundred metres, at least.\n- Do not feed',
      '![A seal, from afar](http://example.com/seal.jpg)',
      '| Day | Seals |\n| --- | --- |\n| Monday | 1 |\n| Tuesday | 1 |',
    ])
      expect(markdown).toContain(part)
  })

  test('counts words, of scripts without spaces too', async () => {
    const of = async (text: string) => (await readArticle(`<p>${text}`, 'http://example.com/')).word_count
    expect(await of("It's a well-known fact – 3.5 % more")).toBe(6)
    expect(await of('我喜欢读书。')).toBe(3)
    expect(await of('I like 読書 a lot')).toBe(5)
  })

  test('gives the whole text of a page that has no article', async () => {
    const url = serve('<title>Login</title><body><nav style="display:none">hidden</nav><script>x</script>')
    expect(await data.ask('readability', { url })).toMatchObject({
      title: 'Login',
      text: '',
      word_count: 0,
      reading_time_minutes: 0,
      is_readable: false,
      meta: { warnings: [{ code: 'no_article' }] },
    })
  })

  test('takes title, author and date from JSON-LD', async () => {
    const url = serve(`<title>x</title><script type="application/ld+json">
      {"@context":"https://schema.org","@type":"NewsArticle","headline":"From the data","author":{"name":"Bea"},
       "datePublished":"2026-01-02T03:04:05Z","publisher":{"name":"The Data"}}</script><article>${filler}</article>`)
    expect(await data.ask('readability', { url })).toMatchObject({
      title: 'From the data',
      byline: 'Bea',
      site_name: 'The Data',
      published_time: '2026-01-02T03:04:05.000Z',
    })
  })

  test('leaves out control and direction marks', async () => {
    const url = serve(
      `<title>a\u202eb</title><article>${filler}<p>one\u202etwo\u0007three, and so on</p></article>`,
    )
    const found = await data.ask('readability', { url })
    expect(found.title).toBe('ab')
    expect(found.text).toContain('onetwothree')
  })

  test('knows text that runs from right to left', async () => {
    const url = serve(
      `<html lang=he dir=rtl><article>${'<p>שלום לכולם, זה מאמר ארוך מאוד, עם הרבה מילים בתוכו. </p>'.repeat(20)}`,
    )
    expect(await data.ask('readability', { url })).toMatchObject({
      dir: 'rtl',
      lang: 'he',
      is_readable: true,
    })
  })

  test('goes on where a cut text ends', async () => {
    const url = 'http://example.com/story'
    const whole = String((await data.ask('readability', { url })).text)
    const first = await data.ask('readability', { url, max_tokens: 150, fields: 'text' })
    const { next: nextOffset } = first.meta as { next: number }
    const rest = await data.ask('readability', { url, after: nextOffset, fields: 'text' })
    expect(nextOffset).toBeGreaterThan(100)
    expect(`${first.text}${rest.text}`).toBe(whole)
  })

  test('gives the same article on a machine that is busy with other work', async () => {
    const quiet = await data.ask('readability', { url: 'http://example.com/story' })
    const spinners = [1, 2, 3, 4, 5, 6].map(() => new Worker('for (;;);', { eval: true }))
    try {
      const body = `<title>Busy</title><nav><a href="/">Log in</a></nav><article>${filler.repeat(40)}</article>`
      const [story, long] = await Promise.all([
        data.ask('readability', { url: 'http://example.com/story', markdown: true }),
        data.ask('readability', { url: serve(body) }),
      ])
      expect(story).toMatchObject({ text: quiet.text, is_readable: true })
      expect(long).toMatchObject({ is_readable: true, text: expect.not.stringContaining('Log in') })
    } finally {
      await Promise.all(spinners.map(spinner => spinner.terminate()))
    }
  })

  test('refuses what is no page and names it', async () => {
    const error = await refused(
      data.ask('readability', { url: serve('plain', { 'content-type': 'text/plain' }) }),
    )
    expect(error.code).toBe('unsupported_media')
    expect(error.message).toContain('text/plain')
    expect(error.toProblem().retryable).toBe(false)
  })
})

describe('the Markdown of an article', () => {
  test.each([
    ['nested lists', '<ul><li>a<ol><li>b<li>c</ol><li>d</ul>', '- a\n  1. b\n  2. c\n- d'],
    ['lists of paragraphs', '<ol start=7><li><p>a</p><p>b</p></li></ol>', '7. a\n\n   b'],
    [
      'code with its language',
      '<pre><code class="language-js">let a\n  b</code></pre>',
      '```js\nlet a\n  b\n```',
    ],
    ['code with fences in it', '<pre>```\nx</pre>', '````\n```\nx\n````'],
    ['backticks in code', '<p>x <code>a`b</code></p>', 'x ``a`b``'],
    ['quotes of several paragraphs', '<blockquote><p>a<p>b</blockquote>', '> a\n>\n> b'],
    ['line breaks', '<p>a<br>b</p>', 'a  \nb'],
    ['spaces at marks', '<p>a<b> b </b>c <i></i>d</p>', 'a **b** c d'],
    [
      'what only looks like a mark',
      '<p># no *no* [no] snake_case &lt;b&gt;</p>',
      '\\# no \\*no\\* \\[no\\] snake_case \\<b>',
    ],
    ['what only looks like a list', '<p>- no</p><p>3. no</p>', '\\- no\n\n3\\. no'],
    [
      'addresses with brackets',
      '<p>see <a href="/x_(y)">it</a> now</p>',
      'see [it](<http://example.com/x_(y)>) now',
    ],
    ['images without an address', '<p>a <img src="data:image/gif;base64,AA" alt=x> b</p>', 'a b'],
    ['rules', '<p>a</p><hr><p>b</p>', 'a\n\n---\n\nb'],
    [
      'cells with lines and bars',
      '<table><tr><th>a<th>b<tr><td>1<br>2<td>x|y</table>',
      '| a | b |\n| --- | --- |\n| 1<br>2 | x\\|y |',
    ],
  ])('has %s', async (_, html, expected) => expect(await markdownOf(html)).toBe(expected))
})
