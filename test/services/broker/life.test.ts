import { describe, expect, test } from 'vitest'
import { purgeDeals } from '../../../mcp/services/broker/finalize-deal.ts'
import { expireListings } from '../../../mcp/services/broker/listing.ts'
import { expireThreads } from '../../../mcp/services/broker/thread.ts'
import { opened } from '../../opened.ts'
import { listingOf, refused, startMarket, type Trader } from './market.ts'

const market = opened(startMarket)

const available = async (one: Trader) =>
  ((await one.ask('get_account')) as { credits: { available: number } }).credits.available

const jobs = async () => {
  const { store, clock, ledger } = market.world.ports
  const ctx = { store, clock, ledger, signal: new AbortController().signal } as never
  for (const job of [expireListings, expireThreads, purgeDeals]) await job.run(ctx)
}

describe('strangers', () => {
  test("another party's thread and deal are as unknown as none", async () => {
    const [poster, one, stranger] = [
      await market.trader({ credits: 3000 }),
      await market.trader({ credits: 2000 }),
      await market.trader({ credits: 3000 }),
    ]
    const { listing_id } = await poster.ask('post_listing', listingOf)
    const { thread_id: id } = await one.ask('open_thread', { listing: listing_id, text: 'Hi.' })
    const unknown = await refused(stranger.ask('get_thread', { id: 'thr_none' }))
    for (const name of ['get_thread', 'make_offer', 'close_thread', 'finalize_deal'])
      expect(
        await refused(stranger.ask(name, { id, ...(name === 'make_offer' && { text: 'x' }) })),
      ).toMatchObject(unknown)
    expect((await refused(stranger.ask('listing_threads', { listing: listing_id }))).code).toBe('not_found')
  })
})

describe('time', () => {
  test('threads expire after 72 hours, listings after a week, deals are purged after 7 days', async () => {
    const own = await startMarket()
    const [poster, one, other] = [
      await own.trader({ credits: 9000 }),
      await own.trader({ credits: 2000 }),
      await own.trader({ credits: 2000 }),
    ]
    const { store, clock, ledger } = own.world.ports
    const run = async () => {
      const ctx = { store, clock, ledger, signal: new AbortController().signal } as never
      for (const job of [expireListings, expireThreads, purgeDeals]) await job.run(ctx)
    }
    const first = await poster.ask('post_listing', listingOf)
    const { thread_id } = await one.ask('open_thread', { listing: first.listing_id, text: 'Hi.' })
    own.later(73 * 3_600_000)
    expect(await one.ask('get_thread', { id: thread_id })).toMatchObject({ state: 'expired' })
    expect(await refused(one.ask('make_offer', { id: thread_id, text: 'x' }))).toMatchObject({
      reason: 'thread_expired',
    })
    await run()
    expect(await available(one)).toBe(2000)

    const sealed = await other.ask('open_thread', { listing: first.listing_id, text: 'Me.' })
    const { terms_hash } = sealed.standing as { terms_hash: string }
    const deal = await poster.ask('finalize_deal', { id: sealed.thread_id, terms_hash })
    const second = await poster.ask('post_listing', listingOf)
    own.later(7.1 * 86_400_000)
    await run()
    expect(await poster.ask('my_listings')).toMatchObject({
      listings: [{ listing_id: second.listing_id, state: 'expired' }, { state: 'closed' }],
    })
    expect(await refused(poster.ask('get_deal', { id: deal.deal_id }))).toMatchObject({
      code: 'gone',
      reason: 'deal_purged',
      params: { receipt: deal.receipt },
    })
    const kept = await store?.collection<{ id: string }>('broker.deals').get(String(deal.deal_id))
    expect(JSON.stringify(kept)).not.toContain('agents.dev')
    expect(await poster.ask('rate_deal', { id: deal.deal_id, score: 5, delivered: true })).toMatchObject({
      state: 'purged',
    })
    await own.stop()
  })
})

