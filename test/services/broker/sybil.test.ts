import { describe, expect, test } from 'vitest'
import { accountsIn, rememberWallet } from '../../../mcp/services/broker/account.ts'
import { opened } from '../../opened.ts'
import { listingOf, startMarket, type Trader } from './market.ts'

const market = opened(startMarket)

const deal = async (seller: Trader, buyer: Trader, score = 5): Promise<string> => {
  const { listing_id } = await seller.ask('post_listing', listingOf)
  const { thread_id: id, standing } = await buyer.ask('open_thread', { listing: listing_id, text: 'Hi.' })
  const { terms_hash } = standing as { terms_hash: string }
  const { deal_id } = await seller.ask('finalize_deal', { id, terms_hash })
  await buyer.ask('rate_deal', { id: deal_id, score, delivered: score > 2 })
  return String(deal_id)
}

const reputation = (one: Trader) => market.ask('get_reputation', { handle: one.handle })

const nothing = {
  seller: { completed_deals: 0, rated_deals: 0, average_rating_hundredths: null, rating_coverage_bp: null },
  distinct_counterparties: 0,
  verified_capabilities: [],
}

const rewrite = (one: Trader, more: object) =>
  market.world.ports.store?.transaction(tx =>
    accountsIn(tx).update(one.id, account => ({ ...account, ...more })),
  )

const ring = (count: number, alike: (one: Trader, nth: number) => unknown): Promise<Trader[]> =>
  Promise.all(
    Array.from({ length: count }, async (_, nth) => {
      const one = await market.trader({ credits: 30_000 })
      await alike(one, nth)
      return one
    }),
  )

/** What the accounts of one owner may share, whatever else they make different. */
const rings: [string, (one: Trader, nth: number) => unknown][] = [
  ['address', one => rewrite(one, { origin: 'one-address' })],
  ['wallet', one => market.world.ports.store?.transaction(tx => rememberWallet(tx, one.id, '0xAB12'))],
  ['domain', (one, nth) => rewrite(one, nth === 0 ? { granted_domain: 'ring.dev' } : { contact_email: `agent-${nth}@ring.dev` })],
  ['route', (one, nth) => one.ask('set_route', { deal_route: `https://agent-${nth}.ring-route.dev/` })],
  ['contact', (one, nth) => one.ask('set_contact', { contact_name: 'A', contact_email: `Ada+${nth}@mail.dev` })],
] // biome-ignore format: one line per kind

describe('a ring of accounts of one owner', () => {
  test.each(rings)('gains nothing by dealing with itself, linked by %s', async (link, alike) => {
    const [boss, ...others] = await ring(5, alike)
    if (!boss) throw new Error('no boss')
    for (const other of others) await deal(boss, other)
    expect(await reputation(boss)).toMatchObject({
      ...nothing,
      seller: {
        ...nothing.seller,
        not_counted: { linked_deals: 4, linked_ratings: 4, replaced_ratings: 0 },
      },
      linked_by: { [link]: 4 },
    })
    const { attestation } = await boss.ask('attest_reputation')
    expect(await market.ask('verify_document', { document: attestation })).toMatchObject({
      claims: { reputation: nothing },
    })
  })

  test('does not hide what speaks against an account: blame and disputes count from anybody', async () => {
    const [seller, buyer] = await ring(2, one => rewrite(one, { origin: 'an-address' }))
    if (!seller || !buyer) throw new Error('no ring')
    const id = await deal(seller, buyer, 1)
    await buyer.ask('dispute_deal', { id, statement: 'It never came.' })
    expect(await reputation(seller)).toMatchObject({
      seller: { completed_deals: 0, rated_deals: 1, not_counted: { linked_deals: 1, linked_ratings: 0 } },
    })
  })

  test('is told at the sealing: who changes his route afterwards undoes no rating', async () => {
    const [seller, buyer] = await ring(2, () => undefined)
    if (!seller || !buyer) throw new Error('no ring')
    const { listing_id } = await seller.ask('post_listing', listingOf)
    const { thread_id: id, standing } = await buyer.ask('open_thread', { listing: listing_id, text: 'Hi.' })
    const { terms_hash } = standing as { terms_hash: string }
    const { deal_id } = await seller.ask('finalize_deal', { id, terms_hash })
    await seller.ask('set_route', { deal_route: `https://x.agent-${buyer.handle}.dev/` })
    await buyer.ask('rate_deal', { id: deal_id, score: 3 })
    expect(await reputation(seller)).toMatchObject({ seller: { rated_deals: 1, completed_deals: 1 } })
  })
})

