import { request } from 'node:http'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { disconnect, listConnections } from '../../mcp/accounts/oauth/connections.ts'
import { sweepOauth } from '../../mcp/accounts/oauth/sweep.ts'
import { openKeys } from '../../mcp/ports/keys/keys.ts'
import {
  allowed,
  askToken,
  authorizeUrl,
  bearer,
  callback,
  callMcp,
  clientDocument,
  clientId,
  openBrowser,
  redeem,
  refresh,
  type Signing,
  signIn,
  startSigning,
  visit,
} from './fixture.ts'

const pepper = 'p'.repeat(43)
const keys = openKeys(Buffer.from(pepper))
const never = () => new Promise<never>(() => undefined)

let signing: Signing
beforeAll(async () => {
  signing = await startSigning({
    environment: { OCTAGENT_PEPPER: pepper },
    documents: {
      ...clientDocument(),
      ...clientDocument('scoped', { scope: 'openid profile' }),
      ...clientDocument('secret', { token_endpoint_auth_method: 'client_secret_basic' }),
      ...clientDocument('large', { client_uri: `https://client.example/${'x'.repeat(6000)}` }),
      ...clientDocument('markup', { client_name: '<script>alert(1)</script>\u202e' }),
      ...clientDocument('policy', {
        redirect_uris: ["https://a.example;script-src-elem 'unsafe-inline'/cb"],
      }),
      ...clientDocument('web', { redirect_uris: ['https://app.example/callback'] }),
      'https://client.example/liar': { client_id: 'https://other.example/x', redirect_uris: [callback] },
      'https://client.example/moved': () => ({ status: 302, headers: { location: clientId } }),
      'https://client.example/slow': never,
      'https://client.example/text': 'not JSON',
    },
  })
})
afterAll(() => signing.stop())

const alive = async (token: string | undefined): Promise<boolean> =>
  (await callMcp(`${signing.url}/cat/mcp`, 'tools/list', {}, bearer(token))).status === 200

const codeFor = async (): Promise<string> => {
  const { cookie } = await signing.person()
  return (await visit(signing, cookie)).get('code') ?? ''
}

describe('a code', () => {
  test('is redeemed once, by whoever comes first of two at the same time', async () => {
    const code = await codeFor()
    const answers = await Promise.all([redeem(signing, code), redeem(signing, code)])
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 400])
    expect(await alive(answers.find(({ status }) => status === 200)?.access_token)).toBe(true)
  })

  test('takes what came of it along when it comes again later', async () => {
    const code = await codeFor()
    const { access_token, refresh_token } = await redeem(signing, code)
    signing.wait(11)
    expect(await redeem(signing, code)).toMatchObject({ status: 400, error: 'invalid_grant' })
    expect(await alive(access_token)).toBe(false)
    expect(await refresh(signing, refresh_token)).toMatchObject({ error: 'invalid_grant' })
  })

  test('needs its verifier, its redirect and its client', async () => {
    const code = await codeFor()
    expect(await redeem(signing, code, { code_verifier: 'x'.repeat(43) })).toMatchObject({ status: 400 })
    expect(await redeem(signing, code, { redirect_uri: 'http://127.0.0.1:1/callback' })).toMatchObject({
      status: 400,
    })
    expect(await redeem(signing, code, { client_id: 'https://client.example/web' })).toMatchObject({
      status: 400,
    })
    expect(await redeem(signing, code)).toMatchObject({ status: 200 })
  })

  test('is over after a minute', async () => {
    const code = await codeFor()
    signing.wait(61)
    expect(await redeem(signing, code)).toMatchObject({ status: 400, error: 'invalid_grant' })
  })
})

