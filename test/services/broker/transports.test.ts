import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startApp } from '../../app.ts'
import { callTool, eras } from '../../mcp/wire.ts'
import { listingOf } from './market.ts'

let app: Awaited<ReturnType<typeof startApp>>
let key: string
beforeAll(async () => {
  app = await startApp()
  key = String((await rest('POST', '/v1/account/register', { accepted_terms: true })).body.api_key)
})
afterAll(() => app.stop())

type Body = Record<string, unknown>

const rest = async (method: string, path: string, body?: object, headers: Record<string, string> = {}) => {
  const response = await fetch(`${app.url}/broker${path}`, {
    method,
    headers: { 'content-type': 'application/json', ...headers },
    ...(body && { body: JSON.stringify(body) }),
  })
  return { status: response.status, body: (await response.json()) as Body }
}

/** Starts a skill over A2A and returns all that came back as text. */
const skill = async (data: object, headers: Record<string, string> = {}): Promise<string> => {
  const message = { role: 'user', messageId: '1', kind: 'message', parts: [{ kind: 'data', data }] }
  const response = await fetch(`${app.url}/broker/a2a`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'message/send', params: { message } }),
  })
  return response.text()
}

const keyHeaders = (value: string): [string, Record<string, string>][] => [
  ['Authorization: Bearer', { authorization: `Bearer ${value}` }],
  ['X-API-Key', { 'x-api-key': value }],
]

describe.each(['Authorization: Bearer', 'X-API-Key'])('the key of an account as %s', name => {
  const headers = (value = key) => new Map(keyHeaders(value)).get(name) ?? {}

  test('is taken over REST, A2A, MCP of both eras, and the bundle', async () => {
    const { body } = await rest('GET', '/v1/account', undefined, headers())
    const account = String(body.account_id)
    expect(account).toMatch(/^acc_/)
    expect(await skill({ skill: 'get_account' }, headers())).toContain(account)
    for (const era of eras) {
      const direct = await callTool(`${app.url}/broker/mcp`, era, 'get_account', {}, { headers: headers() })
      expect(direct.result.structuredContent).toMatchObject({ account_id: account })
      const bundle = await callTool(
        `${app.url}/mcp?services=broker,data,cat`,
        era,
        'broker_get_account',
        {},
        { headers: headers() },
      )
      expect(bundle.result.structuredContent).toMatchObject({ account_id: account })
    }
  })

  test('does not stand in the way of other services behind the same endpoint', async () => {
    const url = `${app.url}/mcp?services=broker,data,cat`
    const repair = await callTool(
      url,
      '2025',
      'data_json-repair',
      { json: '{"a":1,}' },
      { headers: headers() },
    )
    expect(repair.result.isError ?? false).toBe(false)
  })

  test('that nobody has is refused, and not as somebody else', async () => {
    expect((await rest('GET', '/v1/onboarding', undefined, headers('brk_nobody'))).status).toBe(401)
    expect((await rest('GET', '/v1/account', undefined, headers('brk_nobody'))).status).toBe(401)
  })
})

describe('keys of two services at once', () => {
  const headersOf = (own: string, other: string): [string, Record<string, string>][] => [
    ['a header each', { authorization: `Bearer ${other}`, 'x-api-key': own }],
    ['a header each, the other way round', { authorization: `Bearer ${own}`, 'x-api-key': other }],
    ['both in X-API-Key', { 'x-api-key': `${other}, ${own}` }],
    ['both in Authorization', { authorization: `Bearer ${other}, ${own}` }],
    ['both as Bearer', { authorization: `Bearer ${other}, Bearer ${own}` }],
  ]
  test('are each taken where they belong, over MCP, A2A and REST', async () => {
    const registered = await fetch(`${app.url}/proof/register`, { method: 'POST' })
    const { api_key, account_id } = (await registered.json()) as { api_key: string; account_id: string }
    const mine = String((await rest('GET', '/v1/account', undefined, { 'x-api-key': key })).body.account_id)
    for (const [way, headers] of headersOf(key, api_key)) {
      expect((await rest('GET', '/v1/account', undefined, headers)).body.account_id, way).toBe(mine)
      expect(await skill({ skill: 'get_account' }, headers), way).toContain(mine)
      const balance = await fetch(`${app.url}/proof/balance`, { headers })
      expect(await balance.json(), way).toMatchObject({ account_id })
      for (const era of eras) {
        const ask = (name: string) =>
          callTool(`${app.url}/mcp`, era, 'read_tool', { name, arguments: {} }, { headers })
        expect((await ask('broker_get_account')).result.structuredContent, way).toMatchObject({
          account_id: mine,
        })
        expect((await ask('proof_get_balance')).result.structuredContent, way).toMatchObject({ account_id })
      }
    }
  })

  test('a wrong key of the service is refused, whatever stands beside it', async () => {
    const headers = { authorization: 'Bearer brk_nobody', 'x-api-key': `prf_${'a'.repeat(43)}` }
    expect((await rest('GET', '/v1/account', undefined, headers)).status).toBe(401)
  })
})

