import { describe, expect, test } from 'vitest'
import { opened } from '../opened.ts'
import { bearer, callMcp, signIn, startSigning } from './fixture.ts'

const signing = opened(startSigning)

const call = (
  slug: string,
  name: string,
  args: object = {},
  headers: Record<string, string> = {},
  meta = {},
) =>
  callMcp(
    `${signing.url}/${slug}/mcp`,
    'tools/call',
    { name, arguments: args, ...(Object.keys(meta).length > 0 && { _meta: meta }) },
    headers,
  )

const tokenFor = async (slug: string, cookie: string) => {
  const path = slug === '' ? '/mcp' : `/${slug}/mcp`
  const { access_token } = await signIn(signing, cookie, { resource: `${signing.url}${path}` })
  return access_token ?? ''
}

describe('without a credential', () => {
  test('listing, public and priced tools answer as ever', async () => {
    expect((await callMcp(`${signing.url}/cat/mcp`, 'tools/list')).status).toBe(200)
    expect((await call('cat', 'pet')).body.result.isError).toBeUndefined()
    const fed = await call('cat', 'feed')
    expect(fed.status).toBe(200)
    expect(fed.body.result.structuredContent).toMatchObject({ x402Version: 2 })
  })

  test.each([
    ['JSON', {}],
    ['a stream that has not begun', { progressToken: 'p' }],
  ])('a tool that needs an account is 401 with where to sign in, as %s', async (_, meta) => {
    const { status, headers, body } = await call('broker', 'get_account', {}, {}, meta)
    expect(status).toBe(401)
    expect(headers.get('www-authenticate')).toBe(
      `Bearer resource_metadata="${signing.url}/.well-known/oauth-protected-resource/broker/mcp", scope="use", ApiKey realm="broker"`,
    )
    expect(headers.get('content-type')).toBe('application/json')
    expect(body).toMatchObject({ jsonrpc: '2.0', id: 7, error: { data: { code: 'unauthenticated' } } })
    expect(body.error.data.hint).toMatch(/sign in/i)
    expect(body.error.data.hint).toMatch(/register/)
  })

  test('the same over REST and A2A', async () => {
    const rest = await fetch(`${signing.url}/broker/tools/get_account`, { method: 'POST' })
    const a2a = await fetch(`${signing.url}/broker/a2a`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'A2A-Version': '1.0' },
      body: JSON.stringify({
        jsonrpc: '2.0',
        id: 1,
        method: 'SendMessage',
        params: {
          message: { messageId: '1', role: 'ROLE_USER', parts: [{ data: { skill: 'get_account' } }] },
        },
      }),
    })
    for (const { status, headers } of [rest, a2a]) {
      expect(status).toBe(401)
      expect(headers.get('www-authenticate')).toContain('resource_metadata="')
    }
  })

  test('ChatGPT reads it of a result', async () => {
    const { status, body } = await call('broker', 'get_account', {}, { 'user-agent': 'openai-mcp/1.0.0' })
    expect(status).toBe(200)
    expect(body.result).toMatchObject({ isError: true })
    expect(body.result._meta['mcp/www_authenticate'][0]).toContain('resource_metadata="')
  })

  test('in the era of 2026-07-28, too', async () => {
    const meta = {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientInfo': { name: 't', version: '1' },
      'io.modelcontextprotocol/clientCapabilities': {},
    }
    const headers = {
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': 'tools/call',
      'mcp-name': 'get_account',
    }
    const { status, body } = await call('broker', 'get_account', {}, headers, meta)
    expect(status).toBe(401)
    expect(body).toMatchObject({ id: 7, error: { data: { code: 'unauthenticated' } } })
  })
})