describe('a refresh token', () => {
  test('gives one family to three that come at the same time, and the winner lives on', async () => {
    const { cookie } = await signing.person()
    const { refresh_token } = await signIn(signing, cookie)
    const answers = await Promise.all([1, 2, 3].map(() => refresh(signing, refresh_token)))
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 400, 400])
    const winner = answers.find(({ status }) => status === 200)
    expect(await alive(winner?.access_token)).toBe(true)
    expect(await refresh(signing, winner?.refresh_token)).toMatchObject({ status: 200 })
  })

  test('that was used long ago ends the family: somebody else holds it', async () => {
    const { cookie } = await signing.person()
    const first = await signIn(signing, cookie)
    const second = await refresh(signing, first.refresh_token)
    expect(await alive(second.access_token)).toBe(true)
    signing.wait(11)
    expect(await refresh(signing, first.refresh_token)).toMatchObject({ error: 'invalid_grant' })
    expect(await alive(second.access_token)).toBe(false)
    expect(await refresh(signing, second.refresh_token)).toMatchObject({ error: 'invalid_grant' })
  })

  test('is another client’s for nobody', async () => {
    const { cookie } = await signing.person()
    const { refresh_token = '' } = await signIn(signing, cookie)
    const stolen = await askToken(signing, {
      grant_type: 'refresh_token',
      refresh_token,
      client_id: 'https://client.example/web',
    })
    expect(stolen).toMatchObject({ status: 400, error: 'invalid_grant' })
  })
})

describe('an access token', () => {
  test('is over after its time', async () => {
    const { cookie } = await signing.person()
    const { access_token } = await signIn(signing, cookie)
    expect(await alive(access_token)).toBe(true)
    signing.wait(901)
    expect(await alive(access_token)).toBe(false)
  })

  test('is over when its client takes it back, or its refresh token', async () => {
    const { cookie } = await signing.person()
    const { access_token, refresh_token = '' } = await signIn(signing, cookie)
    const answer = await fetch(`${signing.issuer}/revoke`, {
      method: 'POST',
      body: new URLSearchParams({ client_id: clientId, token: refresh_token }),
    })
    expect(answer.status).toBe(200)
    expect(await alive(access_token)).toBe(false)
  })

  test('is over when the person disconnects the client, also for a refresh under way', async () => {
    const { cookie, account } = await signing.person()
    const { access_token, refresh_token } = await signIn(signing, cookie)
    const deps = { store: signing.store, keys, clock: { now: () => new Date() } }
    const [connection] = await listConnections(deps, account)
    expect(connection).toMatchObject({
      client: { id: clientId, name: 'A command line' },
      limits: { per_call: '0.10' },
    })
    const other = await signing.person()
    expect(await disconnect(deps, other.account, connection?.grant ?? '')).toBe(false)
    const [ended, refreshed] = await Promise.all([
      disconnect(deps, account, connection?.grant ?? ''),
      refresh(signing, refresh_token),
    ])
    expect(ended).toBe(true)
    expect(await alive(access_token)).toBe(false)
    if (refreshed.access_token) expect(await alive(refreshed.access_token)).toBe(false)
    expect(await refresh(signing, refreshed.refresh_token ?? refresh_token)).toMatchObject({ status: 400 })
    expect(await listConnections(deps, account)).toEqual([])
    expect(await signing.store.collection('accounts.limits').get(connection?.grant ?? '')).toBeUndefined()
  })
})

describe('a request that cannot be answered safely', () => {
  test.each([
    ['a redirect that is not registered', { redirect_uri: 'https://evil.example/callback' }],
    ['another path', { redirect_uri: 'http://127.0.0.1:5/other' }],
    ['a client that shares a secret', { client_id: 'https://client.example/secret' }],
    ['a document that names another', { client_id: 'https://client.example/liar' }],
    ['a document that is not there', { client_id: 'https://client.example/none' }],
    ['a document that is too large', { client_id: 'https://client.example/large' }],
    ['a document that never comes', { client_id: 'https://client.example/slow' }],
    ['a document that is elsewhere', { client_id: 'https://client.example/moved' }],
    ['a document that is no JSON', { client_id: 'https://client.example/text' }],
    ['a client id without TLS', { client_id: 'http://client.example/cli' }],
    ['a client that nobody knows', { client_id: 'client_unknown' }],
  ])('is a page and no redirect: %s', async (_, more) => {
    const response = await fetch(authorizeUrl(signing, more), { redirect: 'manual' })
    expect(response.status).toBeGreaterThanOrEqual(400)
    expect(response.headers.get('location')).toBeNull()
    expect(response.headers.get('content-security-policy')).toContain("frame-ancestors 'none'")
    expect(await response.text()).toContain('This sign-in cannot go on')
  })

  test.each([
    ['no PKCE', { code_challenge: undefined, code_challenge_method: undefined }, 'invalid_request'],
    ['plain PKCE', { code_challenge_method: 'plain' }, 'invalid_request'],
    ['a resource of somebody else', { resource: 'https://other.example/mcp' }, 'invalid_target'],
    ['no page allowed', { prompt: 'none' }, 'login_required'],
  ])('goes back to the client with what is wrong: %s', async (_, more, error) => {
    const response = await fetch(authorizeUrl(signing, more), { redirect: 'manual' })
    const location = new URL(response.headers.get('location') ?? '')
    expect(location.host).toBe('127.0.0.1:41999')
    expect(location.searchParams.get('error')).toBe(error)
    expect(location.searchParams.get('iss')).toBe(signing.issuer)
  })

  test.each([
    ['no scope', { scope: undefined }],
    ['no resource', { resource: undefined }],
    ['a document with scopes of its own', { client_id: 'https://client.example/scoped' }],
    ['offline access', { scope: 'use offline_access', prompt: 'consent' }],
  ])('is answered all the same with %s', async (_, more) => {
    const { cookie } = await signing.person()
    expect((await visit(signing, cookie, more)).get('code')).toMatch(/^[\w-]{20,}$/)
  })
})

