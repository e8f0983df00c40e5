import { z } from 'zod'
import { tool } from '../../kernel/tool.ts'
import { requireAccount } from './account/caller.ts'
import { bare, DealOut, toPublicDeal } from './deal/public-deal.ts'
import { sealDeal } from './deal/seal.ts'
import { Charges, dryRan, dryRunField, toCharges } from './money/charges.ts'
import { fees } from './money/fees.ts'
import { admit, meteredPrice, orCredits } from './money/meter.ts'
import { commitOr } from './money/rehearse.ts'
import { loadSealable } from './thread/accept.ts'

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
