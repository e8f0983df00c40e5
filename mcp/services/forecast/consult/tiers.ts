import { describePlan, plans } from '../model/plan.ts'
import type { Question } from './question.ts'

export const consultTiers = ['quick', 'standard', 'deep', 'research'] as const
export type ConsultTier = (typeof consultTiers)[number]

/** Consultations with a model, in USDC on Base. */
export const tierPrices: Readonly<Record<ConsultTier, string>> = {
  quick: '3',
  standard: '10',
  deep: '25',
  research: '50',
}

/** Answers without a model, by what they rest on. */
export const formPrices = {
  price: '0',
  event: '0.01',
  state: '0.01',
  rank: '0.01',
  priors: '0.01',
  count: '0.02',
  change: '0.05',
  level: '0.05',
} as const

export type Basis = keyof typeof formPrices

export const rangeNote =
  'Consultations with a model cost 3 to 25 USDC; the research tier is beyond that range, at 50 USDC, and is never chosen for you. Without a model a form is computed, at the tier quick alone, for 0.01 to 0.05 USDC; the price of a market costs nothing.'

type Factor = { name: string; points: number; reason: string }

/** How much there is to weigh in a question, and the tier for that: never the one beyond the stated range. */
export const assessComplexity = (
  { text, days }: Question,
  domain: string,
): { factors: Factor[]; tier: ConsultTier } => {
  const factors: Factor[] = [
    {
      name: 'horizon',
      points: days > 730 ? 2 : days > 180 ? 1 : 0,
      reason: `${Math.round(days)} days to the close`,
    },
    {
      name: 'length',
      points: text.length > 400 ? 2 : text.length > 200 ? 1 : 0,
      reason: `${text.length} characters`,
    },
    { name: 'domain', points: domain === 'general' ? 0 : 1, reason: `domain ${domain}` },
  ]
  const points = factors.reduce((sum, factor) => sum + factor.points, 0)
  return { factors, tier: points >= 4 ? 'deep' : points >= 2 ? 'standard' : 'quick' }
}

/** Describes the work of each tier. */
export const describeTiers = (hasModel: boolean, canSearch: boolean): Record<ConsultTier, string> =>
  Object.fromEntries(
    consultTiers.map(tier => [
      tier,
      hasModel
        ? describePlan(plans[tier], canSearch)
        : tier === 'quick'
          ? 'the form that you state is computed, registered and signed'
          : 'needs a model, and none is configured here',
    ]),
  ) as Record<ConsultTier, string>
