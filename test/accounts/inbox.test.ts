import { createHmac } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { newAccountId } from '../../mcp/accounts/account.ts'
import { findLast, readNewest } from '../../mcp/accounts/inbox/events.ts'
import {
  findWebhook,
  listDeadLetters,
  resendDeadLetter,
  sendEvents,
  setWebhook,
} from '../../mcp/accounts/inbox/webhook.ts'
import { inboxEvents } from '../../mcp/kernel/inbox.ts'
import type { Fetch } from '../../mcp/ports/fetch/port.ts'
import { openKeys } from '../../mcp/ports/keys/keys.ts'
import { openPostgres } from '../../store/postgres/open.ts'
import { onBothEngines } from '../payment/ledger-engines.ts'
import { openLife } from '../payment/mortal.ts'
import { postgresIsHere, withDatabase } from '../store/database.ts'
import { bearer, callMcp, type Signing, signIn, startSigning } from './fixture.ts'

const database = withDatabase()

type Event = { id: string; at: string; service: string; type: string; subject: string | null; data: object }

describe.each(['embedded', ...(postgresIsHere ? ['PostgreSQL'] : [])])('the inbox of a person, %s', kind => {
  let house: Signing
  beforeAll(async () => {
    const store = kind === 'embedded' ? undefined : await openPostgres({ url: database() })
    house = await startSigning({ environment: { OCTAGENT_PEPPER: 'p'.repeat(43) }, ...(store && { store }) })
  })
  afterAll(() => house.stop())

  const post = (cookie: string, path: string, fields: Record<string, string>) =>
    fetch(`${house.issuer}/${path}`, {
      method: 'POST',
      headers: { cookie, origin: new URL(house.issuer).origin, 'sec-fetch-site': 'same-origin' },
      body: new URLSearchParams(fields),
      redirect: 'manual',
    })
  const openPerson = async (scope: Record<string, string> = { all_services: '1' }) => {
    const { cookie } = await house.person()
    const answer = await post(cookie, 'account/api-keys', { name: 'A model', access: 'write', ...scope })
    return { cookie, key: /oct_[\w-]{43}/.exec(await answer.text())?.[0] ?? '' }
  }
  const callTool = async (key: string, name: string, input: object = {}) => {
    const params = { name: 'call_tool', arguments: { name, arguments: input } }
    const { body } = await callMcp(`${house.url}/mcp`, 'tools/call', params, bearer(key))
    return body.result as {
      isError?: boolean
      structuredContent: { events: Event[]; next: string } & Record<string, string>
    }
  }
  const listing = {
    listing_type: 'sell',
    title: 'Tide tables',
    body: 'Tables of the North Sea, hour by hour.',
    category: 'research',
    price_usd: '1.00',
  }
  const read = (key: string, query = '', headers: Record<string, string> = {}) =>
    fetch(`${house.url}/v1/events${query}`, { headers: { ...bearer(key), ...headers } })

  test('has what happened at every service in one shape, is resumed by id, and marked as read', async () => {
    const { cookie, key } = await openPerson()
    const proof = await callTool(key, 'proof_get_balance')
    const sender = await (
      await fetch(`${house.url}/proof/register`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: '{}',
      })
    ).json()
    const sent = await fetch(`${house.url}/proof/messages/dm`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...bearer((sender as { api_key: string }).api_key) },
      body: JSON.stringify({ to_agent: proof.structuredContent.account_id, content: 'hello' }),
    })
    expect(sent.status).toBe(200)
    await callTool(key, 'broker_get_account')
    const posted = await callTool(key, 'broker_post_listing', listing)
    expect(posted.isError, JSON.stringify(posted)).not.toBe(true)
    const { events, next } = (await callTool(key, 'account_list_events')).structuredContent
    expect(events.map(({ service, type }) => `${service} ${type}`)).toEqual([
      'proof message_received',
      'broker listing_posted',
    ])
    for (const event of events)
      expect(event).toEqual({
        id: expect.stringMatching(/^\d+$/),
        at: expect.stringMatching(/^\d{4}-.*Z$/),
        service: expect.any(String),
        type: expect.any(String),
        subject: expect.any(String),
        data: expect.any(Object),
      })
    expect(next).toBe(events.at(-1)?.id)
    const first = events[0]?.id ?? ''
    const rest = (await callTool(key, 'account_list_events', { after: first })).structuredContent
    expect(rest.events).toEqual(events.slice(1))
    expect((await callTool(key, 'account_mark_events', { up_to: first })).structuredContent.read_up_to).toBe(
      first,
    )
    expect(
      (await callTool(key, 'account_mark_events', { up_to: '999999' })).structuredContent.read_up_to,
    ).toBe(first)
    const unread = (await callTool(key, 'account_list_events', { unread: true })).structuredContent
    expect(unread.events).toEqual(events.slice(1))
    const page = await (await fetch(`${house.issuer}/inbox`, { headers: { cookie } })).text()
    expect(page).toContain('message received')
    expect(page).toContain('Mark all as read')
    expect((await post(cookie, 'inbox/read', { up_to: next })).status).toBe(303)
    expect((await callTool(key, 'account_list_events', { unread: true })).structuredContent.events).toEqual(
      [],
    )
  })

  test('is waited for by long poll, and followed as a stream that goes on where it broke', async () => {
    const { key } = await openPerson()
    await callTool(key, 'broker_get_account')
    const { next: start } = (await callTool(key, 'account_list_events')).structuredContent
    const waiting = read(key, `?after=${start}&wait=20`)
    await callTool(key, 'broker_post_listing', listing)
    const { events } = (await (await waiting).json()) as { events: Event[] }
    expect(events.map(({ type }) => type)).toEqual(['listing_posted'])
    const seen = events[0]?.id ?? ''
    const end = new AbortController()
    const stream = await fetch(`${house.url}/v1/events`, {
      headers: { ...bearer(key), accept: 'text/event-stream', 'last-event-id': seen },
      signal: end.signal,
    })
    expect(stream.headers.get('content-type')).toContain('text/event-stream')
    await callTool(key, 'broker_post_listing', { ...listing, title: 'Star charts' })
    let text = ''
    for await (const chunk of stream.body ?? []) {
      text += Buffer.from(chunk).toString()
      if (text.includes('event: ')) break
    }
    end.abort()
    expect(text).toContain('event: listing_posted')
    expect(text).not.toContain(`id: ${seen}\n`)
    for (const [query, path] of [
      ['?after=x', 'after'],
      ['?wait=26', 'wait'],
    ] as const) {
      const refused = await read(key, query)
      expect([refused.status, await refused.text()]).toEqual([422, expect.stringContaining(path)])
    }
  })

  test('is its person’s alone: no stranger, no key of a service and no key without the scope reads it', async () => {
    const { key } = await openPerson()
    await callTool(key, 'broker_get_account')
    await callTool(key, 'broker_post_listing', listing)
    const stranger = await openPerson()
    expect((await callTool(stranger.key, 'account_list_events')).structuredContent.events).toEqual([])
    const scoped = await openPerson({ services: 'broker' })
    expect((await read(scoped.key)).status).toBe(403)
    expect((await fetch(`${house.url}/v1/events`)).status).toBe(401)
    // A client that signed in to the bundle has the inbox there; one of a service does not.
    const own = await openPerson()
    const tokenFor = async (path: string) =>
      (await signIn(house, own.cookie, { resource: `${house.url}${path}` })).access_token ?? ''
    expect((await read(await tokenFor('/mcp'))).status).toBe(200)
    expect((await read(await tokenFor('/cat/mcp'))).status).toBe(401)
    expect((await read('brk_nobodys')).status).toBe(401)
    const registered = await fetch(`${house.url}/broker/v1/account/register`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ accepted_terms: true }),
    })
    const { api_key } = (await registered.json()) as { api_key: string }
    expect((await read(api_key)).status).toBe(401)
  })

  test('is sent to a public https address only, set after a fresh sign-in, on a page of ours', async () => {
    const { cookie } = await openPerson()
    for (const url of ['http://example.com/', 'https://user:pass@example.com/', 'nowhere'])
      expect((await post(cookie, 'inbox/webhook', { url })).status).toBe(422)
    expect((await post(cookie, 'inbox/webhook', { url: 'https://hooks.example.com/in' })).status).toBe(303)
    const page = await (await fetch(`${house.issuer}/inbox`, { headers: { cookie } })).text()
    expect(page).toContain('https://hooks.example.com/in')
    expect(page).toMatch(/whsec_[\w+/]{43}=/)
    house.wait(301)
    const late = await post(cookie, 'inbox/webhook', { url: 'https://hooks.example.com/other' })
    expect(late.headers.get('location')).toContain('again=1')
    house.wait(-301)
    expect((await post(cookie, 'inbox/webhook/remove', {})).status).toBe(303)
  })
})

