import { describe, expect, test } from 'vitest'
import type { ToolError } from '../../../mcp/kernel/error.ts'
import { opened } from '../../opened.ts'
import { startData } from './run.ts'

const data = opened(startData)

let pages = 0
const serve = (body: string) => {
  const host = `shared-${++pages}.example.net`
  data.internet.web.site(host, '/', { headers: { 'content-type': 'text/html; charset=utf-8' }, body })
  return `http://${host}/`
}

/** Lists in lists, over lines: the search for an article takes all the time it is given. */
const stuck = `<title>Stuck</title>${'<ul><li>'.repeat(250)}${'z <br>'.repeat(20_000)}`

const article = `<title>Small</title><article><h1>Small</h1>${'<p>A paragraph of some words, and more of them, so that it counts.</p>'.repeat(12)}</article>`

/** As heavy as the stuck page, so that it waits for the client's place, and quickly read. */
const heavy = `<title>Long</title><article><h1>Long</h1>${'<p>A paragraph of some words, and more of them, so that it counts.</p>'.repeat(1500)}</article>`

describe('threads that many callers share', () => {
  test('a client that floods them is told to wait, and nobody else waits for it', async () => {
    const order: string[] = []
    const note = (name: string) => (asked: Promise<unknown>) =>
      asked.then(
        () => order.push(name),
        (error: ToolError) => order.push(`${name} ${error.code} ${error.headers['Retry-After']}`),
      )
    const flood = Array.from({ length: 60 }, () =>
      note('flood')(data.ask('readability', { url: serve(stuck) }, { client: 'flooder' })),
    )
    const others = Array.from({ length: 10 }, (_, n) =>
      note('small')(
        n % 2
          ? data.ask('readability', { url: serve(article) })
          : data.ask('text-entities', { text: `Write to ada${n}@example.com. `.repeat(1300) }),
      ),
    )
    await Promise.all(others)
    // Each of the flooder's pages costs 1.7 s of processor time; the ten others together cost less than two of them.
    const before = order.lastIndexOf('small')
    expect(order.slice(0, before).filter(name => name === 'flood').length).toBeLessThanOrEqual(2)
    expect(order.filter(name => name === 'small')).toHaveLength(10)
    await Promise.all(flood)
    expect(order.filter(name => name === 'flood too_many_requests 2')).toHaveLength(55)
    // What takes too much is given up; a machine that is busy elsewhere may end them late.
    expect(order.filter(name => /^flood (?:upstream|timeout)/.test(name))).toHaveLength(5)
  })

  test('a client that leaves gives up its place in the queue, unless others wait for the same', async () => {
    const leaving = new AbortController()
    const url = serve(stuck)
    const [first, second] = [serve(heavy), serve(heavy)]
    const code = (asked: Promise<unknown>) =>
      asked.then(
        () => 'ok',
        (error: ToolError) => error.code,
      )
    const holds = code(data.ask('readability', { url }, { client: 'holder' }))
    const gone = { client: 'holder', signal: leaving.signal }
    const alone = code(data.ask('readability', { url: first }, gone))
    const shared = code(data.ask('readability', { url: second }, gone))
    const stays = code(data.ask('readability', { url: second }))
    await new Promise(resolve => setTimeout(resolve, 50))
    leaving.abort()
    expect([await alone, await shared]).toEqual(['timeout', 'timeout'])
    expect(await stays).toBe('ok')
    expect(await code(data.ask('readability', { url: first }))).toBe('ok')
    expect(await holds).toBe('upstream')
  })
})
