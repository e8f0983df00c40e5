import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Fetch } from '../../mcp/ports/fetch/port.ts'
import { type Internet, startInternet } from '../internet/internet.ts'

let internet: Internet
let fetch: Fetch
const megabyte = 1024 * 1024

beforeAll(async () => {
  internet = await startInternet()
  fetch = internet.ports({ timeouts: { connectMs: 500, headersMs: 300, idleMs: 300 } }).fetch
})
afterAll(() => internet.stop())

const trap = (path: string, options?: Parameters<Fetch>[1]) =>
  fetch(`http://traps.example.com/${path}`, options)

describe('bodies that never end or grow', () => {
  test.each(['endless', 'gzip-bomb', 'gzip-gzip-bomb', 'brotli-bomb'])('%s stops at 5 MiB', async path => {
    const { body, truncated } = await trap(path)
    expect([body.length, truncated]).toEqual([5 * megabyte, true])
  })

  test('a bomb stops at the caller’s own limit', async () => {
    const { body, truncated } = await trap('gzip-gzip-bomb', { maxBytes: 1000 })
    expect([body.length, truncated]).toEqual([1000, true])
  })

  test('gzip that decodes to nothing stops at 5 MiB from the network', async () => {
    expect(await trap('hollow-gzip')).toMatchObject({ body: Buffer.alloc(0), truncated: true })
  })

  test('a bomb does not fill the memory', async () => {
    await trap('gzip-bomb')
    const before = process.memoryUsage()
    await Promise.all(Array.from({ length: 4 }, () => trap('gzip-bomb')))
    const after = process.memoryUsage()
    const growth = after.heapUsed + after.external - before.heapUsed - before.external
    expect(growth).toBeLessThan(80 * megabyte)
  })
})

describe('bodies that are not what they say', () => {
  test.each([
    ['stacked', 'sent a body with more than two content encodings'],
    ['zstd', 'sent a body in a content encoding that was not asked for'],
    ['fake-gzip', 'sent a body that is not in the content encoding it names'],
  ])('%s is refused', async (path, sentence) => {
    await expect(trap(path)).rejects.toMatchObject({
      code: 'upstream',
      message: `traps.example.com ${sentence}.`,
      extra: { retryable: false },
    })
  })

  test.each(['truncated-gzip', 'cut-gzip', 'cut'])('%s gives what there is, flagged', async path => {
    const { text, truncated } = await trap(path)
    expect(truncated).toBe(true)
    expect(text().text).toMatch(/^<p>(half of|only) this/)
  })
})

describe('servers that are slow', () => {
  test.each([
    ['silent', 'took too long to answer'],
    ['stall', 'stopped sending in the middle of the answer'],
  ])('%s fails in time', async (path, sentence) => {
    await expect(trap(path)).rejects.toMatchObject({
      code: 'upstream',
      message: `traps.example.com ${sentence}.`,
      extra: { retryable: true },
    })
  })

  test('a drip of bytes ends with the deadline of the call', async () => {
    await expect(trap('drip', { deadlineMs: 300 })).rejects.toMatchObject({
      code: 'upstream',
      message: 'traps.example.com did not answer in full within 0.3 seconds.',
      extra: { retryable: true },
    })
  })

  test('the deadline covers the redirects too', async () => {
    for (let i = 0; i < 10; i++) {
      internet.web.site('slow.example.com', `/${i}`, (_request, response) => {
        setTimeout(() => response.writeHead(302, { location: `/${i + 1}` }).end(), 100)
      })
    }
    const failure = fetch('http://slow.example.com/0', { deadlineMs: 350, maxRedirects: 10 })
    await expect(failure).rejects.toThrow('within 0.35 seconds')
  })

  test('a silent DNS server is named as such', async () => {
    await expect(fetch('http://silent.example.org/')).rejects.toMatchObject({
      code: 'upstream',
      message: expect.stringContaining('The DNS does not say where silent.example.org is'),
      extra: { retryable: true },
    })
  })
})

describe('servers that speak no proper HTTP', () => {
  test.each(['wide-header', 'many-headers'])('%s is more than 32 KB of headers', async path => {
    await expect(trap(path)).rejects.toMatchObject({
      code: 'upstream',
      message: 'traps.example.com sent more than 32 KB of headers.',
      extra: { retryable: false },
    })
  })

  test.each(['no-http', 'bad-chunks', 'two-lengths'])('%s', async path => {
    await expect(trap(path)).rejects.toMatchObject({
      code: 'upstream',
      message: 'traps.example.com sent an answer that is not valid HTTP.',
    })
  })

  test('a connection that closes at once', async () => {
    await expect(trap('cut-at-once')).rejects.toMatchObject({
      code: 'upstream',
      message: 'traps.example.com broke off the connection.',
      extra: { retryable: true },
    })
  })

  test('a port where nobody listens', async () => {
    internet.dns.zone.set('down.example.com', { A: ['93.184.216.99'] })
    await expect(fetch('http://down.example.com/')).rejects.toMatchObject({
      code: 'upstream',
      message: 'down.example.com refused the connection.',
      extra: { retryable: true },
    })
  })
})

describe('certificates', () => {
  test.each([
    ['expired.example.com', 'has a TLS certificate that has expired'],
    ['self-signed.example.com', 'has a self-signed TLS certificate'],
    ['wrong.example.net', 'has a TLS certificate for another host name'],
    ['http2.example.com', 'speaks no HTTP/1.1 over TLS'],
  ])('%s is refused', async (host, sentence) => {
    await expect(fetch(`https://${host}/`)).rejects.toMatchObject({
      code: 'upstream',
      message: `${host} ${sentence}.`,
      extra: { retryable: false },
    })
  })

  test('of an authority that nobody trusts is refused', async () => {
    const distrustful = internet.ports({ ca: [] }).fetch
    await expect(distrustful('https://example.com/')).rejects.toMatchObject({
      code: 'upstream',
      message: expect.stringMatching(
        /^example\.com (has a TLS certificate from an authority|sent an incomplete chain)/,
      ),
    })
  })

  test('a redirect from http does not make a bad one good', async () => {
    internet.web.site('example.com', '/to-expired', {
      status: 301,
      headers: { location: 'https://expired.example.com/' },
    })
    await expect(fetch('http://example.com/to-expired')).rejects.toThrow(
      'expired.example.com has a TLS certificate',
    )
  })
})

test('the process survives bodies that nobody reads', async () => {
  const uncaught: unknown[] = []
  const note = (error: unknown) => uncaught.push(error)
  process.on('uncaughtException', note)
  await Promise.allSettled([
    trap('endless', { types: /json/ }),
    trap('stacked'),
    trap('endless', { maxBytes: 0 }),
    trap('endless', { deadlineMs: 100, maxBytes: 5 * megabyte }),
  ])
  await new Promise(resolve => setTimeout(resolve, 50))
  process.off('uncaughtException', note)
  expect(uncaught).toEqual([])
})

describe('the caller’s signal', () => {
  test('ends a call under way', async () => {
    await expect(trap('silent', { signal: AbortSignal.timeout(50) })).rejects.toMatchObject({
      code: 'timeout',
    })
  })

  test('ends a body under way', async () => {
    await expect(trap('drip', { signal: AbortSignal.timeout(100) })).rejects.toMatchObject({
      code: 'timeout',
    })
  })

  test('that is over already asks nobody', async () => {
    const before = internet.web.visits.length
    await expect(trap('', { signal: AbortSignal.abort() })).rejects.toMatchObject({ code: 'timeout' })
    expect(internet.web.visits).toHaveLength(before)
  })
})
