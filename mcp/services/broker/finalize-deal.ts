import { z } from 'zod'
import { ToolError } from '../../kernel/error.ts'
import { job } from '../../kernel/job.ts'
import { tool } from '../../kernel/tool.ts'
import { newId } from '../../lib/new-id.ts'
import { dayMs } from '../../lib/time.ts'
import type { Ports } from '../../ports/ports.ts'
import type { Tx } from '../../ports/store/port.ts'
import { loadSealable } from './accept-offer.ts'
import { type Account, accountsIn, requireAccount } from './account.ts'
import {
  bare,
  type Deal,
  DealOut,
  dealsIn,
  linksBetween,
  noteNeighbours,
  type Reveal,
  signReceipt,
  toPublicDeal,
} from './deal.ts'
import { emitEvent } from './event.ts'
import { type Listing, listingsIn } from './listing.ts'
import {
  admit,
  Charges,
  captureFee,
  charge,
  commitOr,
  dryRan,
  dryRunField,
  fees,
  meteredPrice,
  orCredits,
  toCharges,
} from './money.ts'
import { countDeal } from './reputation.ts'
import { closeThreads, lastOffer, placeId, placesIn, type Thread, threadsIn } from './thread.ts'

/** Days that the details of a deal are kept. */
const retentionDays = 7

const toReveal = ({ contact_name, contact_email, deal_route, ...account }: Account): Reveal => {
  if (contact_name === null || contact_email === null || deal_route === null)
    throw new ToolError('precondition_required', 'One side took back its contact or deal route.', {
      reason: 'profile_incomplete',
      hint: 'Both sides need contact and deal route again before sealing.',
    })
  return {
    handle: account.handle,
    contact_name,
    contact_email,
    contact_url: account.contact_url,
    deal_route,
    route_protocol_binding: account.route_protocol_binding,
    agent_card_url: account.agent_card_url,
  }
}

const both = async (tx: Tx, { poster, negotiator }: Thread) => {
  const [one, other] = [await accountsIn(tx).get(poster), await accountsIn(tx).get(negotiator)]
  if (!one || !other) throw new ToolError('gone', 'One side of the thread is gone.')
  const reveals = { poster: toReveal(one), negotiator: toReveal(other) }
  const links = await linksBetween(tx, one, other)
  if (links.length === 0) await noteNeighbours(tx, one, other)
  return { reveals, links }
}

type Sealing = { listing: Listing; thread: Thread; issuer: string; now: Date }

/**
 * Seals an accepted thread: takes the fee on hold and the poster's fee, makes the deal, ends the listing and every other
 * thread on it. All in the caller's transaction, so that of any number of sealings one wins and the others change nothing.
 */
const sealDeal = async (
  tx: Tx,
  { ledger, sign }: Pick<Ports, 'ledger' | 'sign'>,
  { listing, thread, issuer, now }: Sealing,
): Promise<Deal> => {
  const { reveals, links } = await both(tx, thread)
  const { terms, terms_hash } = lastOffer(thread)
  const sealed = {
    id: newId('deal', now),
    listing: listing.id,
    terms_hash,
    seller: listing.listing_type === 'sell' ? ('poster' as const) : ('negotiator' as const),
    fee_credits: { poster: fees.deal, negotiator: fees.deal },
    sealed_at: now.toISOString(),
  }
  const handles = { poster: reveals.poster.handle, negotiator: reveals.negotiator.handle }
  const deal: Deal = {
    ...sealed,
    terms,
    thread: thread.id,
    poster: thread.poster,
    negotiator: thread.negotiator,
    category: listing.category,
    links,
    reveals: { poster: reveals.negotiator, negotiator: reveals.poster },
    receipt: signReceipt(sign, issuer, { ...sealed, handles }),
    purge_at: new Date(now.getTime() + retentionDays * dayMs).toISOString(),
    purged: false,
    ratings: { poster: null, negotiator: null },
    disputes: { poster: null, negotiator: null },
  }
  await captureFee(tx, ledger, thread.hold, 'deal fee')
  const fee = { account: thread.poster, credits: fees.deal, memo: 'deal fee' }
  await charge(tx, ledger, { id: `broker-deal:${deal.id}`, ...fee })
  await closeThreads(tx, ledger, listing.id, 'closed', thread.id)
  await placesIn(tx).delete(placeId(thread))
  await threadsIn(tx).put({ ...thread, state: 'finalized', deal: deal.id, moved_at: sealed.sealed_at })
  await listingsIn(tx).put({ ...listing, state: 'closed', deal: deal.id })
  await dealsIn(tx).insert(deal)
  await countDeal(tx, deal)
  const event = { listing: listing.id, thread: thread.id, deal: deal.id }
  await emitEvent(tx, [thread.poster, thread.negotiator], { kind: 'deal_sealed', ...event })
  return deal
}