describe('reputation', () => {
  test('counts both sides once, keeps small samples to itself, and attests what verifies', async () => {
    const poster = await market.trader({ credits: 20_000 })
    for (let n = 0; n < 5; n++) {
      const one = await market.trader({ credits: 2000 })
      const { listing_id } = await poster.ask('post_listing', listingOf)
      const { thread_id: id, standing } = await one.ask('open_thread', { listing: listing_id, text: 'Hi.' })
      const { deal_id } = await poster.ask('finalize_deal', {
        id,
        terms_hash: (standing as { terms_hash: string }).terms_hash,
      })
      if (n === 3)
        expect(await market.ask('get_reputation', { handle: poster.handle })).toMatchObject({
          seller: {
            completed_deals: 4,
            rated_deals: 3,
            rates_suppressed: true,
            average_rating_hundredths: null,
          },
        })
      await one.ask('rate_deal', { id: deal_id, score: n === 0 ? 1 : 5, delivered: n !== 0 })
      expect(await refused(one.ask('rate_deal', { id: deal_id, score: 5 }))).toMatchObject({
        reason: 'duplicate_rating',
      })
      if (n === 0) await one.ask('dispute_deal', { id: deal_id, statement: 'It never came.' })
    }
    const score = await market.ask('get_reputation', { handle: poster.handle })
    expect(score).toMatchObject({
      seller: {
        completed_deals: 5,
        average_rating_hundredths: 420,
        delivery_rate_bp: 8000,
        dispute_rate_bp: 2000,
        rating_coverage_bp: 10_000,
        score_distribution: [1, 0, 0, 0, 4],
        rates_suppressed: false,
      },
      buyer: { completed_deals: 0, rating_coverage_bp: null },
      distinct_counterparties: 5,
      verified_capabilities: ['research'],
    })
    const { attestation } = await poster.ask('attest_reputation')
    expect(await market.ask('verify_document', { document: attestation })).toMatchObject({
      valid: true,
      kind: 'attestation',
      claims: { sub: poster.handle, reputation: { seller: { completed_deals: 5 } } },
    })
    await jobs()
  })
})

describe('events', () => {
  test('tell what happened, in order, and wait for the next', async () => {
    const [poster, one] = [await market.trader({ credits: 3000 }), await market.trader({ credits: 2000 })]
    const { listing_id } = await poster.ask('post_listing', listingOf)
    const seen = (await poster.ask('wait_events')) as { next: number; events: { kind: string }[] }
    expect(seen.events.map(({ kind }) => kind)).toEqual(['credits_added', 'listing_posted'])
    const waiting = poster.ask('wait_events', { since: seen.next, wait: 20 })
    const { thread_id } = await one.ask('open_thread', { listing: listing_id, text: 'Hi.' })
    expect(await waiting).toMatchObject({
      events: [{ kind: 'thread_opened', listing_id, thread_id }],
      more: false,
    })
    expect(await poster.ask('wait_events', { since: 9999 })).toMatchObject({ events: [], next: 9999 })
  })
})

describe('domains', () => {
  test('a file proves as well as a record; shared hosts and private suffixes bring nothing, with a reason', async () => {
    const one = await market.trader({ profile: false })
    await one.ask('set_route', { deal_route: 'https://agent.filed-domain.com/a2a' })
    const challenge = (await one.ask('get_domain_challenge')) as { token: string; http_url: string }
    expect(await one.ask('verify_domain')).toMatchObject({
      verified: false,
      granted: false,
      detail: expect.stringContaining('TXT'),
    })
    expect(challenge.http_url).toBe('https://filed-domain.com/.well-known/broker-challenge.txt')
    market.internet.web.site('filed-domain.com', '/.well-known/broker-challenge.txt', {
      headers: { 'content-type': 'text/plain' },
      body: `${challenge.token}\n`,
    })
    const shared = await market.trader({ profile: false })
    await shared.ask('set_route', { deal_route: 'https://somebody.github.io/' })
    const { token, grant_reason, dns_record } = (await shared.ask('get_domain_challenge')) as Record<
      string,
      string
    >
    expect(grant_reason).toBe('ephemeral_domain_no_grant')
    market.internet.dns.zone.set(dns_record ?? '', { TXT: [token] })
    expect(await shared.ask('verify_domain')).toMatchObject({
      verified: true,
      method: 'dns',
      granted: false,
      grant_reason: 'ephemeral_domain_no_grant',
    })
    expect(await available(shared)).toBe(0)
  })

  test('one domain is looked at 20 times a minute, whoever asks', async () => {
    const many = await Promise.all(Array.from({ length: 21 }, () => market.trader({ profile: false })))
    for (const one of many) await one.ask('set_route', { deal_route: 'https://a.looked-domain.com/' })
    const asked = await Promise.allSettled(many.map(one => one.ask('verify_domain')))
    expect(asked.filter(({ status }) => status === 'rejected')).toHaveLength(1)
    const last = many.at(-1)
    expect(last && (await refused(last.ask('verify_domain')))).toMatchObject({ code: 'too_many_requests' })
  })

  test('without a deal route there is nothing to prove', async () => {
    const one = await market.trader({ profile: false })
    expect(await refused(one.ask('get_domain_challenge'))).toMatchObject({
      status: 428,
      reason: 'missing_deal_route_self',
    })
  })
})
