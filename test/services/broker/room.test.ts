import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { registrationsPerDay } from '../../../mcp/kernel/origin.ts'
import { hashOrigin, maxNeverFunded, openAccount } from '../../../mcp/services/broker/account.ts'
import { expireAccounts } from '../../../mcp/services/broker/expire-accounts.ts'
import { expireListings, purgeListings } from '../../../mcp/services/broker/listing.ts'
import { maxOpenedADay } from '../../../mcp/services/broker/open-thread.ts'
import { listingOf, type Market, refused, startMarket } from './market.ts'

const dayMs = 86_400_000

let market: Market
beforeEach(async () => {
  market = await startMarket()
})
afterEach(() => market.stop())

const register = (client: string) => market.ask('register_account', { accepted_terms: true }, { client })

const count = (name: string) => market.world.ports.store?.collection(name).count()

const run = async () => {
  const { store, clock, ledger, keys } = market.world.ports
  const ctx = { store, clock, ledger, keys, signal: new AbortController().signal } as never
  for (const job of [expireListings, expireAccounts, purgeListings]) await job.run(ctx)
}

/** Ten a minute is what the broker takes of one client; its limits are by the clock on the wall, so others come between. */
const registerDay = async (address: string) => {
  const { store, keys } = market.world.ports
  if (!store || !keys) throw new Error('no ports')
  const opening = { now: market.now(), origin: hashOrigin(keys, address) }
  for (let nth = 0; nth < registrationsPerDay; nth++)
    await store.transaction(tx => openAccount(tx, keys, opening))
  const until = new Date(Math.floor(market.now().getTime() / dayMs) * dayMs + dayMs).toISOString()
  const id = `register ${address} ${until.slice(0, 10)}`
  await store.collection('daily-quotas').put({ id, used: registrationsPerDay, until } as never)
}

describe('one network address', () => {
  test('opens so many accounts a day, others are not touched, and the next day it may again', async () => {
    await registerDay('10.0.0.1')
    expect(await refused(register('10.0.0.1'))).toMatchObject({
      status: 429,
      reason: 'registrations_of_the_day',
      detail: expect.stringContaining(String(registrationsPerDay)),
    })
    expect(await register('10.0.0.2')).toMatchObject({ existing: false })
    market.later(dayMs + 1)
    expect(await register('10.0.0.1')).toMatchObject({ existing: false })
  })

  test('leaves so many unfunded accounts behind, until they end', async () => {
    for (let day = 0; day < maxNeverFunded / registrationsPerDay; day++) {
      await registerDay('10.0.0.1')
      market.later(dayMs + 1)
    }
    expect(await refused(register('10.0.0.1'))).toMatchObject({ status: 429, reason: 'unfunded_accounts' })
    market.later(30 * dayMs)
    await run()
    expect(await count('broker.accounts')).toBe(0)
    expect(await register('10.0.0.1')).toMatchObject({ existing: false })
  })

  test('is kept as a digest alone', async () => {
    const { account_id } = await register('198.51.100.77')
    const kept = await market.world.ports.store?.collection('broker.accounts').get(String(account_id))
    expect(JSON.stringify(kept)).not.toContain('198.51.100.77')
  })

  test('a registration that is repeated takes no room and answers past the bound', async () => {
    const ask = () =>
      market.ask('register_account', { accepted_terms: true }, { client: '10.0.0.9', idempotencyKey: 'k' })
    const first = await ask()
    await registerDay('10.0.0.9')
    expect(await ask()).toMatchObject({ existing: true, account_id: first.account_id })
  })
})

describe('an account that never held a credit', () => {
  test('ends after 30 days with its listings; one that is funded, or has a live listing, stays', async () => {
    const [idle, funded, late] = [
      await market.trader(),
      await market.trader({ credits: 1000 }),
      await market.trader(),
    ]
    for (const one of [idle, funded]) await one.ask('post_listing', listingOf)
    market.later(29.5 * dayMs)
    await late.ask('post_listing', listingOf)
    market.later(0.5 * dayMs + 1)
    await run()
    expect((await refused(idle.ask('get_account'))).code).toBe('unauthenticated')
    expect(await funded.ask('my_listings')).toMatchObject({ count: 1 })
    expect(await late.ask('my_listings')).toMatchObject({ count: 1, listings: [{ state: 'live' }] })
    expect(await count('broker.listings')).toBe(2)
    market.later(3 * dayMs)
    await run()
    expect((await refused(late.ask('get_account'))).code).toBe('unauthenticated')
    expect(await count('broker.accounts')).toBe(1)
  })
})

describe('a listing', () => {
  test('is forgotten 30 days after its week', async () => {
    const one = await market.trader({ credits: 1000 })
    await one.ask('post_listing', listingOf)
    market.later(36 * dayMs)
    await run()
    expect(await one.ask('my_listings')).toMatchObject({ listings: [{ state: 'expired' }] })
    market.later(1.1 * dayMs)
    await run()
    expect(await count('broker.listings')).toBe(0)
  })
})

describe('one account', () => {
  test('posts as many listings as it pays for', async () => {
    const one = await market.trader({ credits: 201 * 22 })
    for (let nth = 0; nth < 22; nth++) await one.ask('post_listing', listingOf)
    expect(await count('broker.listings')).toBe(22)
  })

  test('opens so many threads a day, though each hold comes back', async () => {
    const [poster, one] = [await market.trader({ credits: 500 }), await market.trader({ credits: 2000 })]
    const { listing_id: listing } = await poster.ask('post_listing', listingOf)
    const rows = market.world.ports.store?.collection<{ id: string }>('broker.threads')
    const { thread_id } = await one.ask('open_thread', { listing, text: 'Hi.' })
    await one.ask('close_thread', { id: thread_id })
    const first = (await rows?.get(String(thread_id))) ?? { id: '' }
    for (let nth = 1; nth < maxOpenedADay; nth++) await rows?.put({ ...first, id: `thr_${nth}` })
    expect(await refused(one.ask('open_thread', { listing, text: 'Hi.' }))).toMatchObject({
      status: 429,
      reason: 'threads_of_the_day',
    })
    market.later(dayMs + 1)
    expect(await one.ask('open_thread', { listing, text: 'Hi.' })).toMatchObject({ state: 'open' })
  })

  test('rotates its key ten times a day', async () => {
    const { api_key } = await register('10.0.0.3')
    let key = String(api_key)
    const rotate = () => market.ask('rotate_key', {}, { credentials: { apiKey: key } })
    for (let nth = 0; nth < 10; nth++) key = String((await rotate()).api_key)
    expect(await refused(rotate())).toMatchObject({ status: 429, reason: 'rotations_of_the_day' })
  })

  test('a thread holds 256 KiB of offers at most', async () => {
    const [poster, one] = [await market.trader({ credits: 500 }), await market.trader({ credits: 2000 })]
    const { listing_id: listing } = await poster.ask('post_listing', listingOf)
    const long = Array.from({ length: 20 }, () => '界 '.repeat(200))
    const patch = { deliverables: long, acceptance_criteria: long }
    const { thread_id: id } = await one.ask('open_thread', { listing, patch })
    const offers = async () => {
      for (let nth = 0; nth < 30; nth++)
        await (nth % 2 === 0 ? poster : one).ask('make_offer', {
          id,
          patch: { ...patch, price_usd: nth + 1 },
        })
    }
    expect(await refused(offers())).toMatchObject({ status: 409, reason: 'thread_full' })
    const kept = await market.world.ports.store?.collection('broker.threads').get(String(id))
    expect(Buffer.byteLength(JSON.stringify(kept))).toBeLessThan(300 * 1024)
  })
})
