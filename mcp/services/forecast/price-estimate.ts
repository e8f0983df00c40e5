import { z } from 'zod'
import { free, tool } from '../../kernel/tool.ts'
import { forecastSettings } from './config.ts'
import { decideConsult, describeBasis, engines, makeQuote } from './consult/decide.ts'
import { aidInput, methodInput, questionInput, ReadingOut, tierInput } from './consult/schema.ts'
import { assessComplexity, consultTiers, describeTiers, rangeNote, tierPrices } from './consult/tiers.ts'

const prices = z.object(
  Object.fromEntries(consultTiers.map(tier => [tier, z.number().describe(`Price of ${tier} in USDC`)])),
)

export default tool({
  name: 'price_estimate',
  title: 'Estimate the price of a consultation',
  description:
    'Tells what a forecast costs, what answers it (engine and basis), and whether it can be answered at all; quote_id pins tier and price for an hour. Use it before consult, with the same form. Free.',
  keywords: ['charge', 'prediction', 'ask', 'cheapest'],
  input: z.object({
    ...questionInput,
    tier: tierInput.describe('The tier to pin; without it quick, or with a model the one that suits'),
    method: methodInput,
    form: aidInput.form,
    priors: aidInput.priors,
    sources: aidInput.sources,
  }),
  output: z.object({
    tier: z.enum(consultTiers).describe('The tier that the quote pins'),
    price: z.number().describe('Its price'),
    currency: z.literal('USDC').describe('Currency'),
    network: z.literal('base').describe('Where it is paid'),
    engine: z.enum(engines).describe('What will answer: a form that is computed, or a model'),
    basis: z.string().describe('What the answer will rest on'),
    basis_note: z.string().describe('The same in words'),
    read: ReadingOut,
    estimated_price_by_tier: prices.describe(
      'Price of each tier, of this engine at quick, with a model above',
    ),
    includes: z
      .object(
        Object.fromEntries(consultTiers.map(tier => [tier, z.string().describe(`What is done for ${tier}`)])),
      )
      .describe('What is done at each tier, and its bounds'),
    complexity: z
      .array(
        z.object({
          name: z.string().describe('Factor'),
          points: z.number().int().describe('0 to 2'),
          reason: z.string().describe('Why'),
        }),
      )
      .describe('What the choice of the tier follows from'),
    closes_at: z.string().describe('When the question closes'),
    range_note: z.string().describe('Of the prices with and without a model'),
    quote_id: z.string().describe('Pins tier and price of this question'),
    expires_at: z.string().describe('Until when'),
  }),
  needs: ['clock', 'sign'],
  wants: ['llm', 'fetch', 'workers', forecastSettings.searchUrl],
  price: free,
  limits: [{ perMinute: 60, per: 'client' }],
  hints: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
  rest: { routes: ['POST /expertise/consultation/price-estimate'] },
  examples: [
    {
      question: 'Will a recession begin in the United States by 31 December 2035?',
      form: { kind: 'event', events: 12, n: 78, period_days: 365.25 },
    },
  ],
  summary: ({ tier, price, engine }) => `${tier}, ${price} USDC, by ${engine}.`,
}).run(async (ctx, input) => {
  const { clock, sign, llm, searchUrl } = ctx
  const { question: asked, domain } = input
  const first = decideConsult(ctx, input)
  const { factors, tier: suitable } = assessComplexity(first.question, domain)
  const isChosen = input.tier === undefined && first.engine === 'model'
  const canRead = searchUrl !== undefined || (input.sources?.length ?? 0) > 0
  const decision = isChosen && canRead ? decideConsult(ctx, { ...input, tier: suitable }) : first
  const { tier, price, engine, basis, question, reading } = decision
  const quickPrice = first.engine === 'form' ? first.price : tierPrices.quick
  return {
    tier,
    price: Number(price),
    currency: 'USDC' as const,
    network: 'base' as const,
    engine,
    basis,
    basis_note: describeBasis(decision),
    read: reading,
    estimated_price_by_tier: Object.fromEntries(
      consultTiers.map(tier => [tier, Number(tier === 'quick' ? quickPrice : tierPrices[tier])]),
    ),
    includes: describeTiers(llm !== undefined, searchUrl !== undefined),
    complexity: factors,
    closes_at: question.closesAt.toISOString(),
    range_note: rangeNote,
    ...makeQuote(sign, { question: asked, domain }, { tier, price, basis }, clock.now()),
  }
})