test('documents of clients come from public addresses only', async () => {
  const guarded = await startSigning({ realFetch: true })
  try {
    for (const host of ['127.0.0.1', 'localhost', '10.0.0.1', '169.254.169.254', '[::1]']) {
      const response = await fetch(authorizeUrl(guarded, { client_id: `https://${host}/client` }), {
        redirect: 'manual',
      })
      expect(response.status).toBe(400)
      expect(response.headers.get('location')).toBeNull()
    }
  } finally {
    await guarded.stop()
  }
})

describe('the consent', () => {
  const openConsent = async (more: Record<string, string | undefined> = {}) => {
    const { cookie } = await signing.person()
    const browser = openBrowser(new URL(signing.issuer).origin, cookie)
    const { url, response } = await browser.open(authorizeUrl(signing, more))
    return { browser, url, cookie, response, html: (await response?.text()) ?? '' }
  }

  test('shows the words of the client as text, its host, and where the answer goes', async () => {
    const { html } = await openConsent({ client_id: 'https://client.example/markup' })
    expect(html).not.toContain('<script>alert')
    expect(html).not.toContain('\u202e')
    expect(html).toContain('&lt;script&gt;alert(1)&lt;/script&gt;')
    expect(html).toContain('<dd>client.example</dd>')
    expect(html).toContain('a program on this computer (127.0.0.1)')
    expect(html).toContain('Any program on this computer can say that it is this client.')
    const web = await openConsent({
      client_id: 'https://client.example/web',
      redirect_uri: 'https://app.example/callback',
    })
    expect(web.html).toContain('<dd>app.example</dd>')
    expect(web.html).not.toContain('Any program on this computer')
  })

  test('lets its form end at the one address, and be framed by nobody', async () => {
    const { response } = await openConsent({
      client_id: 'https://client.example/web',
      redirect_uri: 'https://app.example/callback',
    })
    const policy = response?.headers.get('content-security-policy') ?? ''
    expect(policy).toContain("form-action 'self' https://app.example;")
    expect(policy).toContain("frame-ancestors 'none'")
    expect(response?.headers.get('cache-control')).toBe('no-store')
  })

  test('puts no words of a client into its policy', async () => {
    const { response } = await openConsent({
      client_id: 'https://client.example/policy',
      redirect_uri: "https://a.example;script-src-elem 'unsafe-inline'/cb",
    })
    expect(response?.headers.get('content-security-policy') ?? '').not.toContain('script-src-elem')
  })

  test.each([
    ['from another site', { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' }],
    ['from a frame without an origin', { origin: 'null', 'sec-fetch-site': 'cross-site' }],
    ['from a neighbour', { origin: 'http://localhost:1', 'sec-fetch-site': 'same-site' }],
  ])('is refused when it comes %s', async (_, headers) => {
    const { browser, url } = await openConsent()
    const answer = await browser.post(url, allowed, headers)
    expect(answer.status).toBe(403)
    expect((await browser.post(url, allowed)).status).toBe(303)
  })

  test('is refused in another browser, for another account, and for another sign-in', async () => {
    const mine = await openConsent()
    const other = await openConsent()
    expect((await other.browser.post(mine.url, allowed)).status).toBe(410)
    const stranger = openBrowser(new URL(signing.issuer).origin, mine.cookie)
    expect((await stranger.post(mine.url, allowed)).status).toBe(410)
  })

  test('counts once, however often it is posted', async () => {
    const { browser, url } = await openConsent()
    const answers = await Promise.all([1, 2, 3].map(() => browser.post(url, allowed)))
    expect(answers.map(({ status }) => status).sort()).toEqual([303, 409, 409])
    expect((await browser.post(url, allowed)).status).toBe(409)
    expect(await (await browser.ask(url)).text()).toContain('You have answered already')
  })

  test.each([
    [{ per_call: 'much' }, 'For one call: write an amount'],
    [{ per_call: '-1' }, 'For one call: write an amount'],
    [{ per_call: '0.1234567' }, 'For one call: write an amount'],
    [{ per_call: '5' }, 'it cannot be more than what is for one day'],
  ])('says what is wrong with %j', async (fields, problem) => {
    const { browser, url } = await openConsent()
    const answer = await browser.post(url, { ...allowed, ...fields })
    expect(answer.status).toBe(422)
    expect(await answer.text()).toContain(problem)
  })

  test('of a client that may spend nothing leaves it no limits', async () => {
    const { browser, url, cookie } = await openConsent()
    expect((await browser.post(url, { decision: 'allow', spend: 'nothing' })).status).toBe(303)
    expect(cookie).toMatch(/^octagent_session=/)
  })
})

describe('a registration', () => {
  const register = async (body: object | string) => {
    const response = await fetch(`${signing.issuer}/register`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    })
    return { status: response.status, body: (await response.json()) as Record<string, unknown> }
  }

  test.each([
    ['the least there is', { redirect_uris: ['https://claude.ai/api/mcp/auth_callback'] }],
    ['a scheme of its own', { redirect_uris: ['cursor://anysphere.cursor-mcp/oauth/callback'] }],
    [
      'grants and scopes that are not known here',
      {
        redirect_uris: [callback],
        grant_types: ['authorization_code', 'refresh_token', 'urn:ietf:params:oauth:grant-type:device_code'],
        scope: 'openid profile email',
      },
    ],
  ])('is taken: %s', async (_, body) => {
    expect(await register(body)).toMatchObject({
      status: 201,
      body: { client_id: expect.stringMatching(/^client_/) },
    })
  })

  test.each([
    ['a script', { redirect_uris: ['javascript:alert(1)'] }],
    ['another host without TLS', { redirect_uris: ['http://evil.example/cb'] }],
    ['no redirect', {}],
    ['no JSON', '{'],
    ['a list', []],
  ])('is refused: %s', async (_, body) => {
    expect((await register(body)).status).toBe(400)
  })

  test('that is too long is refused', async () => {
    const redirect_uris = [callback]
    expect((await register({ redirect_uris, client_name: 'x'.repeat(20_000) })).status).toBe(413)
    const many = (count: number) =>
      Array.from({ length: count }, (_, at) => `https://client.example/callback/${at}`)
    expect((await register({ redirect_uris: many(100) })).status).toBe(201)
    expect((await register({ redirect_uris: many(300) })).status).toBe(400)
  })

  test('with a secret works with it, and only with it', async () => {
    const { body } = await register({
      redirect_uris: [callback],
      token_endpoint_auth_method: 'client_secret_post',
    })
    const client_id = String(body.client_id)
    const { cookie } = await signing.person()
    const params = await visit(signing, cookie, { client_id })
    const code = params.get('code') ?? ''
    expect(await redeem(signing, code, { client_id })).toMatchObject({ error: 'invalid_client' })
    expect(await redeem(signing, code, { client_id, client_secret: 'x' })).toMatchObject({
      error: 'invalid_client',
    })
    expect(
      await redeem(signing, code, { client_id, client_secret: String(body.client_secret) }),
    ).toMatchObject({
      status: 200,
    })
  })
})

test('the store holds nothing that lets anybody in', async () => {
  const { cookie } = await signing.person()
  const browser = openBrowser(new URL(signing.issuer).origin, cookie)
  await browser.open(authorizeUrl(signing))
  const code = await codeFor()
  const tokens = await signIn(signing, cookie)
  const registered = await fetch(`${signing.issuer}/register`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ redirect_uris: [callback], token_endpoint_auth_method: 'client_secret_post' }),
  })
  const { client_secret } = (await registered.json()) as { client_secret: string }
  const { rows } = await signing.store.collection('accounts.oauth').find({ index: 'expires', limit: 1000 })
  const sessions = await signing.store.collection('accounts.sessions').find({ index: 'expires', limit: 1000 })
  const text = JSON.stringify([rows, sessions.rows])
  expect(rows.length).toBeGreaterThan(5)
  for (const secret of [code, tokens.access_token, tokens.refresh_token, client_secret, cookie.split('=')[1]])
    expect(text).not.toContain(secret)
})

