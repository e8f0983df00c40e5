import type { ServerResponse } from 'node:http'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { callTool } from '../../mcp/wire.ts'
import { authorized, openProbing, type Reply } from './probing.ts'
import { refused, startTown, statuses, type Town } from './town.ts'

let town: Town
let key: string
let agent: ReturnType<typeof openProbing>['agent']
let verify: ReturnType<typeof openProbing>['verify']
let preflight: ReturnType<typeof openProbing>['preflight']
beforeAll(async () => {
  town = await startTown()
  key = await town.join()
  ;({ agent, verify, preflight } = openProbing(town))
})
afterAll(() => town.stop())

describe('an unsafe destination', () => {
  test.each(['127.0.0.1', 'https://10.1.2.3/a2a', 'http://169.254.169.254/latest', 'http://localhost:6379/'])(
    '%s is refused without a socket',
    async address => {
      const before = town.internet.web.visits.length
      expect(await verify(address)).toMatchObject({
        state: 'failed',
        status: 'not_callable',
        failure_class: 'unsafe_destination',
      })
      expect(town.internet.web.visits).toHaveLength(before)
    },
  )

  test('a name that leads to a private address, and a card that redirects there, are refused too', async () => {
    town.internet.dns.zone.set('inside.example.com', { A: ['10.0.0.7'] })
    expect(await verify('https://inside.example.com/')).toMatchObject({ failure_class: 'unsafe_destination' })
    const host = town.provider({
      '/.well-known/agent-card.json': { status: 302, headers: { location: 'http://10.0.0.1/' } },
    })
    expect(await verify(host)).toMatchObject({ state: 'failed', failure_class: 'unsafe_destination' })
  })

  test('a host that nobody answers at is unreachable', async () => {
    town.internet.dns.zone.set('dark.example.com', { A: ['8.8.8.8'] })
    expect(await verify('https://dark.example.com/work')).toMatchObject({
      state: 'failed',
      failure_class: 'endpoint_unreachable',
    })
  })
})

describe('evidence', () => {
  const speaks: Reply = () => ({ result: { message: { parts: [] } } })

  test('of a host is found by the preflight by host, address, card and interface, for 24 hours', async () => {
    const host = agent(speaks)
    expect(statuses(await preflight(host)).protocol_callable).toBe('unknown')
    await verify(host)
    const names = [
      host,
      `https://${host}/`,
      `https://${host}/.well-known/agent-card.json`,
      `https://${host}/a2a`,
    ]
    for (const name of names) expect(statuses(await preflight(name)).protocol_callable).toBe('pass')
    expect(statuses(await preflight(`https://${host}/elsewhere`)).protocol_callable).toBe('unknown')
    town.later(24 * 3_600_000 - 60_000)
    expect(statuses(await preflight(host)).protocol_callable).toBe('pass')
    town.later(120_000)
    expect(statuses(await preflight(host)).protocol_callable).toBe('unknown')
  })

  test('of a failed probe stops until a better one', async () => {
    let up = false
    const host = agent(rpc =>
      up ? speaks(rpc, {} as never) : (response: ServerResponse) => response.end('no'),
    )
    await verify(host)
    const stopped = await preflight(host)
    expect(stopped.verdict).toBe('STOP')
    expect(statuses(stopped).protocol_callable).toBe('fail')
    up = true
    town.later(1000)
    await verify(host)
    expect(statuses(await preflight(host)).protocol_callable).toBe('pass')
  })

  test('of a card elsewhere never proves the address that a registry names', async () => {
    const good = agent(speaks)
    town.internet.web.site(
      'registry.example.net',
      '/a2a/agents',
      town.json({
        agents: [
          {
            name: 'Borrowed card',
            url: 'https://borrower.example.com/a2a',
            wellKnownURI: `https://${good}/.well-known/agent-card.json`,
          },
        ],
      }),
    )
    town.internet.web.site('borrower.example.com', '/a2a', { status: 500 })
    const answer = await town.ask('verify_external_callability', authorized(undefined, 'borrowing'), {
      credentials: { bearer: key },
    })
    expect(answer).toMatchObject({ source: 'a2a_registry', status: 'not_callable' })
  })
})

test('one host is contacted thirty times a minute at most, however it is written', async () => {
  const host = agent(() => ({ result: { message: { parts: [] } } }))
  for (let nth = 0; nth < 30; nth++) await verify(nth % 2 ? host : `https://${host}/a2a`)
  expect(await refused(verify(`${host}/elsewhere`))).toMatchObject({ status: 429 })
})

