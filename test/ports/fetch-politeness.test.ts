import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { openPace } from '../../mcp/ports/fetch/pace.ts'
import type { Fetch } from '../../mcp/ports/fetch/port.ts'
import { type Internet, startInternet } from '../internet/internet.ts'

let internet: Internet
let fetch: Fetch
const start = Date.UTC(2026, 0, 1)
let now = start
const host = 'busy.example.com'

beforeAll(async () => {
  internet = await startInternet()
})
afterAll(() => internet.stop())
beforeEach(() => {
  now = start
  fetch = internet.ports({ now: () => now }).fetch
  internet.web.visits.length = 0
})

const busy = (status: number, retryAfter?: string) =>
  internet.web.site(host, '*', {
    status,
    headers: retryAfter === undefined ? {} : { 'retry-after': retryAfter },
    body: 'later',
  })

describe('a host that asks for a pause', () => {
  test.each([
    [429, '7', 7],
    [503, '30', 30],
    [429, '86400', 60],
    [429, '99999999999999', 0],
    [503, new Date(start + 20_000).toUTCString(), 20],
  ])('with %i and %s is left alone for it, a minute at most', async (status, retryAfter, seconds) => {
    busy(status, retryAfter)
    expect((await fetch(`http://${host}/a`)).status).toBe(status)
    if (seconds === 0) return expect((await fetch(`http://${host}/b`)).status).toBe(status)
    for (const options of [{}, { fresh: true }, { method: 'HEAD' as const }])
      await expect(fetch(`http://${host}/b`, options)).rejects.toMatchObject({
        code: 'upstream',
        message: `${host} asked for a pause of ${seconds} more seconds.`,
        extra: { retryable: true, retryAfter: seconds },
      })
    expect(internet.web.visits).toHaveLength(1)
    expect((await fetch('http://example.org/')).status).toBe(200)
    now += seconds * 1000
    expect((await fetch(`http://${host}/b`)).status).toBe(status)
  })

  test.each([
    [429, undefined],
    [429, 'soon'],
    [429, '-5'],
    [503, '0'],
    [503, 'Thu, 01 Jan 1970 00:00:00 GMT'],
    [200, '30'],
    [404, '30'],
  ])('with %i and %s is not left alone', async (status, retryAfter) => {
    busy(status, retryAfter)
    await fetch(`http://${host}/a`)
    expect((await fetch(`http://${host}/b`)).status).toBe(status)
  })

  test('is left alone by those that were waiting for their turn', async () => {
    let answer: (() => void) | undefined
    internet.web.site(host, '*', (_request, response) => {
      answer = () => response.writeHead(429, { 'retry-after': '9' }).end()
    })
    const one = internet.ports({ maxSocketsPerOrigin: 1, now: () => now }).fetch
    const [first, second] = [one(`http://${host}/a`), one(`http://${host}/b`)]
    const rejection = expect(second).rejects.toMatchObject({ extra: { retryAfter: 9 } })
    while (!answer) await new Promise(resolve => setTimeout(resolve, 2))
    answer()
    expect((await first).status).toBe(429)
    await rejection
    expect(internet.web.visits).toHaveLength(1)
  })

  test('is left alone by redirects too', async () => {
    busy(429, '5')
    await fetch(`http://${host}/`)
    internet.web.site('example.com', '/to-busy', { status: 302, headers: { location: `http://${host}/x` } })
    await expect(fetch('http://example.com/to-busy')).rejects.toMatchObject({
      code: 'upstream',
      extra: { retryable: true, retryAfter: 5 },
    })
  })
})

describe('a gap between requests', () => {
  const { signal } = new AbortController()

  test('is kept for one origin and not between two', async () => {
    const pace = openPace()
    const order: string[] = []
    const turn = async (name: string, origin: string) => {
      await pace(origin, 20, signal)
      order.push(name)
    }
    const before = performance.now()
    await Promise.all([turn('a1', 'a'), turn('a2', 'a'), turn('a3', 'a'), turn('b1', 'b')])
    expect(order.indexOf('b1')).toBeLessThan(order.indexOf('a2'))
    expect(order.filter(name => name.startsWith('a'))).toEqual(['a1', 'a2', 'a3'])
    expect(performance.now() - before).toBeGreaterThan(38)
  })

  test('does not hold who stops', async () => {
    const pace = openPace()
    await pace('a', 60_000, signal)
    await expect(pace('a', 60_000, AbortSignal.timeout(10))).rejects.toMatchObject({ code: 'timeout' })
  })

  test('is what a call asks for, and counts to its deadline', async () => {
    await fetch('http://example.com/json', { gapMs: 2000 })
    await expect(fetch('http://example.com/json', { gapMs: 2000, deadlineMs: 50 })).rejects.toThrow(
      'within 0.05 seconds',
    )
    expect((await fetch('http://example.com/json')).status).toBe(200)
  })
})