test('what has expired is swept, with what it could spend; what is used stays', async () => {
  const fresh = await startSigning({ environment: { OCTAGENT_PEPPER: pepper } })
  try {
    const register = async () => {
      const response = await fetch(`${fresh.issuer}/register`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ redirect_uris: [callback] }),
      })
      return ((await response.json()) as { client_id: string }).client_id
    }
    await register()
    const client_id = await register()
    const { cookie } = await fresh.person()
    const params = await visit(fresh, cookie, { client_id })
    const { refresh_token = '' } = await redeem(fresh, params.get('code') ?? '', { client_id })
    const count = async (name: string) => fresh.store.collection(name).count()
    const clock = (days: number) => ({ now: () => new Date(Date.now() + days * 86_400_000) })
    const sweep = (days: number) =>
      sweepOauth({ store: fresh.store, keys, clock: clock(days) }, new AbortController().signal)
    await sweep(2)
    const models = async () =>
      (
        await fresh.store
          .collection<{ id: string; model: string }>('accounts.oauth')
          .find({ index: 'expires' })
      ).rows
        .map(({ model }) => model)
        .sort()
    expect(await models()).toEqual(['Client', 'Grant', 'RefreshToken'])
    fresh.wait(2 * 86_400)
    expect(await askToken(fresh, { grant_type: 'refresh_token', refresh_token, client_id })).toMatchObject({
      status: 200,
    })
    expect(await count('accounts.limits')).toBe(1)
    await sweep(31)
    expect(await models()).toEqual(['Client', 'Grant', 'RefreshToken'])
    await sweep(40)
    expect(await models()).toEqual(['Client'])
    expect(await count('accounts.limits')).toBe(0)
    await sweep(400)
    expect(await models()).toEqual([])
  } finally {
    await fresh.stop()
  }
})

