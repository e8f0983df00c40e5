import { describe, expect, test } from 'vitest'
import { opened } from '../../opened.ts'
import { listingOf, refused, startMarket, type Trader } from './market.ts'

const market = opened(startMarket)

/** One listing, one thread and one deal between two traders. */
const dealt = async (poster: Trader, negotiator: Trader) => {
  const { listing_id } = await poster.ask('post_listing', listingOf)
  const { thread_id, standing } = await negotiator.ask('open_thread', { listing_id, text: 'As it is.' })
  const { terms_hash } = standing as { terms_hash: string }
  return poster.ask('finalize_deal', { thread_id, terms_hash })
}

describe('what an answer has works in the next call', () => {
  test('under the name it has there, and under the short one', async () => {
    const [poster, negotiator] = [
      await market.trader({ credits: 10_000 }),
      await market.trader({ credits: 10_000 }),
    ]
    const { listing_id, thread_id, deal_id } = await dealt(poster, negotiator)
    for (const input of [{ listing_id }, { listing: listing_id }, { id: listing_id }])
      expect(await negotiator.ask('get_listing', input)).toMatchObject({ listing_id })
    for (const input of [{ thread_id }, { thread: thread_id }, { id: thread_id }])
      expect(await negotiator.ask('get_thread', input)).toMatchObject({ thread_id, listing_id, deal_id })
    for (const input of [{ deal_id }, { deal: deal_id }, { id: deal_id }])
      expect(await negotiator.ask('get_deal', input)).toMatchObject({ deal_id, thread_id, listing_id })
    const { counterparty } = await negotiator.ask('get_thread', { thread_id })
    expect(await market.ask('get_reputation', { counterparty })).toMatchObject({ handle: poster.handle })
    const { receipt } = await poster.ask('get_deal', { deal_id })
    expect(await market.ask('verify_document', { receipt })).toMatchObject({ valid: true })
  })

  test('two names that say different things are refused by name', async () => {
    const one = await market.trader()
    expect(await refused(one.ask('get_thread', { thread_id: 'thr_1', id: 'thr_2' }))).toMatchObject({
      code: 'invalid_input',
      issues: [{ path: 'thread_id' }],
    })
    expect(await refused(one.ask('get_thread', { thread_id: 'thr_1', id: 'thr_1' }))).toMatchObject({
      code: 'not_found',
    })
  })
})

test('my_deals and my_threads show both sides, the newest first, whole over pages; a role narrows them', async () => {
  const one = await market.trader({ credits: 40_000 })
  const expected: unknown[] = []
  for (let at = 0; at < 6; at++) {
    const other = await market.trader({ credits: 10_000 })
    market.later(1000)
    const { deal_id } = await (at % 2 === 0 ? dealt(one, other) : dealt(other, one))
    expected.unshift(deal_id)
  }
  const list = async (name: string, what: string, more: object = {}) => {
    const ids: unknown[] = []
    const roles = new Set<unknown>()
    for (let next: unknown; ; ) {
      const page = await one.ask(name, { limit: 2, ...more, ...(next !== undefined && { next }) })
      for (const row of page[what] as Record<string, unknown>[]) {
        ids.push(row.deal_id)
        roles.add(row.role)
      }
      if (page.next === null) return { ids, roles: [...roles].sort() }
      next = page.next
    }
  }
  for (const [name, what] of [
    ['my_deals', 'deals'],
    ['my_threads', 'threads'],
  ] as const) {
    expect(await list(name, what)).toEqual({ ids: expected, roles: ['negotiator', 'poster'] })
    const own = await list(name, what, { role: 'poster' })
    expect(own).toEqual({ ids: expected.filter((_, at) => at % 2 === 1), roles: ['poster'] })
    expect(await refused(one.ask(name, { after: 'made-up' }))).toMatchObject({
      code: 'invalid_input',
      issues: [{ path: 'after' }],
    })
  }
})

test('deals that were sealed within one millisecond are all listed, once', async () => {
  const still = new Date()
  const frozen = await startMarket({ clock: { now: () => still } })
  try {
    const one = await frozen.trader({ credits: 40_000 })
    const sealed = new Set<unknown>()
    for (let at = 0; at < 5; at++) {
      const other = await frozen.trader({ credits: 10_000 })
      sealed.add((await (at % 2 === 0 ? dealt(one, other) : dealt(other, one))).deal_id)
    }
    const seen: unknown[] = []
    for (let after: unknown; ; ) {
      const page = await one.ask('my_deals', { limit: 1, ...(after !== undefined && { after }) })
      seen.push(...(page.deals as { deal_id: string }[]).map(({ deal_id }) => deal_id))
      if (page.next === null) break
      after = page.next
    }
    expect(new Set(seen)).toEqual(sealed)
    expect(seen).toHaveLength(5)
  } finally {
    await frozen.stop()
  }
})

