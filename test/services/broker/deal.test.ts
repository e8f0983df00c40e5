import { compactVerify, createLocalJWKSet } from 'jose'
import { describe, expect, test } from 'vitest'
import { opened } from '../../opened.ts'
import { listingOf, refused, startMarket, type Trader } from './market.ts'

const market = opened(startMarket)

const available = async (one: Trader) =>
  ((await one.ask('get_account')) as { credits: { available: number } }).credits.available

/** A thread whose standing offer the poster may accept. */
const negotiation = async () => {
  const [poster, negotiator] = await Promise.all([
    market.trader({ credits: 5000 }),
    market.trader({ credits: 5000 }),
  ])
  const { listing_id } = await poster.ask('post_listing', listingOf)
  const thread = (await negotiator.ask('open_thread', {
    listing: listing_id,
    text: 'For ten I take it.',
    patch: { price_usd: 10 },
  })) as {
    thread_id: string
    standing: { terms_hash: string }
  }
  return { poster, negotiator, listing_id, thread, id: thread.thread_id, hash: thread.standing.terms_hash }
}

describe('from listing to deal', () => {
  test('each side pays once, learns of the other, and holds a receipt that verifies offline', async () => {
    const { poster, negotiator, id, hash } = await negotiation()
    expect(await available(negotiator)).toBe(3000)
    expect(await available(poster)).toBe(5000 - 201)
    const deal = (await poster.ask('finalize_deal', { id, terms_hash: hash })) as {
      deal_id: string
      receipt: string
    }
    expect(deal).toMatchObject({
      role: 'poster',
      you_are: 'seller',
      price_usd: '10.00',
      fee_credits: 2000,
      reveal: { handle: negotiator.handle, contact_email: `${negotiator.handle}@agents.dev` },
      charges: [{ what: 'deal fee', credits: 2000, usd: '1.00' }],
    })
    expect(await available(poster)).toBe(5000 - 201 - 2000)
    expect(await available(negotiator)).toBe(3000)
    const theirs = await negotiator.ask('get_deal', { id: deal.deal_id })
    expect(theirs).toMatchObject({
      role: 'negotiator',
      you_are: 'buyer',
      receipt: deal.receipt,
      reveal: { handle: poster.handle },
    })
    const keys = createLocalJWKSet((await market.world.ports.sign?.jwks()) as never)
    const { payload } = await compactVerify(deal.receipt, keys)
    expect(JSON.parse(new TextDecoder().decode(payload))).toMatchObject({
      deal_id: deal.deal_id,
      terms_hash: hash,
      poster: poster.handle,
      negotiator: negotiator.handle,
      fee_credits: { poster: 2000, negotiator: 2000 },
    })
    expect(await market.ask('verify_document', { document: deal.receipt })).toMatchObject({
      valid: true,
      kind: 'receipt',
    })
  })

  test('the negotiator accepts, and only the poster seals', async () => {
    const { poster, negotiator, id } = await negotiation()
    const offer = (await poster.ask('make_offer', { id, patch: { price_usd: 11 } })) as {
      standing: { terms_hash: string }
    }
    expect(await refused(negotiator.ask('finalize_deal', { id }))).toMatchObject({ code: 'forbidden' })
    await negotiator.ask('accept_offer', { id, terms_hash: offer.standing.terms_hash })
    expect(await refused(negotiator.ask('finalize_deal', { id }))).toMatchObject({ code: 'forbidden' })
    expect(await available(negotiator)).toBe(3000)
    expect(await poster.ask('finalize_deal', { id })).toMatchObject({ price_usd: '11.00' })
  })

  test('turns are strict, and stale terms are refused with the ones that stand', async () => {
    const { poster, negotiator, id, hash } = await negotiation()
    expect(await refused(negotiator.ask('make_offer', { id, text: 'Nine?' }))).toMatchObject({
      code: 'conflict',
      reason: 'out_of_turn',
      params: { turn: 'poster' },
    })
    await poster.ask('make_offer', { id, patch: { price_usd: 12 } })
    const stale = await refused(negotiator.ask('accept_offer', { id, terms_hash: hash }))
    expect(stale).toMatchObject({ reason: 'stale_terms', params: { version: 2 } })
    expect(stale.params).not.toMatchObject({ terms_hash: hash })
  })

  test('a dry run does all but write and charge', async () => {
    const { poster, id, hash, listing_id } = await negotiation()
    const dry = await poster.ask('finalize_deal', { id, terms_hash: hash, dry_run: true })
    expect(dry).toMatchObject({ dry_run: true, charges: [{ credits: 2000 }] })
    expect(await poster.ask('get_thread', { id })).toMatchObject({ state: 'open' })
    expect(await available(poster)).toBe(5000 - 201)
    expect(await poster.ask('my_listings')).toMatchObject({ listings: [{ listing_id, state: 'live' }] })
  })

  test('sealing closes the competitors and frees their holds', async () => {
    const { poster, id, hash, listing_id } = await negotiation()
    const other = await market.trader({ credits: 2500 })
    const { thread_id } = await other.ask('open_thread', { listing: listing_id, text: 'Me too.' })
    expect(await available(other)).toBe(500)
    await poster.ask('finalize_deal', { id, terms_hash: hash })
    expect(await available(other)).toBe(2500)
    expect(await refused(other.ask('make_offer', { id: thread_id, text: 'Still there?' }))).toMatchObject({
      code: 'gone',
      reason: 'thread_auto_closed',
    })
    expect(await refused(poster.ask('finalize_deal', { id }))).toMatchObject({ reason: 'already_finalized' })
  })

  test('closing frees the hold; a thread without moves expires and frees it too', async () => {
    const one = await negotiation()
    await one.negotiator.ask('close_thread', { id: one.id })
    expect(await available(one.negotiator)).toBe(5000)
    expect(
      await refused(one.poster.ask('finalize_deal', { id: one.id, terms_hash: one.hash })),
    ).toMatchObject({
      reason: 'thread_closed',
    })
  })
})