/** Forgets the negotiation, terms and contacts of deals 7 days after sealing; hash, receipt, ratings and disputes stay. */
export const purgeDeals = job({ name: 'purge-deals', every: 300, needs: ['store', 'clock'] }).run(
  async ({ store, clock, signal }) => {
    while (!signal.aborted) {
      const where = { purged: false, purge_at: { lte: clock.now().toISOString() } }
      const { rows } = await dealsIn(store).find({ index: 'purge', where, limit: 100 })
      if (rows.length === 0) return
      for (const { id, thread, poster, negotiator } of rows)
        await store.transaction(async tx => {
          await dealsIn(tx).update(id, deal => ({ ...deal, terms: null, reveals: null, purged: true }))
          await threadsIn(tx).delete(thread)
          await emitEvent(tx, [poster, negotiator], { kind: 'deal_purged', deal: id })
        })
    }
  },
)

export default tool({
  ...meteredPrice(fees.deal, {
    check: async ({ store, clock, caller }, input: { thread_id: string; terms_hash?: string }) =>
      loadSealable(store, input, await requireAccount(store, caller), clock.now()),
  }),
  name: 'finalize_deal',
  title: 'Seal the deal',
  description:
    "Seals an accepted negotiation on your listing, for good: closes the others, gives each side the other's contact and endpoint. Costs each side 2,000 credits (1.00 USD): yours now, the other's from its hold.",
  keywords: ['finish', 'sign', 'details', 'conclude', 'binding', 'contract'],
  input: z.object({
    thread_id: z.string().max(64).describe('Id of the thread'),
    terms_hash: z
      .string()
      .max(100)
      .optional()
      .describe('Hash of the standing offer, to accept it in the same step'),
    dry_run: dryRunField,
  }),
  aliases: { thread_id: ['id', 'thread'] },
  output: DealOut.extend({
    deal_id: z.string().nullable().describe('Id of the deal; null in a dry run, which makes none'),
    receipt: DealOut.shape.receipt.nullable().describe('Compact JWS (EdDSA); null in a dry run'),
    dry_run: dryRan,
    charges: Charges,
  }),
  needs: ['store', 'clock', 'ledger', 'keys', 'sign'],
  auth: ['apiKey'],
  hints: { readOnly: false, destructive: true, idempotent: false, openWorld: false },
  a2a: { tags: ['deal'] },
  rest: { routes: ['POST /v1/threads/:thread_id/finalize'] },
  needsSetup: true,
  examples: [{ thread_id: 'thr_0' }],
  summary: ({ deal_id, dry_run }) => (dry_run ? 'It could be sealed.' : `Sealed as ${deal_id}.`),
}).run((ctx, { dry_run, ...input }) =>
  orCredits(ctx, fees.deal, () =>
    commitOr(ctx, dry_run, async tx => {
      const now = ctx.clock.now()
      const { account } = await admit(tx, ctx, fees.deal)
      const { thread, listing } = await loadSealable(tx, input, account, now)
      const deal = await sealDeal(tx, ctx, { listing, thread, issuer: ctx.base, now })
      const sealed = toPublicDeal(ctx.sign, ctx.base, deal, 'poster', now)
      // Nothing is revealed that was only rehearsed, and a payment's answer is kept for longer than a contact may be.
      const keepsRecord = ctx.receipt !== undefined
      return {
        ...(dry_run
          ? { ...bare(sealed), deal_id: null, receipt: null }
          : keepsRecord
            ? bare(sealed)
            : sealed),
        dry_run,
        charges: toCharges({ 'deal fee': fees.deal }),
      }
    }),
  ),
)
