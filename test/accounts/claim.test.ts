import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { claimAccountKey, listClaims } from '../../mcp/accounts/claim.ts'
import { openKeys } from '../../mcp/ports/keys/keys.ts'
import { openPostgres } from '../../store/postgres/open.ts'
import { postgresIsHere, withDatabase } from '../store/database.ts'
import { bearer, callMcp, personIn, type Signing, signIn, startSigning } from './fixture.ts'

const pepper = 'p'.repeat(43)
const keys = openKeys(Buffer.from(pepper))
const database = withDatabase()

describe.each(['embedded', ...(postgresIsHere ? ['PostgreSQL'] : [])])('claiming a key, %s', kind => {
  let house: Signing
  beforeAll(async () => {
    const store = kind === 'embedded' ? undefined : await openPostgres({ url: database() })
    house = await startSigning({ environment: { OCTAGENT_PEPPER: pepper }, ...(store && { store }) })
  })
  afterAll(() => house.stop())

  const post = async (path: string, body: object, headers: Record<string, string> = {}) => {
    const response = await fetch(`${house.url}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
    })
    return (await response.json()) as Record<string, string>
  }
  const register = async () => {
    const proof = await post('/proof/register', { label: 'before' })
    const broker = await post('/broker/v1/account/register', { accepted_terms: true })
    return { proof, broker }
  }
  /** The account that a signed-in client has at a service. */
  const accountAt = async (cookie: string, slug: 'broker' | 'proof'): Promise<string> => {
    const { access_token } = await signIn(house, cookie, { resource: `${house.url}/${slug}/mcp` })
    const params = { name: slug === 'broker' ? 'get_account' : 'get_balance', arguments: {} }
    const { body } = await callMcp(`${house.url}/${slug}/mcp`, 'tools/call', params, bearer(access_token))
    return body.result.structuredContent.account_id
  }
  const claimOnPage = (cookie: string, key: string, more: Record<string, string> = {}) => {
    const { origin } = new URL(house.issuer)
    return fetch(`${house.issuer}/account/claims`, {
      method: 'POST',
      headers: { cookie, origin, 'sec-fetch-site': 'same-origin', ...more },
      body: new URLSearchParams({ api_key: key }),
      redirect: 'manual',
    })
  }

  test('makes its account the one that signed-in clients act as, where there was none; else both stay', async () => {
    const { proof, broker } = await register()
    const { account, cookie } = await house.person()
    const own = await accountAt(cookie, 'broker')
    expect((await claimOnPage(cookie, proof.api_key ?? '')).status).toBe(303)
    expect((await claimOnPage(cookie, ` ${broker.api_key} `)).status).toBe(303)
    expect(await accountAt(cookie, 'proof')).toBe(proof.account_id)
    expect(await accountAt(cookie, 'broker')).toBe(own)
    expect(own).not.toBe(broker.account_id)
    const asKey = await fetch(`${house.url}/broker/v1/account`, {
      headers: { 'x-api-key': broker.api_key ?? '' },
    })
    expect(await asKey.json()).toMatchObject({ account_id: broker.account_id })

    const page = await (await fetch(`${house.issuer}/account`, { headers: { cookie } })).text()
    for (const part of [proof.key_preview, broker.key_preview, proof.account_id, 'your clients act as it'])
      expect(page).toContain(part)
    expect(page).not.toContain(proof.api_key)
    // A receipt of each, and none more when it is pasted again.
    expect((await claimOnPage(cookie, proof.api_key ?? '')).status).toBe(303)
    expect((await listClaims(house.store, account)).map(({ holder }) => holder).sort()).toEqual(
      [proof.account_id, broker.account_id].sort(),
    )
    // A key that replaces it is theirs as well.
    const { api_key = '' } = await post('/proof/keys/rotate', {}, { 'x-api-key': proof.api_key ?? '' })
    expect((await claimOnPage((await house.person()).cookie, api_key)).status).toBe(409)
  })

  test('is refused for nobody’s key, one that was replaced, and from pages of others', async () => {
    const { proof } = await register()
    const { account, cookie } = await house.person()
    const rotated = await post('/proof/keys/rotate', {}, { 'x-api-key': proof.api_key ?? '' })
    for (const key of ['', 'brk_', 'nonsense', proof.api_key ?? ''])
      expect((await claimOnPage(cookie, key)).status, key).toBe(404)
    const evil = { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' }
    expect((await claimOnPage(cookie, rotated.api_key ?? '', evil)).status).toBe(403)
    expect((await claimOnPage('', rotated.api_key ?? '')).status).not.toBe(200)
    expect(await listClaims(house.store, account)).toEqual([])
  })

  test('has one winner of many at once, and leaves nothing behind of those who lose', async () => {
    const { proof } = await register()
    const { store } = house
    const clock = { now: () => new Date() }
    const people = await Promise.all(Array.from({ length: 6 }, () => personIn(store)))
    const outcomes = await Promise.all(
      people.map(({ account }) =>
        claimAccountKey({ store, clock, keys }, account, proof.api_key ?? '').then(
          () => 'claimed',
          (error: { code?: string }) => String(error.code),
        ),
      ),
    )
    expect(outcomes.sort()).toEqual(['claimed', ...Array.from({ length: 5 }, () => 'conflict')])
    const owned = await Promise.all(people.map(({ account }) => keys.listOf(store, account)))
    expect(owned.flatMap(own => own.keys)).toHaveLength(1)
    expect(owned.flatMap(own => own.profiles)).toHaveLength(1)
    const receipts = await Promise.all(people.map(({ account }) => listClaims(store, account)))
    expect(receipts.flat()).toHaveLength(1)
  })

  test('ends with the account of the person; the key works on', async () => {
    const { proof } = await register()
    const { account, cookie } = await house.person()
    await claimOnPage(cookie, proof.api_key ?? '')
    await house.store.transaction(tx => keys.release(tx, account))
    const balance = await fetch(`${house.url}/proof/balance`, {
      headers: { 'x-api-key': proof.api_key ?? '' },
    })
    expect(await balance.json()).toMatchObject({ account_id: proof.account_id })
    const next = await house.person()
    expect((await claimOnPage(next.cookie, proof.api_key ?? '')).status).toBe(303)
  })
})