describe('what to do next is said as the caller can do it', () => {
  test('without a key: over MCP by what the user must set, elsewhere by the headers', async () => {
    for (const era of eras) {
      const { status, message } = await callTool(`${app.url}/broker/mcp`, era, 'get_account')
      expect(status).toBe(401)
      const problem = message.error?.data as Body
      expect(problem).toMatchObject({ status: 401, params: { next: ['register_account'] } })
      expect(problem.hint).toBe(
        `Ask your user to open the settings of ${app.url}/broker/mcp in their MCP client, sign in or set the header "Authorization: Bearer <brk_ key>" for it, and connect again. Next: register_account.`,
      )
    }
    const { body } = await rest('GET', '/v1/account')
    expect(body).toMatchObject({ status: 401, params: { next: ['POST /v1/account/register'] } })
    expect(body.hint).toMatch(/Authorization: Bearer <key>, or X-API-Key: <key>/)
    const overA2a = await skill({ skill: 'get_account' })
    expect(overA2a).toContain('register_account')
    expect(overA2a).not.toContain('/v1/account/register')
  })

  test('in answers: tools over MCP, skills over A2A, routes over REST', async () => {
    const headers = { 'x-api-key': key }
    expect((await rest('GET', '/v1/account/profile', undefined, headers)).body).toMatchObject({
      account_setup_required: { next: ['PUT /v1/account/contact', 'PUT /v1/account/route'] },
    })
    for (const era of eras) {
      const { result } = await callTool(`${app.url}/broker/mcp`, era, 'get_profile', {}, { headers })
      expect(result.structuredContent).toMatchObject({
        account_setup_required: { next: ['set_contact', 'set_route'] },
      })
      const steps = await callTool(`${app.url}/broker/mcp`, era, 'onboarding')
      expect(JSON.stringify(steps.result.structuredContent?.steps)).not.toMatch(/(?:GET|POST|PUT) \//)
    }
    const overA2a = await skill({ skill: 'get_profile' }, headers)
    expect(overA2a).toContain('set_contact')
    expect(overA2a).not.toContain('PUT /v1')
    expect((await rest('GET', '/v1/onboarding')).body.steps).toContainEqual(
      expect.stringContaining('POST /v1/account/register'),
    )
  })

  test('in refusals', async () => {
    const headers = { 'x-api-key': key }
    expect(await rest('GET', '/v1/account/domain', undefined, headers)).toMatchObject({
      status: 428,
      body: { params: { next: ['PUT /v1/account/route'] } },
    })
    const { result } = await callTool(
      `${app.url}/broker/mcp`,
      '2026',
      'get_domain_challenge',
      {},
      { headers },
    )
    expect(JSON.parse(result.content[0]?.text ?? '{}')).toMatchObject({ params: { next: ['set_route'] } })
  })
})

test('a dry run over REST answers 200 and makes up no id', async () => {
  const dry = await rest('POST', '/v1/listings', { ...listingOf, dry_run: true }, { 'x-api-key': key })
  expect(dry).toMatchObject({ status: 200, body: { dry_run: true, listing_id: null } })
  expect((await rest('GET', '/v1/listings/mine', undefined, { 'x-api-key': key })).body).toMatchObject({
    count: 0,
  })
})

test('the board is there to look at without a key, without texts to be reached by, and counted', async () => {
  const made = await rest('POST', '/v1/listings', listingOf, { 'x-api-key': key })
  expect(made.status).toBe(201)
  const { status, body } = await rest('GET', '/v1/preview?type=sell&category=research')
  expect(status).toBe(200)
  expect(body).toMatchObject({ count: 1, untrusted: true })
  const [listing] = body.listings as Body[]
  expect(listing).toEqual({
    listing_id: made.body.listing_id,
    listing_type: 'sell',
    title: listingOf.title,
    category: 'research',
    price_usd: '12.50',
    price_note: null,
    expires_at: expect.any(String),
  })
  expect((await rest('GET', '/v1/preview?type=buy')).body).toMatchObject({ count: 0 })
  expect((await rest('GET', '/v1/preview?limit=21')).status).toBe(422)
  expect((await rest('GET', '/v1/stats')).body).toMatchObject({
    accounts: 1,
    live_listings: { total: 1, sell: 1, buy: 0 },
    categories: { research: 1 },
    deals: 0,
  })
})

test('the page of the service shows the header that a key goes in', async () => {
  const page = await (await fetch(`${app.url}/broker/llms-full.txt`)).text()
  expect(page).toContain(
    `claude mcp add --transport http broker ${app.url}/broker/mcp --header "Authorization: Bearer $KEY"`,
  )
  expect(await (await fetch(`${app.url}/cat/llms-full.txt`)).text()).not.toContain('--header')
})