onBothEngines(({ place }) => {
  test('a webhook gets each event in order, signed, again after failures and death, and a dead letter in the end', async () => {
    const here = await place()
    const store = await here.open()
    let now = Date.parse('2026-11-27T12:00:00.000Z')
    const clock = { now: () => new Date(now) }
    const keys = openKeys(Buffer.alloc(32, 9))
    const account = newAccountId()
    const received: { id: string; type: string; valid: boolean }[] = []
    let answer: () => Promise<number> = async () => 204
    let secret = ''
    const fetch: Fetch = async (url, { headers = {}, body } = {}) => {
      const status = await answer()
      const id = headers['webhook-id'] ?? ''
      const text = String(body)
      const key = Buffer.from(secret.slice('whsec_'.length), 'base64')
      const mac = createHmac('sha256', key)
        .update(`${id}.${headers['webhook-timestamp']}.${text}`)
        .digest('base64')
      const { type } = JSON.parse(text) as Event
      received.push({
        id,
        type,
        valid: headers['webhook-signature']?.split(' ').includes(`v1,${mac}`) === true,
      })
      return { url, status } as Awaited<ReturnType<Fetch>>
    }
    const deps = { store, clock, keys, fetch }
    const happen = (type: string) =>
      store.transaction(tx =>
        inboxEvents.append(tx, account, { service: 'test', type, subject: null, data: {} }),
      )
    const types = () => received.map(({ type }) => type)
    await happen('before')
    await setWebhook(deps, account, 'https://hooks.example.com/in')
    secret = (await findWebhook(deps, account))?.secret ?? ''
    await happen('one')
    await happen('two')
    // Two workers at once send each once.
    await Promise.all([sendEvents(deps, account), sendEvents(deps, account)])
    expect(types()).toEqual(['one', 'two'])
    expect(received.every(({ valid }) => valid)).toBe(true)

    // A worker that dies holds its lease; then another one sends the same, under the same id.
    await happen('three')
    now += 60_000
    const life = openLife()
    const dying = life.store(store)
    answer = async () => {
      life.die()
      return 204
    }
    void sendEvents({ ...deps, store: dying }, account).catch(() => undefined)
    while (received.length < 3) await new Promise(resolve => setTimeout(resolve, 5))
    answer = async () => 204
    await sendEvents(deps, account)
    expect(types()).toEqual(['one', 'two', 'three'])
    now += 121_000
    await sendEvents(deps, account)
    expect(types()).toEqual(['one', 'two', 'three', 'three'])
    expect(received[3]?.id).toBe(received[2]?.id)

    // Refused: nothing overtakes it, and it is tried less and less often, eight times.
    await happen('four')
    await happen('five')
    answer = async () => 500
    let tries = 0
    for (let minute = 0; minute < 400 && (await listDeadLetters(store, account)).length === 0; minute++) {
      now += 60_000
      const before = received.length
      await sendEvents(deps, account)
      tries += received.length - before
    }
    expect(tries).toBe(8)
    expect(types().slice(4)).toEqual(Array(8).fill('four'))
    const [letter] = await listDeadLetters(store, account)
    expect(letter).toMatchObject({ problem: 'It answered 500.' })
    await expect(resendDeadLetter(deps, newAccountId(), letter?.id ?? '')).rejects.toMatchObject({
      code: 'not_found',
    })
    await expect(resendDeadLetter(deps, account, letter?.id ?? '')).rejects.toMatchObject({
      code: 'upstream',
    })
    answer = async () => 200
    await sendEvents(deps, account)
    expect(types().at(-1)).toBe('five')
    await resendDeadLetter(deps, account, letter?.id ?? '')
    expect(types().at(-1)).toBe('four')
    expect(await listDeadLetters(store, account)).toEqual([])

    // While the pepper is rotated both secrets sign: the one that the receiver has, and the one that the page shows now.
    const turned = { ...deps, keys: openKeys(Buffer.alloc(32, 10), Buffer.alloc(32, 9)) }
    const next = (await findWebhook(turned, account))?.secret ?? ''
    for (const [known, sender, valid] of [
      [secret, turned, true],
      [next, turned, true],
      [next, deps, false],
    ] as const) {
      secret = known
      now += 3_700_000
      await happen('rotated')
      await sendEvents(sender, account)
      expect(received.at(-1)).toMatchObject({ type: 'rotated', valid })
    }

    // No more than a hundred dead letters are kept.
    answer = async () => 410
    for (let n = 0; n < 103; n++) await happen(`n${n}`)
    for (let n = 0; n < 103 * 8; n++) {
      now += 3_700_000
      await sendEvents(deps, account)
    }
    expect(await listDeadLetters(store, account)).toHaveLength(100)
    await store.close()
    await here.clean()
  })
})

test.each([0, 1, 2, 63, 64, 65, 5000])(
  'the newest of %i events are found without a read of them all',
  async last => {
    let rows = 0
    let reads = 0
    // Every third number is a gap, as one that was undone leaves it.
    const numbers = Array.from({ length: last }, (_, at) => at + 1).filter(at => at === last || at % 3 > 0)
    const store = {
      async read(topic: string, after: number, limit: number) {
        const entries = numbers.filter(at => at > after).slice(0, limit)
        rows += entries.length
        reads++
        return entries.map(at => ({ topic, at, time: '', payload: {} }))
      },
    }
    expect(await findLast(store, 'acct_1')).toBe(last)
    const newest = await readNewest(store, 'acct_1', 50)
    expect(newest.map(({ id }) => Number(id))).toEqual(numbers.slice(-50).reverse())
    expect(rows).toBeLessThan(250)
    expect(reads).toBeLessThan(50)
  },
)
