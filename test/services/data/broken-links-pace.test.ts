import { setImmediate } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { PageLink } from '../../../mcp/lib/page/links/page-links.ts'
import type { Ports } from '../../../mcp/ports/ports.ts'
import { checkAll, polite } from '../../../mcp/services/data/links/check-all.ts'
import { openRateLimiter } from '../../../mcp/services/data/links/rate-limiter.ts'
import { retryAfter } from '../../../mcp/services/data/links/retry.ts'
import { type Internet, startInternet } from '../../internet/internet.ts'

const linkTo = (url: string): PageLink => ({
  url,
  skip: null,
  text: null,
  foundIn: 'a',
  kind: 'page',
  count: 1,
  fragments: [],
})

const signal = new AbortController().signal
const quick = { total: 12, perHost: 2, gapMs: 1, freely: 4, signal }

describe('the pace', () => {
  test('lets two at once to a host and twelve in all', async () => {
    const pace = openRateLimiter({ ...quick, gapMs: 0 })
    let inside = 0
    let most = 0
    const atHost = new Map<string, number>()
    const visit = async (host: string) => {
      const leave = await pace.enter(host)
      most = Math.max(most, ++inside)
      const here = (atHost.get(host) ?? 0) + 1
      atHost.set(host, here)
      expect(here).toBeLessThanOrEqual(2)
      await setImmediate()
      atHost.set(host, (atHost.get(host) ?? 1) - 1)
      inside--
      leave?.()
    }
    await Promise.all(Array.from({ length: 100 }, (_, n) => visit(`host-${n % 10}`)))
    expect(most).toBe(12)
  })

  test('keeps requests to a host apart from the fourth on, others not', async () => {
    const pace = openRateLimiter({ ...quick, gapMs: 60_000 })
    for (let n = 0; n < 4; n++) (await pace.enter('busy'))?.()
    const fifth = pace.enter('busy')
    for (let n = 0; n < 3; n++) (await pace.enter('other'))?.()
    expect(await Promise.race([fifth.then(() => 'in'), setImmediate('waiting')])).toBe('waiting')
    pace.close('busy')
    expect(await fifth).toBeUndefined()
  })

  test('turns all away that wait when the time is up', async () => {
    const watch = new AbortController()
    const pace = openRateLimiter({ ...quick, perHost: 1, signal: watch.signal })
    const first = await pace.enter('host')
    const second = pace.enter('host')
    watch.abort()
    expect(await second).toBeUndefined()
    expect(await pace.enter('another')).toBeUndefined()
    first?.()
  })

  test('leaves a paused host alone', async () => {
    const pace = openRateLimiter(quick)
    pace.pause('host', 60_000)
    const waiting = pace.enter('host')
    expect(await Promise.race([waiting.then(() => 'in'), setImmediate('waiting')])).toBe('waiting')
    pace.close('host')
    expect(pace.isClosed('host')).toBe(true)
  })
})

test.each([
  ['120', 120_000],
  [' 0 ', 0],
  ['Thu, 01 Jan 2026 00:01:00 GMT', 60_000],
  ['Thu, 01 Jan 2025 00:00:00 GMT', 0],
  ['soon', undefined],
  ['-5', undefined],
  ['2027', 2_027_000],
  [undefined, undefined],
])('Retry-After %j is %j milliseconds', (header, ms) =>
  expect(retryAfter(header, { now: () => new Date('2026-01-01T00:00:00Z') })).toBe(ms),
)

describe('many checks', () => {
  let internet: Internet
  beforeAll(async () => {
    internet = await startInternet()
  })
  afterAll(() => internet.stop())

  const workers: Ports['workers'] = {
    run: () => Promise.reject(new Error('none')),
    warm: () => undefined,
    forCall: () => workers,
  }
  const run = (urls: string[], limits: Partial<typeof polite>) =>
    checkAll(
      {
        ...internet.ports(),
        clock: { now: () => new Date() },
        workers,
        signal,
      },
      urls.map(linkTo),
      { fragments: false, limits: { ...polite, ...limits } },
    )

  test('never ask a host more than twice at once', async () => {
    let inside = 0
    let most = 0
    internet.web.site('slow.example.net', '*', (_request, response) => {
      most = Math.max(most, ++inside)
      setTimeout(() => {
        inside--
        response.end()
      }, 5)
    })
    const urls = Array.from({ length: 30 }, (_, n) => `http://slow.example.net/${n}`)
    const outcomes = await run(urls, { gapMs: 0 })
    expect(outcomes.map(({ checked }) => checked.state)).toEqual(urls.map(() => 'ok'))
    expect(most).toBe(2)
  })

  test('end in time: what was not answered or not reached is late, not broken', async () => {
    internet.web.site('silent.example.net', '*', () => {})
    const urls = [1, 2, 3].map(n => `http://silent.example.net/${n}`)
    const outcomes = await run([...urls, 'http://example.org/'], { wholeMs: 1500 })
    expect(outcomes.map(({ checked }) => `${checked.state} ${checked.reason}`)).toEqual([
      'late no_answer',
      'late no_answer',
      'late not_reached',
      'ok null',
    ])
  })

  test('call nothing broken that only HEAD refused', async () => {
    internet.web.site('half.example.net', '*', (request, response) => {
      if (request.method === 'HEAD') response.writeHead(404).end()
    })
    const [one, two] = await run(['http://half.example.net/1', 'http://half.example.net/2'], {
      wholeMs: 1500,
      perHost: 1,
    })
    expect(one?.checked).toMatchObject({ state: 'late', status: null, reason: 'no_answer' })
    expect(two?.checked).toMatchObject({ state: 'late', status: 404, reason: 'not_confirmed' })
  })

  test('end at once when there is no time left', async () => {
    const [outcome] = await run(['http://example.org/'], { wholeMs: -5 })
    expect(outcome?.checked.state).toBe('late')
  })
})