describe('strangers', () => {
  test('behind one address count once a wallet has paid for each, with one account of that address', async () => {
    const [seller, buyer, third] = await ring(3, async (one, nth) => {
      await rewrite(one, { origin: 'an-office' })
      if (nth > 0) await market.world.ports.store?.transaction(tx => rememberWallet(tx, one.id, `0xC${nth}`))
    })
    if (!seller || !buyer || !third) throw new Error('no traders')
    await deal(seller, buyer)
    expect(await reputation(seller)).toMatchObject({ ...nothing, linked_by: { address: 1 } })
    await market.world.ports.store?.transaction(tx => rememberWallet(tx, seller.id, '0xC0'))
    for (const other of [buyer, third, buyer]) await deal(seller, other)
    expect(await reputation(seller)).toMatchObject({
      seller: { completed_deals: 2, rated_deals: 1, not_counted: { linked_deals: 2 } },
      distinct_counterparties: 1,
      linked_by: { address: 2, wallet: 0 },
    })
  })

  test('two of them count for each other', async () => {
    const [seller, buyer] = [await market.trader({ credits: 9000 }), await market.trader({ credits: 9000 })]
    await deal(seller, buyer)
    expect(await reputation(seller)).toMatchObject({
      seller: { completed_deals: 1, rated_deals: 1, not_counted: { linked_deals: 0 } },
      distinct_counterparties: 1,
      linked_by: { address: 0, wallet: 0, domain: 0, route: 0, contact: 0 },
    })
  })

  test('who writes from the same mail provider is a stranger all the same', async () => {
    const two = await ring(2, (one, nth) =>
      one.ask('set_contact', { contact_name: 'A', contact_email: `agent-${nth}@gmail.com` }),
    )
    const [seller, buyer] = two
    if (!seller || !buyer) throw new Error('no traders')
    await deal(seller, buyer)
    expect(await reputation(seller)).toMatchObject({ seller: { completed_deals: 1 } })
  })

  test('of each the latest rating counts, and a capability needs three of them, not three deals', async () => {
    const seller = await market.trader({ credits: 40_000 })
    const first = await market.trader({ credits: 20_000 })
    for (const score of [1, 2, 5, 5]) await deal(seller, first, score)
    expect(await reputation(seller)).toMatchObject({
      seller: {
        completed_deals: 4,
        rated_deals: 1,
        rating_coverage_bp: 10_000,
        not_counted: { replaced_ratings: 3 },
      },
      distinct_counterparties: 1,
      verified_capabilities: [],
    })
    for (let nth = 0; nth < 4; nth++) await deal(seller, await market.trader({ credits: 2000 }), 4)
    expect(await reputation(seller)).toMatchObject({
      seller: {
        completed_deals: 8,
        rated_deals: 5,
        average_rating_hundredths: 420,
        score_distribution: [0, 0, 0, 4, 1],
        delivery_rate_bp: 10_000,
      },
      distinct_counterparties: 5,
      verified_capabilities: ['research'],
    })
  })
})

describe('a domain grant', () => {
  test('can be spent on fees alone: no tool moves credits from one account to another', async () => {
    const [one, other] = await ring(2, () => undefined)
    if (!one || !other) throw new Error('no traders')
    await deal(one, other)
    const { lines } = (await one.ask('get_credits')) as { lines: { memo: string; credits: number }[] }
    const got = (await other.ask('get_credits')) as typeof lines extends never
      ? never
      : { lines: typeof lines }
    expect(lines.filter(({ credits }) => credits > 0).map(({ memo }) => memo)).toEqual(['test'])
    expect(got.lines.filter(({ credits }) => credits > 0).map(({ memo }) => memo)).toEqual(['test'])
  })
})