describe('a stranger’s Host', () => {
  const ask = (path: string, headers: Record<string, string>): Promise<{ status: number; text: string }> =>
    new Promise((resolve, reject) => {
      const { port } = new URL(signing.url)
      const sent = request({ host: '127.0.0.1', port, path, headers, agent: false }, response => {
        let text = ''
        response.on('data', chunk => {
          text += chunk
        })
        response.on('end', () => resolve({ status: response.statusCode ?? 0, text }))
      })
      sent.on('error', reject)
      sent.end()
    })

  test('is in no document', async () => {
    const path = '/.well-known/oauth-authorization-server/auth'
    const { port } = new URL(signing.url)
    expect((await ask(path, { host: 'evil.example' })).status).toBe(403)
    const { text } = await ask(path, {
      host: `127.0.0.1:${port}`,
      'x-forwarded-host': 'evil.example',
      'x-forwarded-proto': 'https',
      forwarded: 'host=evil.example',
    })
    expect(JSON.parse(text)).toMatchObject({
      issuer: signing.issuer,
      token_endpoint: `${signing.issuer}/token`,
    })
  })

  test('of this machine names the resource as the client knows it', async () => {
    const { port } = new URL(signing.url)
    const host = `localhost:${port}`
    const { text } = await ask('/.well-known/oauth-protected-resource/cat/mcp', { host })
    expect(JSON.parse(text)).toMatchObject({ resource: `http://${host}/cat/mcp` })
    const { cookie } = await signing.person()
    const { access_token } = await signIn(signing, cookie, { resource: `http://${host}/cat/mcp` })
    expect(await alive(access_token)).toBe(true)
  })
})