describe('a price of nothing', () => {
  test('or none at all, is explained wherever a price is shown', async () => {
    const [poster, negotiator] = [
      await market.trader({ credits: 10_000 }),
      await market.trader({ credits: 10_000 }),
    ]
    const { price_usd: _, ...unpriced } = listingOf
    const open = await poster.ask('post_listing', unpriced)
    expect(open).toMatchObject({ price_usd: '0.00', price_note: expect.stringMatching(/No price is named/) })
    expect(await poster.ask('post_listing', { ...listingOf, price_usd: 0 })).toMatchObject({
      price_note: open.price_note,
    })
    const { listing_id } = open
    const thread = await negotiator.ask('open_thread', { listing_id, text: 'For nothing?' })
    const { terms_hash } = thread.standing as { terms_hash: string }
    expect(thread.standing).toMatchObject({ price_usd: '0.00', price_note: open.price_note })
    expect(await poster.ask('finalize_deal', { thread_id: thread.thread_id, terms_hash })).toMatchObject({
      price_note: expect.stringMatching(/Nothing is to be paid/),
    })
    expect(await poster.ask('post_listing', listingOf)).toMatchObject({ price_note: null })
  })

  test('that is a word, a sign or a minus is refused with what to send', async () => {
    const one = await market.trader()
    for (const price_usd of ['free', '-5', -5, '$5', '1,50'])
      expect(await refused(one.ask('post_listing', { ...listingOf, price_usd }))).toMatchObject({
        code: 'invalid_input',
        detail: expect.stringMatching(/USD such as 12\.5.*0, or no price at all/),
      })
  })
})

test('the domain and the company of an account are hidden until a deal is sealed', async () => {
  const [poster, negotiator] = [
    await market.trader({ credits: 10_000 }),
    await market.trader({ credits: 10_000 }),
  ]
  const domain = `agent-${poster.handle}.dev`
  const { token, dns_record } = await poster.ask('get_domain_challenge')
  market.internet.dns.zone.set(String(dns_record), { TXT: [String(token)] })
  expect(await market.ask('get_reputation', { handle: poster.handle })).toMatchObject({
    domain_verified: false,
  })
  expect(await poster.ask('verify_domain')).toMatchObject({ granted: true })
  const { listing_id } = await poster.ask('post_listing', listingOf)
  const { attestation } = await poster.ask('attest_reputation')
  const thread = await negotiator.ask('open_thread', { listing_id, text: 'As it is.' })
  const answers = [
    await market.ask('get_reputation', { handle: poster.handle }),
    await market.ask('verify_document', { document: attestation }),
    await market.ask('preview_board', {}),
    await market.ask('board_stats'),
    await negotiator.ask('browse_feed', { q: 'market' }),
    await negotiator.ask('browse_feed', { q: `agent-${poster.handle}` }),
    await negotiator.ask('get_listing', { listing_id }),
    await negotiator.ask('get_thread', { thread_id: thread.thread_id }),
    await negotiator.ask('my_threads'),
    await negotiator.ask('wait_events'),
    await poster.ask('wait_events'),
  ]
  const text = JSON.stringify([
    ...answers,
    Buffer.from(String(attestation).split('.')[1] ?? '', 'base64url').toString(),
  ])
  expect(text).not.toContain(domain)
  expect(text).not.toContain('@agents.dev')
  expect(text).not.toContain(`Agent ${poster.handle}`)
  expect(answers[0]).toMatchObject({ domain_verified: true })
  expect(answers[1]).toMatchObject({ claims: { reputation: { domain_verified: true } } })
  // Nobody learns by pointing at it that a domain has an account here.
  await negotiator.ask('set_route', { deal_route: `https://${domain}/a2a` })
  expect(await negotiator.ask('get_domain_challenge')).toMatchObject({ domain, grant_reason: null })
  const { terms_hash } = thread.standing as { terms_hash: string }
  await poster.ask('finalize_deal', { thread_id: thread.thread_id, terms_hash })
  const { deals } = await negotiator.ask('my_deals')
  expect(JSON.stringify(deals)).toContain(domain)
})

test('a contact that is split over the entries of a list is refused, a list of ordinary entries is not', async () => {
  const one = await market.trader()
  const split = { ...listingOf, deliverables: ['Reports +32 2', '555 12', '12 and charts'] }
  expect(await refused(one.ask('post_listing', split))).toMatchObject({
    reason: 'contact_leak',
    issues: [{ path: 'deliverables' }],
  })
  const ordinary = {
    ...listingOf,
    deliverables: ['One PDF a week', '3 charts', '12 tables', 'Data from stripe.com'],
  }
  expect(await one.ask('post_listing', ordinary)).toMatchObject({ state: 'live' })
})
