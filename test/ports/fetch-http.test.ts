import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { Fetch } from '../../mcp/ports/fetch/port.ts'
import { type Internet, startInternet } from '../internet/internet.ts'

let internet: Internet
let fetch: Fetch

beforeAll(async () => {
  internet = await startInternet()
})
afterAll(() => internet.stop())
beforeEach(() => {
  fetch = internet.ports({ timeouts: { connectMs: 500, headersMs: 300, idleMs: 300 } }).fetch
  internet.web.visits.length = 0
})

const trap = (path: string, options?: Parameters<Fetch>[1]) =>
  fetch(`http://traps.example.com/${path}`, options)

describe('an answer that is no HTTP/1.1', () => {
  test.each([
    'http2-in-clear',
    'http-0.9',
    'nul-in-header',
    'bare-cr',
    'space-in-name',
    'length-and-chunks',
    'negative-length',
    'huge-length',
    'huge-chunk',
    'location-cr',
  ])('%s is named as such', async path => {
    await expect(trap(path)).rejects.toMatchObject({
      code: 'upstream',
      message: 'traps.example.com sent an answer that is not valid HTTP.',
      extra: { retryable: false },
    })
  })

  test('a change of protocol that nobody asked for ends the connection', async () => {
    await expect(trap('switching')).rejects.toMatchObject({ code: 'upstream' })
  })
})

describe('a server that never comes to an end', () => {
  test.each(['endless-hints', 'endless-extension'])('%s ends with the deadline', async path => {
    await expect(trap(path, { deadlineMs: 400 })).rejects.toMatchObject({
      code: 'upstream',
      message: 'traps.example.com did not answer in full within 0.4 seconds.',
    })
  })

  test('a status line without end takes too long', async () => {
    await expect(trap('endless-status')).rejects.toThrow('took too long to answer')
  })

  test('trailers without end cut the page', async () => {
    const page = await trap('endless-trailers')
    expect([page.text().text, page.truncated]).toEqual(['page', true])
  })
})

describe('a server that says more than was asked', () => {
  test('cannot answer the next request before it is made', async () => {
    expect((await trap('two-answers')).text().text).toBe('page')
    for (let nth = 0; nth < 3; nth++) expect((await trap(`next?${nth}`)).text().text).toBe('next')
  })

  test.each(['status-999', 'early-hints'])('%s is read', async path => {
    expect((await trap(path)).text().text).toBe('page')
  })
})

describe('a location', () => {
  const landing = async (path: string) => ({ page: await trap(path), visit: internet.web.visits.at(-1) })

  test('with an encoded line break stays one line', async () => {
    const { page, visit } = await landing('location-crlf-encoded')
    expect(page.url).toBe('http://traps.example.com/next?a=%0d%0aset-cookie:%20b=1')
    expect(visit?.headers).not.toHaveProperty('set-cookie')
  })

  test('with a line break ends there, and sets nothing', async () => {
    const { page, visit } = await landing('location-crlf')
    expect([page.url, visit?.headers.cookie]).toEqual(['http://traps.example.com/next', undefined])
  })

  test('with a tab inside leads where browsers go', async () => {
    expect((await landing('location-tab')).page.url).toBe('http://traps.example.com/next')
  })

  test('that is given twice counts once, the first', async () => {
    expect((await landing('location-twice')).page.url).toBe('http://traps.example.com/next')
  })
})
