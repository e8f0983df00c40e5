import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { readSessionToken, setSessionCookie } from '../../web/accounts/browser-session.ts'
import { readReturn } from '../../web/accounts/return-path.ts'
import { openShell } from '../../web/shell.ts'
import { newSigner, openBrowserless, openPages, type Pages, signInWith } from './pages.ts'

let pages: Pages
beforeAll(async () => {
  pages = await openPages()
})
beforeEach(() => pages.nextMinute())
afterAll(() => pages?.stop())

describe('the way back', () => {
  test.each([
    '/auth/account',
    '/auth/interaction/abc_DEF-1',
    '/auth/pay/x?y=1&z=2',
    '/cat/tools/feed',
    '/auth/account?return=//x',
  ])('leads to %s', path => expect(readReturn(path)).toBe(path))

  test.each([
    undefined,
    null,
    1,
    ['/auth/interaction/x'],
    '',
    '/',
    '/cat/mcp',
    '/cat/tools/../../auth/sign-out',
    '/cat/toolshed',
    'auth/account',
    '//evil.example',
    '//evil.example/auth/x',
    '/\\evil.example',
    '/auth/\\evil.example',
    '/auth//evil.example',
    '/auth/../..//evil.example',
    '/auth/../cat/feed',
    '/auth/%2e%2e/cat',
    '/auth/.%2e//evil.example',
    'https://evil.example/auth/x',
    'javascript:alert(1)//auth/',
    '/auth/x\r\nSet-Cookie: a=b',
    '/auth/x\ty',
    ' /auth/x',
    '/auth/é',
    '/auth/sign-in',
    '/auth/sign-in?return=/auth/account',
    '/auth/sign-out',
    '/auth/./sign-in',
    `/auth/${'x'.repeat(2000)}`,
  ])('is the account where %j was asked for', asked => expect(readReturn(asked)).toBe('/auth/account'))

  test('is checked where it is used as well', async () => {
    const signer = newSigner()
    for (const [asked, location] of [
      ['//evil.example', '/auth/account'],
      ['/auth/interaction/1', '/auth/interaction/1'],
    ]) {
      const browser = openBrowserless(pages)
      const body = { purpose: 'sign-in', address: signer.address, chain_id: 1 }
      const { id, message } = (await browser.ask('/auth/wallet/start', { body })).json()
      const signature = await signer.signMessage({ message })
      const done = await browser.ask('/auth/wallet/finish', { body: { id, signature, return: asked } })
      expect(done.json()).toEqual({ location })
    }
    const { text } = await openBrowserless(pages).ask('/auth/sign-in?return=https://evil.example/"><b>')
    expect(text).not.toContain('evil')
    expect(text).toContain('data-back="/auth/account"')
  })
})

