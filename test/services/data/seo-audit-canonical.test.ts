import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { html } from '../../internet/site-audits.ts'
import type { Page } from '../../internet/web-server.ts'
import { startData } from './run.ts'

let data: Awaited<ReturnType<typeof startData>>
beforeAll(async () => {
  data = await startData()
})
afterAll(() => data.stop())

type Issue = { id: string; severity: string; message: string; fix: string }

const audit = async (url: string) => {
  const found = (await data.ask('seo-audit', { url })) as Record<string, unknown> & {
    score: number
    issues: Issue[]
    passed: string[]
  }
  return {
    found,
    ids: found.issues.map(({ id }) => id),
    issue: (id: string) => found.issues.find(one => one.id === id),
  }
}

const site = (host: string, path: string, page: Page) => data.internet.web.site(host, path, page)

describe('the canonical address', () => {
  const at = (path: string) => `http://canonical.example.net${path}`
  const page = (path: string, href: string, more = '') =>
    site('canonical.example.net', path, html(`<head><link rel=canonical href="${href}">${more}`))
  const canonical = async (path: string) => (await audit(at(path))).found.canonical

  beforeAll(() => {
    page('/end', at('/end'))
    site('canonical.example.net', '/bare', html('<p>x'))
    page('/', at('/'))
    site('canonical.example.net', '/moved', { status: 301, headers: { location: '/end' } })
    site('canonical.example.net', '/down', { status: 503 })
    page('/hidden', at('/hidden'), '<meta name=robots content=noindex>')
    page('/step', at('/end'))
  })

  test.each([
    ['/self', '/self', { self: true, ok: true, problems: [] }],
    ['/hash', '/hash#x', { self: true, ok: true, problems: [expect.stringContaining('fragment')] }],
    ['/other', '/end', { self: false, ok: true, problems: [] }],
    ['/deep', '/', { self: false, ok: true, problems: [expect.stringContaining('home page')] }],
    ['/to-bare', '/bare', { self: false, ok: true }],
    ['/chain', '/step', { self: false, ok: false, chain: [at('/step'), at('/end')] }],
    ['/redirect', '/moved', { self: false, ok: false, chain: [at('/moved'), at('/end')] }],
    ['/dead', '/nothing', { self: false, ok: false, problems: [expect.stringContaining('404')] }],
    ['/closed', '/hidden', { self: false, ok: false, problems: [expect.stringContaining('noindex')] }],
    ['/outage', '/down', { self: false, ok: null, problems: [] }],
  ])('at %s to %s', async (path, target, expected) => {
    page(path, at(target))
    expect(await canonical(path)).toMatchObject({ href: at(target), ...expected })
  })

  test('that nobody can read is a warning and no issue', async () => {
    page('/unsure', at('/down'))
    const { found, ids } = await audit(at('/unsure'))
    expect(ids).not.toContain('canonical')
    expect(found.meta).toMatchObject({ warnings: [{ code: 'canonical_unknown' }] })
  })

  test('may be relative, with a doubt, and resolves against the base', async () => {
    page('/dir/relative', 'relative', '<base href="/dir/">')
    expect(await canonical('/dir/relative')).toMatchObject({
      href: at('/dir/relative'),
      self: true,
      ok: true,
      problems: [expect.stringContaining('in full')],
    })
  })

  test('in the body is left out', async () => {
    site('canonical.example.net', '/body', html(`<p>x<link rel=canonical href="${at('/end')}">`))
    expect(await canonical('/body')).toMatchObject({ href: null, self: null, ok: false })
  })

  test('in a head that an image in noscript ends is taken all the same', async () => {
    const link = `<link rel=canonical href="${at('/pixel')}">`
    site(
      'canonical.example.net',
      '/pixel',
      html(`<head><noscript><img src="/pixel.gif"></noscript>${link}</head>`),
    )
    expect(await canonical('/pixel')).toMatchObject({ self: true, ok: true, problems: [] })
    site('canonical.example.net', '/pixel', html(`<head><img src="/pixel.gif">${link}</head>`))
    expect(await canonical('/pixel?2')).toMatchObject({ href: null, ok: false })
  })

  test('must not contradict another, also one in the header', async () => {
    site(
      'canonical.example.net',
      '/two',
      html(`<link rel=canonical href="${at('/two')}">`, { link: `<${at('/end')}>; rel="canonical"` }),
    )
    expect(await canonical('/two')).toMatchObject({
      ok: false,
      problems: [expect.stringContaining('contradict')],
    })
    site('canonical.example.net', '/header', html('<p>x', { link: '</header>; rel="canonical"' }))
    expect(await canonical('/header')).toMatchObject({ href: at('/header'), self: true, ok: true })
  })

  test('that is no public web address is wrong', async () => {
    page('/private', 'http://10.0.0.1/')
    expect(await canonical('/private')).toMatchObject({ ok: false })
    page('/none', 'javascript:x')
    expect(await canonical('/none')).toMatchObject({ href: null, ok: false })
  })
})
