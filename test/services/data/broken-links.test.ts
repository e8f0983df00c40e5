import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { html, openHosts, status } from '../../internet/site-audits.ts'
import type { Page } from '../../internet/web-server.ts'
import { startData } from './run.ts'

let data: Awaited<ReturnType<typeof startData>>
beforeAll(async () => {
  data = await startData()
})
afterAll(() => data.stop())

type Entry = { url: string; status: number | null; reason: string; [field: string]: unknown }

const check = async (url: string, more: object = {}) => {
  const found = await data.ask('broken-links', { url, ...more })
  const list = (name: string) => ([] as Entry[]).concat((found as Record<string, Entry[]>)[name] ?? [])
  return { found, list, reasons: (name: string) => list(name).map(({ reason }) => reason) }
}

const { serve: serveAt, serveAll } = openHosts(() => data.internet.web, 'links')

/** A page with some markup, on a host that no other test asks, and further routes of that host. */
const serve = (markup: string, routes: Record<string, Page> = {}) => serveAt(html(markup), routes)

const link = (href: string, text = 'here') => `<a href="${href}">${text}</a>`

const methodsAt = (url: string) => {
  const { hostname, pathname } = new URL(url)
  return data.internet.web.visits
    .filter(({ host, path }) => host === hostname && path === pathname)
    .map(({ method }) => method)
}

describe('broken-links', () => {
  test('tells broken links from good ones, with status, text and place', async () => {
    const url = serve(
      `${link('/good', 'Good')}${link('../gone', ' Gone <b>page</b> ')}<img src=/missing.png alt="A picture">`,
      { '/good': html('fine'), '/gone': status(410) },
    )
    const { found, list } = await check(url)
    const { origin } = new URL(url)
    expect(found).toMatchObject({
      url,
      status: 200,
      total: 3,
      checked: 3,
      ok: 1,
      brokenCount: 2,
      notChecked: 0,
      truncated: false,
      meta: { warnings: [] },
    })
    expect(list('broken')).toMatchObject([
      { url: `${origin}/gone`, status: 410, reason: 'gone', text: 'Gone page', foundIn: 'a', kind: 'page' },
      { url: `${origin}/missing.png`, status: 404, text: 'A picture', foundIn: 'img', kind: 'image' },
    ])
  })

  test.each([400, 403, 404, 405, 406, 500, 501, 503])('asks with GET where HEAD gets %i', async code => {
    const site = serveAll((request, response) => {
      response.writeHead(request.method === 'HEAD' ? code : 200)
      response.end()
    })
    const { found } = await check(serve(link(`${site}/x`)))
    expect(found).toMatchObject({ ok: 1, brokenCount: 0, blockedCount: 0 })
    expect(methodsAt(`${site}/x`)).toEqual(['HEAD', 'GET'])
  })

  test('asks with GET where HEAD breaks the connection or redirects in a circle', async () => {
    const breaks = serveAll((request, response) => {
      if (request.method === 'HEAD') return void request.socket.destroy()
      response.end('fine')
    })
    const circles = serveAll((request, response) => {
      response.writeHead(request.method === 'HEAD' ? 302 : 200, { location: '/x' })
      response.end()
    })
    const { found } = await check(serve(link(`${breaks}/x`) + link(`${circles}/x`)))
    expect(found).toMatchObject({ ok: 2, brokenCount: 0, unknownCount: 0 })
  })

  test('asks once, with HEAD, where that settles it', async () => {
    const site = serveAll(request => request.socket.destroy())
    const url = serve(link('/ok') + link('/login') + link('/gone'), {
      '/ok': html(''),
      '/login': status(401),
      '/gone': status(410),
    })
    await check(url)
    for (const path of ['/ok', '/login', '/gone'])
      expect(methodsAt(new URL(path, url).href)).toEqual(['HEAD'])
    expect(methodsAt(`${site}/x`)).toEqual([])
  })

  test.each([
    [401, 'login'],
    [402, 'payment'],
    [403, 'forbidden'],
    [407, 'login'],
    [451, 'legal'],
    [999, 'forbidden'],
  ])('counts %i as blocked, not as broken', async (code, reason) => {
    const { found, list } = await check(serve(link('/wall'), { '/wall': status(code) }))
    expect(found).toMatchObject({ brokenCount: 0, blockedCount: 1, ok: 0 })
    expect(list('blocked')).toMatchObject([{ status: code, reason }])
  })

  test.each([
    ['cf-mitigated', 'challenge', 403],
    ['cf-mitigated', 'challenge', 503],
    ['x-amzn-waf-action', 'challenge', 202],
  ])('counts a robot check (%s: %s, %i) as blocked', async (name, value, code) => {
    const { list } = await check(serve(link('/wall'), { '/wall': status(code, { [name]: value }) }))
    expect(list('blocked')).toMatchObject([{ status: code, reason: 'robot_check' }])
  })

  test.each([500, 502, 504, 521])('counts %i as broken when it stays', async code => {
    const { list } = await check(serve(link('/down'), { '/down': status(code) }))
    expect(list('broken')).toMatchObject([{ status: code, reason: 'server_error' }])
  })

  test('does not ask a host again that wants a long pause, and calls nothing broken', async () => {
    const site = serveAll(status(429, { 'retry-after': '120' }))
    const busy = serveAll(status(503, { 'retry-after': 'Fri, 31 Dec 2100 23:59:59 GMT' }))
    const links = [1, 2, 3, 4, 5, 6].map(n => link(`${site}/${n}`)).join('')
    const { found, list, reasons } = await check(serve(links + link(`${busy}/x`)))
    expect(found).toMatchObject({ brokenCount: 0, blockedCount: 6, unknownCount: 1 })
    expect(new Set(reasons('blocked'))).toEqual(new Set(['rate_limit', 'host_limits']))
    expect(list('unknown')).toMatchObject([{ status: 503, reason: 'maintenance' }])
    const asked = data.internet.web.visits.filter(({ host }) => host === new URL(site).hostname)
    expect(asked.length).toBeLessThanOrEqual(2)
  })

  test('waits as long as a host says and asks again', async () => {
    let asked = 0
    const site = serveAll((_request, response) => {
      response.writeHead(++asked === 1 ? 429 : 200, { 'retry-after': '1' })
      response.end()
    })
    const { found } = await check(serve(link(`${site}/x`)))
    expect(found).toMatchObject({ ok: 1, blockedCount: 0 })
    expect(methodsAt(`${site}/x`)).toEqual(['HEAD', 'GET'])
  })

  test('gives up on a host that goes on saying 429', async () => {
    const site = serveAll(status(429))
    const { found, reasons } = await check(serve([1, 2, 3, 4, 5].map(n => link(`${site}/${n}`)).join('')))
    expect(found).toMatchObject({ brokenCount: 0, blockedCount: 5 })
    expect(reasons('blocked')).toContain('rate_limit')
    const asked = data.internet.web.visits.filter(({ host }) => host === new URL(site).hostname)
    expect(asked.length).toBeLessThanOrEqual(6)
  })
})