describe('another site', () => {
  test.each([
    ['another origin', { origin: 'https://evil.example' }],
    ['no origin', { origin: 'null' }],
    ['the same host by http on another port', { origin: 'http://localhost:1' }],
    ['a page of another site, whatever it says', { 'sec-fetch-site': 'cross-site' }],
    ['a page of the same domain', { 'sec-fetch-site': 'same-site' }],
  ])('cannot post from %s', async (_, headers) => {
    const browser = openBrowserless(pages)
    await signInWith(browser, newSigner())
    for (const path of [
      '/auth/account/name',
      '/auth/account/keys/remove',
      '/auth/account/sessions/end',
      '/auth/account/delete',
      '/auth/sign-out',
      '/auth/wallet/message',
    ]) {
      const { status } = await browser.ask(path, { form: { name: 'taken' }, headers })
      expect([path, status]).toEqual([path, 403])
    }
    for (const path of ['/auth/passkey/start', '/auth/wallet/start', '/auth/passkey/finish'])
      expect((await browser.ask(path, { body: {}, headers })).status).toBe(403)
    expect((await browser.ask('/auth/account')).text).not.toContain('taken')
  })

  test('cannot post without an Origin, nor by another method', async () => {
    const browser = openBrowserless(pages)
    await signInWith(browser, newSigner())
    const { origin } = pages
    const cookie = [...browser.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const bare = await fetch(`${origin}/auth/sign-out`, { method: 'POST', headers: { cookie } })
    expect(bare.status).toBe(403)
    for (const method of ['PUT', 'DELETE', 'OPTIONS', 'PATCH'])
      expect((await fetch(`${origin}/auth/account`, { method, headers: { cookie } })).status).toBe(403)
    expect((await browser.ask('/auth/account')).status).toBe(200)
  })

  test('cannot frame a page, nor read one', async () => {
    const browser = openBrowserless(pages)
    await signInWith(browser, newSigner())
    for (const path of ['/auth/sign-in', '/auth/account', '/auth/account/delete']) {
      const { headers } = await browser.ask(path)
      expect(headers.get('content-security-policy')).toContain("frame-ancestors 'none'")
      expect(headers.get('cross-origin-resource-policy')).toBe('same-origin')
      expect(headers.get('cross-origin-opener-policy')).toBe('same-origin')
      expect(headers.get('cache-control')).toBe('no-store')
      expect(headers.get('referrer-policy')).toBe('same-origin')
      expect(headers.get('access-control-allow-credentials')).toBeNull()
    }
  })
})

describe('bodies', () => {
  test('that are too large, broken or of another kind are refused in words', async () => {
    const browser = openBrowserless(pages)
    await signInWith(browser, newSigner())
    const large = await browser.ask('/auth/passkey/start', {
      body: { purpose: 'sign-in', name: 'x'.repeat(70_000) },
    })
    expect([large.status, large.json().detail]).toEqual([413, 'This is more than a form of ours holds.'])
    const form = await browser.ask('/auth/account/name', { form: { name: 'x'.repeat(20_000) } })
    expect([form.status, form.text]).toEqual([413, expect.stringContaining('more than a form of ours holds')])
    const headers = { origin: pages.origin, 'content-type': 'application/json' }
    const post = (body: string, more = {}) =>
      fetch(`${pages.origin}/auth/passkey/start`, { method: 'POST', body, headers: { ...headers, ...more } })
    expect((await post('{"purpose":')).status).toBe(400)
    expect((await post('{}', { 'content-encoding': 'compress' })).status).toBe(415)
    expect((await post('{}', { 'content-type': 'application/json; charset=latin1' })).status).toBe(415)
    expect((await post('purpose=sign-in', { 'content-type': 'text/plain' })).status).toBe(422)
    expect((await post('{"purpose":"sign-in","__proto__":{"name":"x"}}')).status).toBe(200)
    const many = Object.fromEntries(Array.from({ length: 1500 }, (_, n) => [`f${n}`, '']))
    expect((await browser.ask('/auth/account/name', { form: many })).status).toBe(413)
    const twice = await fetch(`${pages.origin}/auth/account/name`, {
      method: 'POST',
      headers: {
        origin: pages.origin,
        'content-type': 'application/x-www-form-urlencoded',
        cookie: `octagent_session=${browser.cookies.get('octagent_session')}`,
      },
      body: 'name=a&name=b',
    })
    expect(twice.status).toBe(422)
    expect(pages.faults).toEqual([])
  })
})

describe('cookies', () => {
  const origin = (address: string) => ({ origin: () => address })
  const answered = (address: string) => {
    const lines: string[] = []
    const res = { appendHeader: (_: string, line: string) => lines.push(line) }
    setSessionCookie(origin(address), res as never, 'x'.repeat(43))
    return lines
  }

  test('are of this host alone and go over https only, where there is https', () => {
    expect(answered('https://agents.example.org')).toEqual([
      `__Host-octagent_session=${'x'.repeat(43)}; Path=/; HttpOnly; SameSite=Lax; Max-Age=86400; Secure`,
    ])
    expect(answered('http://localhost:8402')).toEqual([
      `octagent_session=${'x'.repeat(43)}; Path=/; HttpOnly; SameSite=Lax; Max-Age=86400`,
    ])
  })

  test('that a neighbour of the same domain could plant count for nothing under https', () => {
    const token = 'y'.repeat(43)
    const read = (cookie: string) =>
      readSessionToken(origin('https://agents.example.org'), { headers: { cookie } }, 'octagent_session')
    expect(read(`octagent_session=${token}`)).toBeUndefined()
    expect(read(`a=b; __Host-octagent_session=${token}`)).toBe(token)
  })
})

test('an address leads to the name that passkeys are bound to', async () => {
  const { port } = new URL(pages.origin)
  const away = await fetch(`http://127.0.0.1:${port}/auth/sign-in?return=/auth/account`, {
    redirect: 'manual',
  })
  expect([away.status, away.headers.get('location')]).toEqual([
    307,
    `http://localhost:${port}/auth/sign-in?return=/auth/account`,
  ])
})

test('pages mounted below a path lead below it', async () => {
  const { default: express } = await import('express')
  const { openAccountPages } = await import('../../web/accounts/app.ts')
  const app = express()
  const server = app.listen(0, '127.0.0.1')
  await new Promise(resolve => server.once('listening', resolve))
  const { port } = server.address() as AddressInfo
  const origin = `http://localhost:${port}`
  const mounted = openAccountPages(
    { ...pages.deps, origin: () => origin, url: () => `${origin}/agents` },
    openShell(),
  )
  app.use('/agents', (req, res) => void mounted(req, res))
  const browser = openBrowserless({ origin, address: `${origin}/agents` })
  const asked = await browser.ask('/auth/account')
  expect(asked.location).toBe('/agents/auth/sign-in?return=%2Fauth%2Faccount')
  const page = await browser.ask('/auth/sign-in?return=%2Fauth%2Faccount')
  expect(page.text).toContain('data-base="/agents/auth" data-back="/auth/account"')
  const whole = await browser.ask('/auth/sign-in?return=/agents/auth/interaction/1')
  expect(whole.text).toContain('data-back="/auth/interaction/1"')
  expect((await signInWith(browser, newSigner())).json()).toEqual({ location: '/agents/auth/account' })
  const { text } = await browser.ask('/auth/account')
  expect(text.match(/(action|href)="[^"]*"/g)?.every(link => /="(\/agents\/auth\/|data:)/.test(link))).toBe(
    true,
  )
  const away = await fetch(`http://127.0.0.1:${port}/agents/auth/sign-in`, { redirect: 'manual' })
  expect(away.headers.get('location')).toBe(`${origin}/agents/auth/sign-in`)
  server.closeAllConnections()
  await new Promise(resolve => server.close(resolve))
})

test.each([
  ['http://192.0.2.7:8402', false],
  ['https://192.0.2.7', false],
  ['http://agents.example.org', false],
  ['https://agents.example.org', true],
])('an installation at %s offers passkeys: %s', async (address, offered) => {
  const { hasPasskeys, startPasskey } = await import('../../mcp/accounts/passkey.ts')
  const deps = { ...pages.deps, origin: () => address }
  expect(hasPasskeys(deps)).toBe(offered)
  const start = startPasskey(deps, { purpose: 'sign-in', browser: 'x' })
  if (offered) expect(await start).toMatchObject({ options: { rpId: 'agents.example.org' } })
  else await expect(start).rejects.toMatchObject({ code: 'unavailable' })
})