describe('a token that is no good is 401, whatever is asked', () => {
  const bad = `oat_${'x'.repeat(43)}`

  test.each(['initialize', 'tools/list', 'tools/call', 'ping'])('over MCP: %s', async method => {
    const params =
      method === 'initialize'
        ? { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 't', version: '1' } }
        : method === 'tools/call'
          ? { name: 'pet' }
          : {}
    for (const token of [bad, 'eyJhbGciOiJub25lIn0.e30.', 'anything', 'oat_short']) {
      const { status, headers, body } = await callMcp(`${signing.url}/cat/mcp`, method, params, bearer(token))
      expect(status).toBe(401)
      expect(headers.get('www-authenticate')).toMatch(/^Bearer error="invalid_token", resource_metadata="/)
      expect(body.id).toBe(7)
    }
  })

  test('over REST and A2A', async () => {
    const rest = await fetch(`${signing.url}/cat/api/pet`, { headers: bearer(bad) })
    expect(rest.status).toBe(401)
    expect(rest.headers.get('www-authenticate')).toContain('error="invalid_token"')
    const a2a = await fetch(`${signing.url}/cat/a2a`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'A2A-Version': '1.0', ...bearer(bad) },
      body: JSON.stringify({
        jsonrpc: '2.0',
        id: 1,
        method: 'SendMessage',
        params: { message: { messageId: '1', role: 'ROLE_USER', parts: [{ text: 'hello' }] } },
      }),
    })
    expect(a2a.status).toBe(401)
    expect(a2a.headers.get('www-authenticate')).toContain('error="invalid_token"')
  })

  test('keys of services go on as before, and are foreign elsewhere', async () => {
    const registered = await call('broker', 'register_account', { accepted_terms: true })
    const { api_key } = registered.body.result.structuredContent
    expect((await call('broker', 'get_account', {}, bearer(api_key))).body.result.isError).toBeUndefined()
    expect((await call('cat', 'pet', {}, bearer(api_key))).status).toBe(200)
    const wrong = await call('broker', 'get_account', {}, bearer(`brk_${'x'.repeat(43)}`))
    expect(wrong.status).toBe(200)
    expect(wrong.body.result.isError).toBe(true)
  })

  test('a token of one endpoint is none at another', async () => {
    const { cookie } = await signing.person()
    const cat = await tokenFor('cat', cookie)
    const bundle = await tokenFor('', cookie)
    expect((await call('cat', 'pet', {}, bearer(cat))).status).toBe(200)
    expect((await call('data', 'help', {}, bearer(cat))).status).toBe(401)
    expect((await callMcp(`${signing.url}/mcp`, 'tools/list', {}, bearer(cat))).status).toBe(401)
    expect((await callMcp(`${signing.url}/mcp`, 'tools/list', {}, bearer(bundle))).status).toBe(200)
    expect((await call('cat', 'pet', {}, bearer(bundle))).status).toBe(401)
  })
})

describe('a signed-in person is the caller', () => {
  test('of the broker: one account, with the first call, however many come at once', async () => {
    const { cookie } = await signing.person()
    const token = await tokenFor('broker', cookie)
    const answers = await Promise.all(
      Array.from({ length: 8 }, () => call('broker', 'get_account', {}, bearer(token))),
    )
    const ids = answers.map(({ body }) => body.result.structuredContent?.account_id)
    expect(ids[0]).toMatch(/^acc_/)
    expect(new Set(ids).size).toBe(1)
    const rest = await fetch(`${signing.url}/broker/tools/get_account`, {
      method: 'POST',
      headers: bearer(token),
    })
    expect(await rest.json()).toMatchObject({ account_id: ids[0] })
  })

  test('of verification, of the gateway and of the data skills', async () => {
    const { cookie } = await signing.person()
    const [proof, gateway, data] = await Promise.all(
      ['proof', 'gateway', 'data'].map(slug => tokenFor(slug, cookie)),
    )
    const balance = await call('proof', 'get_balance', {}, bearer(proof))
    expect(balance.body.result.structuredContent).toMatchObject({ balance_sats: 0 })
    const preflight = await call('gateway', 'help', {}, bearer(gateway))
    expect(preflight.status).toBe(200)
    const skill = await fetch(`${signing.url}/data/skills/json-repair?value=%7Ba%3A1`, {
      headers: bearer(data),
    })
    expect(skill.status).toBe(200)
    expect(skill.headers.get('ratelimit-policy')).toContain('ally')
  })

  test('of the bundle, under one token', async () => {
    const { cookie } = await signing.person()
    const token = await tokenFor('', cookie)
    const ask = (name: string) =>
      callMcp(
        `${signing.url}/mcp`,
        'tools/call',
        { name: 'call_tool', arguments: { name, arguments: {} } },
        bearer(token),
      )
    const account = await ask('broker_get_account')
    expect(account.body.result.structuredContent.account_id).toMatch(/^acc_/)
    const anonymous = await callMcp(`${signing.url}/mcp`, 'tools/call', {
      name: 'call_tool',
      arguments: { name: 'broker_get_account', arguments: {} },
    })
    expect(anonymous.status).toBe(401)
    expect(anonymous.headers.get('www-authenticate')).toContain(
      `"${signing.url}/.well-known/oauth-protected-resource/mcp"`,
    )
  })

  test('of the marketplace by the wallet that signs in, and is told where there is none', async () => {
    const { cookie, account } = await signing.person()
    const token = await tokenFor('tasks', cookie)
    const without = await call('tasks', 'worker_tasks', {}, bearer(token))
    expect(without.status).toBe(200)
    expect(without.body.result.isError).toBe(true)
    expect(without.body.result.content[0].text).toContain('wallet')
    const address = `0x${'ab'.repeat(20)}`
    const now = new Date().toISOString()
    await signing.store.collection('accounts.keys').insert({
      id: `wallet:${address}`,
      account,
      kind: 'wallet',
      name: 'w',
      created_at: now,
      last_used: now,
    } as never)
    const made = await call('tasks', 'make_key', {}, bearer(token))
    expect(made.body.result.structuredContent).toMatchObject({ account_id: `eip155:8453:${address}` })
  })

  test('a priced tool keeps its price for them', async () => {
    const { cookie } = await signing.person()
    const token = await tokenFor('cat', cookie)
    const fed = await call('cat', 'feed', {}, bearer(token))
    expect(fed.status).toBe(200)
    expect(fed.body.result.structuredContent).toMatchObject({ x402Version: 2 })
  })
})
