import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { Fetch } from '../../mcp/ports/fetch/port.ts'
import { openShare } from '../../mcp/ports/fetch/shared-work.ts'
import { type Internet, startInternet } from '../internet/internet.ts'

let internet: Internet
let fetch: Fetch
const releases: (() => void)[] = []
const url = 'http://shared.example.com/'

beforeAll(async () => {
  internet = await startInternet()
  fetch = internet.ports().fetch
  internet.web.site('shared.example.com', '*', (request, response) => {
    releases.push(() => response.end(`for ${request.headers.authorization ?? 'all'}`))
    request.on('close', () => disconnects.push(request.url ?? ''))
  })
})
afterAll(() => internet.stop())
beforeEach(() => {
  internet.web.visits.length = 0
  releases.length = 0
  disconnects.length = 0
})
const disconnects: string[] = []

const until = async (true_: () => boolean) => {
  for (let tries = 0; !true_() && tries < 400; tries++) await new Promise(resolve => setTimeout(resolve, 5))
  expect(true_()).toBe(true)
}
const release = () => {
  for (const end of releases.splice(0)) end()
}
const waitForRequests = (requests: number) => until(() => releases.length === requests)

describe('callers that ask for the same at the same time', () => {
  test('share one request and get an answer each', async () => {
    const fetches = Array.from({ length: 20 }, () => fetch(url))
    await waitForRequests(1)
    release()
    const pages = await Promise.all(fetches)
    expect(internet.web.visits).toHaveLength(1)
    expect(pages.map(page => page.text().text)).toEqual(Array(20).fill('for all'))
    pages[0]?.hops.pop()
    expect(pages[1]?.hops).toHaveLength(1)
  })

  test('share a failure too, and nobody gets it later', async () => {
    internet.web.site('shared.example.com', '/broken', request => request.socket.destroy())
    const fetches = [fetch(`${url}broken`), fetch(`${url}broken`)]
    for (const failure of fetches) await expect(failure).rejects.toMatchObject({ code: 'upstream' })
    expect(internet.web.visits).toHaveLength(1)
    internet.web.site('shared.example.com', '/broken', { body: 'mended' })
    expect((await fetch(`${url}broken`)).text().text).toBe('mended')
  })

  test('leave alone: who stops does not stop the others', async () => {
    const stop = new AbortController()
    const [leaving, staying] = [fetch(url, { signal: stop.signal }), fetch(url)]
    await waitForRequests(1)
    stop.abort()
    await expect(leaving).rejects.toMatchObject({ code: 'timeout' })
    const late = fetch(url, { deadlineMs: 30 })
    await expect(late).rejects.toThrow('within 0.03 seconds')
    release()
    expect((await staying).text().text).toBe('for all')
    expect(internet.web.visits).toHaveLength(1)
  })

  test('end the request when the last one leaves', async () => {
    const stop = new AbortController()
    const fetches = [1, 2].map(() => fetch(url, { signal: stop.signal }))
    await waitForRequests(1)
    stop.abort()
    for (const failure of fetches) await expect(failure).rejects.toMatchObject({ code: 'timeout' })
    await until(() => disconnects.length === 1)
    const again = fetch(url)
    await waitForRequests(2)
    release()
    expect((await again).status).toBe(200)
  })
})

describe('a request of one’s own is made by who', () => {
  test.each([
    ['sends credentials', { headers: { authorization: 'Bearer mine' } }],
    ['sends an unknown header', { headers: { 'x-whatever': 'x' } }],
    ['wants it fresh', { fresh: true }],
    ['asks with another method', { method: 'HEAD' as const }],
    ['accepts something else', { accept: 'text/html' }],
    ['reads less', { maxBytes: 3 }],
    ['follows no redirects', { maxRedirects: 0 }],
    ['takes one media type only', { types: /^$|./ }],
  ])('%s', async (_what, options) => {
    const fetches = [fetch(url), fetch(url, options)]
    await waitForRequests(2)
    release()
    await Promise.all(fetches)
    expect(internet.web.visits).toHaveLength(2)
  })
})

test('work that takes long takes nobody new', async () => {
  const share = openShare<number>(0)
  let runs = 0
  const work = async () => ++runs
  const { signal } = new AbortController()
  const first = share('key', signal, work)
  await new Promise(resolve => setTimeout(resolve, 2))
  expect(await Promise.all([first, share('key', signal, work)])).toEqual([1, 2])
})
