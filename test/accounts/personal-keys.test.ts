import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { credit, toBook } from '../../mcp/accounts/books.ts'
import { accountKeysIn } from '../../mcp/kernel/person.ts'
import { openLedger } from '../../mcp/payment/ledger/index.ts'
import { openPostgres } from '../../store/postgres/open.ts'
import { postgresIsHere, withDatabase } from '../store/database.ts'
import { bearer, callMcp, type Signing, startSigning } from './fixture.ts'

const database = withDatabase()

describe.each(['embedded', ...(postgresIsHere ? ['PostgreSQL'] : [])])('keys of a person, %s', kind => {
  let house: Signing
  beforeAll(async () => {
    const store = kind === 'embedded' ? undefined : await openPostgres({ url: database() })
    house = await startSigning({ environment: { OCTAGENT_PEPPER: 'p'.repeat(43) }, ...(store && { store }) })
  })
  afterAll(() => house.stop())

  const post = (cookie: string, path: string, fields: Record<string, string>) =>
    fetch(`${house.issuer}/account/${path}`, {
      method: 'POST',
      headers: { cookie, origin: new URL(house.issuer).origin, 'sec-fetch-site': 'same-origin' },
      body: new URLSearchParams(fields),
      redirect: 'manual',
    })
  const readKey = async (response: Response) => /oct_[\w-]{43}/.exec(await response.text())?.[0] ?? ''
  const makeKey = async (cookie: string, fields: Record<string, string> = {}) =>
    readKey(
      await post(cookie, 'api-keys', { name: 'A model', access: 'write', all_services: '1', ...fields }),
    )
  const callTool = async (key: string, name: string, input: object = {}) => {
    const params = { name: 'call_tool', arguments: { name, arguments: input } }
    const { status, body } = await callMcp(`${house.url}/mcp`, 'tools/call', params, bearer(key))
    const result = body.result ?? body
    return {
      status,
      ...(result as { isError?: boolean; structuredContent?: Record<string, unknown> }),
      text: JSON.stringify(result),
    }
  }
  const openPerson = async (address: string) => {
    const person = await house.person()
    const facts = {
      account: person.account,
      name: 'Wallet',
      created_at: '2026-01-01',
      last_used: '2026-01-01',
    }
    await accountKeysIn(house.store).insert({ id: `wallet:${address}`, kind: 'wallet', ...facts })
    return person
  }
  const holderOf = async (cookie: string) => {
    const page = await (await fetch(`${house.issuer}/account`, { headers: { cookie } })).text()
    return /value="(key_[0-9a-f]{24})"/.exec(page)?.[1] ?? ''
  }

  test('one key uses the broker and the task marketplace over /mcp, as its person', async () => {
    const wallet = `0x${'1a'.repeat(20)}`
    const { cookie } = await openPerson(wallet)
    const key = await makeKey(cookie)
    expect(key).toMatch(/^oct_/)
    const broker = await callTool(key, 'broker_get_account')
    expect(broker.structuredContent?.account_id).toEqual(expect.any(String))
    const tasks = await callTool(key, 'tasks_get_balance')
    expect(tasks.structuredContent?.account_id).toBe(`eip155:8453:${wallet}`)
    const rest = await fetch(`${house.url}/broker/v1/account`, { headers: { 'x-api-key': key } })
    expect(await rest.json()).toMatchObject({ account_id: broker.structuredContent?.account_id })
    const page = await (await fetch(`${house.issuer}/account`, { headers: { cookie } })).text()
    expect(page).toContain(`used ${new Date().toISOString().slice(0, 10)}`)
  })

  test('acts within its scope: services, reading or writing, amounts of a call and of a day', async () => {
    const { account, cookie } = await openPerson(`0x${'2b'.repeat(20)}`)
    await house.store.transaction(tx =>
      credit(tx, openLedger(), {
        id: `topup:${account}`,
        book: toBook(account),
        value: 5_000_000n,
        source: 'world:account-x402-evm',
        memo: 'top-up',
      }),
    )
    const { all_services: _, ...one } = { all_services: '', services: 'broker' }
    const reader = await readKey(await post(cookie, 'api-keys', { name: 'Reader', access: 'read', ...one }))
    expect((await callTool(reader, 'broker_get_account')).structuredContent?.account_id).toBeDefined()
    for (const [name, input, reason] of [
      ['broker_post_listing', { title: 'x' }, 'scope_read'],
      ['tasks_get_balance', {}, 'scope_service'],
      ['proof_get_balance', {}, 'scope_service'],
      ['proof_witness', { source: 'example.org', body: 'It rained.' }, 'scope_service'],
    ] as const)
      expect(await callTool(reader, name, input)).toMatchObject({
        isError: true,
        text: expect.stringContaining(reason),
      })
    const rest = await fetch(`${house.url}/proof/balance`, { headers: { authorization: `Bearer ${reader}` } })
    expect([rest.status, ((await rest.json()) as { reason: string }).reason]).toEqual([403, 'scope_service'])

    const poor = await makeKey(cookie, { per_call: '0.000001', per_day: '' })
    // The first five calls of an account cost nothing.
    for (let nth = 0; nth < 5; nth++)
      await callTool(poor, 'proof_witness', { source: 'example.org', body: `It rained ${nth} times.` })
    const paid = await callTool(poor, 'proof_witness', { source: 'example.org', body: 'It rained.' })
    expect(paid.text).toContain('limit_per_call')
    const taken = await callTool(poor, 'proof_withdraw', { invoice: 'lnbcrt50u1p0example' })
    expect(taken.text).toContain('person_only')
    for (const [field, value] of [
      ['services', 'nothing'],
      ['per_call', 'a lot'],
      ['access', 'all'],
    ] as const) {
      const refused = await post(cookie, 'api-keys', { name: 'x', services: 'broker', [field]: value })
      expect([refused.status, await refused.text()]).toEqual([422, expect.stringContaining(field)])
    }
  })

  test('is replaced with an overlap, removed at once, and never somebody else’s to change', async () => {
    const { cookie } = await house.person()
    const key = await makeKey(cookie)
    const holder = await holderOf(cookie)
    const stranger = await house.person()
    for (const path of ['rotate', 'remove'])
      expect((await post(stranger.cookie, `api-keys/${path}`, { key: holder })).status).toBe(404)
    expect((await post(stranger.cookie, 'claims', { api_key: key })).status).toBe(409)
    const next = await readKey(await post(cookie, 'api-keys/rotate', { key: holder }))
    const works = async (value: string) =>
      (await callTool(value, 'broker_get_account')).structuredContent !== undefined
    expect([await works(key), await works(next)]).toEqual([true, true])
    house.wait(3601)
    expect([await works(key), await works(next)]).toEqual([false, true])
    house.wait(-3601)
    expect((await post(cookie, 'api-keys/remove', { key: holder })).status).toBe(303)
    expect(await works(next)).toBe(false)

    const last = await makeKey(cookie)
    expect(await works(last)).toBe(true)
    expect((await post(cookie, 'delete', {})).status).toBe(200)
    expect(await works(last)).toBe(false)
  })

  test('asks for a fresh sign-in, and for a page of ours', async () => {
    const { cookie } = await house.person()
    house.wait(301)
    const late = await post(cookie, 'api-keys', { name: 'x', access: 'read', all_services: '1' })
    expect([late.status, late.headers.get('location')]).toEqual([303, expect.stringContaining('again=1')])
    house.wait(-301)
    const evil = await fetch(`${house.issuer}/account/api-keys`, {
      method: 'POST',
      headers: { cookie, origin: 'https://evil.example' },
      body: new URLSearchParams({ name: 'x' }),
    })
    expect(evil.status).toBe(403)
  })
})
