import { z } from 'zod'
import { free, tool } from '../../kernel/tool.ts'
import { forecastSettings } from './config.ts'
import { methodInput, questionInput, tierInput } from './consult/input.ts'
import { readQuestion } from './consult/question.ts'
import { makeQuote } from './consult/quote.ts'
import { assessComplexity, describeTiers, rangeNote, tierPrices, tiers } from './consult/tiers.ts'

const prices = z.object(
  Object.fromEntries(tiers.map(tier => [tier, z.number().describe(`Price of ${tier} in USDC`)])),
)

export default tool({
  name: 'price_estimate',
  title: 'Estimate the price of a consultation',
  description:
    'Tells what a forecast of a question costs at each tier, which tier suits it, and whether it can be answered; quote_id pins tier and price for an hour. Use it before consult. Free.',
  keywords: [
    'cost of a forecast',
    'quote for a prediction',
    'how much is a consultation',
    'how much does a forecast cost',
    'cheapest tier',
    'which tier',
    'what would it cost to ask',
    'price before asking',
    'Preis einer Vorhersage',
    'was kostet eine Prognose',
    'combien coûte une prévision',
    "prix d'une prévision",
    'cuánto cuesta una previsión',
    'precio de un pronóstico',
    'quanto costa una previsione',
    'wat kost een voorspelling',
    'quanto custa uma previsão',
    '予測の料金',
  ],
  input: z.object({
    ...questionInput,
    tier: tierInput.describe('The tier to pin; without it the one that suits'),
    method: methodInput,
  }),
  output: z.object({
    tier: z.enum(tiers).describe('The tier that the quote pins'),
    price: z.number().describe('Its price'),
    currency: z.literal('USDC').describe('Currency'),
    network: z.literal('base').describe('Where it is paid'),
    estimated_price_by_tier: prices.describe('Price of each tier'),
    includes: z
      .object(Object.fromEntries(tiers.map(tier => [tier, z.string().describe(`What is done for ${tier}`)])))
      .describe('What is done at each tier, beside what is done at the one before'),
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
    method: z.string().describe('How it will be answered'),
    method_note: z.string().describe('What that means for the tiers'),
    range_note: z.string().describe('Of the price of the research tier'),
    quote_id: z.string().describe('Pins tier and price of this question'),
    expires_at: z.string().describe('Until when'),
  }),
  needs: ['clock', 'sign'],
  wants: ['llm', forecastSettings.searchUrl],
  price: free,
  limits: [{ perMinute: 60, per: 'client' }],
  hints: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
  rest: { routes: ['POST /expertise/consultation/price-estimate'] },
  examples: [{ question: 'Will a recession begin in the United States by 31 December 2035?' }],
  summary: ({ tier, price }) => `${tier}, ${price} USDC.`,
}).run(
  async ({ clock, sign, llm, searchUrl }, { question: asked, domain, closes_at, tier: wanted, method }) => {
    const hasModel = llm !== undefined && method === 'auto'
    const now = clock.now()
    const question = readQuestion({ question: asked, closes_at }, now)
    const { factors, tier: suitable } = assessComplexity(question, domain)
    const tier = wanted ?? suitable
    const price = tierPrices[tier]
    return {
      tier,
      price: Number(price),
      currency: 'USDC' as const,
      network: 'base' as const,
      estimated_price_by_tier: Object.fromEntries(tiers.map(tier => [tier, Number(tierPrices[tier])])),
      includes: describeTiers(hasModel, searchUrl !== undefined),
      complexity: factors,
      closes_at: question.closesAt.toISOString(),
      method: hasModel ? 'model' : 'reference_class',
      method_note: hasModel
        ? 'A model is asked: a higher tier reads more and asks it more often. If it does not answer, nothing is charged.'
        : 'No model is asked: the probability is the same at every tier, and the tiers differ in what is told beside it.',
      range_note: rangeNote,
      ...makeQuote(sign, { question: asked, domain }, { tier, price }, now),
    }
  },
)