describe('who may ask', () => {
  test('nobody without a key, and nobody with a wrong one', async () => {
    const served = await town.serve()
    const post = (authorization?: string) =>
      fetch(`${served.url}/gateway/actions/verify-callability`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...(authorization && { authorization }) },
        body: JSON.stringify(authorized('127.0.0.1')),
      })
    for (const authorization of [undefined, `Bearer gwa_${'a'.repeat(43)}`, 'Bearer nonsense']) {
      const response = await post(authorization)
      expect(response.status).toBe(401)
      expect(response.headers.get('www-authenticate')).toMatch(/^Bearer realm="gateway"/)
    }
    expect((await post(`Bearer ${key}`)).status).toBe(200)
    const call = async (headers?: Record<string, string>) =>
      callTool(
        `${served.url}/gateway/mcp`,
        '2026',
        'verify_external_callability',
        authorized('127.0.0.1'),
        headers && { headers },
      )
    expect(JSON.stringify((await call()).message)).toMatch(/unauthenticated|401/)
    const { result } = await call({ authorization: `Bearer ${key}` })
    expect(result.structuredContent).toMatchObject({ failure_class: 'unsafe_destination' })
    await served.stop()
  })

  test.each([
    ['without consent', { query: 'x', candidate_identifier: 'a.example.com' }, 'authorize_external_contact'],
    [
      'with consent denied',
      { ...authorized('a.example.com'), authorize_external_contact: false },
      'authorize_external_contact',
    ],
    [
      'with consent as text',
      { ...authorized('a.example.com'), authorize_external_contact: 'true' },
      'authorize_external_contact',
    ],
    ['without a query', { authorize_external_contact: true }, 'query'],
    ['with an empty query', authorized('a.example.com', ' '), 'query'],
    ['with a query of 129', authorized('a.example.com', 'x'.repeat(129)), 'query'],
    ['with a control character', authorized('a.example.com', 'a\u0000b'), 'query'],
    ['with a script', authorized('javascript:alert'), 'candidate_identifier'],
    ['with an unknown field', { ...authorized('a.example.com'), more: 1 }, 'more'],
  ])('%s is refused by name', async (_, input, path) => {
    const before = town.internet.web.visits.length
    const asked = town.ask('verify_external_callability', input, { credentials: { bearer: key } })
    expect(await refused(asked)).toMatchObject({ status: 422, issues: [{ path }] })
    expect(town.internet.web.visits).toHaveLength(before)
  })

  test('an Idempotency-Key makes one contact; with another body it is a conflict', async () => {
    const host = agent(() => ({ result: { message: { parts: [] } } }))
    const again = { idempotencyKey: 'probe-1', credentials: { bearer: key } }
    const first = await verify(host, again)
    const count = () => town.internet.web.visits.filter(visit => visit.host === host).length
    const contacts = count()
    expect(await verify(host, again)).toEqual(first)
    expect(count()).toBe(contacts)
    expect(await refused(verify('other.example.com', again))).toMatchObject({ status: 409 })
    const stranger = await town.join()
    const own = await verify(host, { ...again, credentials: { bearer: stranger } })
    expect(own.action_id).not.toBe(first.action_id)
  })

  test('an action is read by its caller and by nobody else', async () => {
    const { action_id, ...action } = await verify('127.0.0.1', { credentials: { bearer: key } })
    const read = (bearer: string, id: unknown = action_id) =>
      town.ask('get_action_status', { action_id: id }, { credentials: { bearer } })
    expect(await read(key)).toEqual({ action_id, ...action })
    expect(await refused(read(await town.join()))).toMatchObject({ status: 404 })
    expect(await refused(read(key, 'act_0'))).toMatchObject({ status: 404 })
    expect(await refused(town.ask('get_action_status', { action_id }))).toMatchObject({ status: 401 })
  })

  test('whom nobody names is not found; while registries are silent that stays open', async () => {
    town.internet.web.site('registry.example.net', '/a2a/agents', town.json({ agents: [] }))
    const ask = (query: string) =>
      town.ask('verify_external_callability', authorized(undefined, query), { credentials: { bearer: key } })
    expect(await ask('nobody-does-this')).toMatchObject({
      state: 'failed',
      failure_class: 'capability_not_found',
    })
    expect(await verify('an-id-that-is-no-address')).toMatchObject({ failure_class: 'capability_not_found' })
    town.internet.web.site('registry.example.net', '/a2a/agents', { status: 503 })
    expect(await ask('nobody-does-that')).toMatchObject({ state: 'ambiguous', failure_class: 'unavailable' })
  })
})
