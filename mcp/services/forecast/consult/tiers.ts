import { describePlan, plans } from './model/plan.ts'
import type { Question } from './question.ts'

export const tiers = ['quick', 'standard', 'deep', 'research'] as const
export type Tier = (typeof tiers)[number]

/** USDC on Base. */
export const tierPrices: Readonly<Record<Tier, string>> = {
  quick: '3',
  standard: '10',
  deep: '25',
  research: '50',
}

/** What each tier adds to the one before, whether or not a model is asked. */
const tierContents: Readonly<Record<Tier, string>> = {
  quick: 'probability, interval, class, adjustments, reasoning, registered and signed',
  standard: 'and how the answer changes without each input',
  deep: 'and the probability by earlier and later dates, and by other classes',
  research: 'and how strong evidence would have to be to move the answer to each of five probabilities',
}

export const rangeNote =
  'Consultations cost 3 to 25 USDC; the research tier is beyond that range, at 50 USDC, and is never chosen for you.'

type Factor = { name: string; points: number; reason: string }

/** How much there is to weigh in a question, and the tier for that: never the one beyond the stated range. */
export const assessComplexity = (
  { text, days }: Question,
  domain: string,
): { factors: Factor[]; tier: Tier } => {
  const conditions =
    text.match(/\b(?:if|unless|at least|more than|less than|and|or|according to)\b/gi)?.length ?? 0
  const factors: Factor[] = [
    {
      name: 'horizon',
      points: days > 730 ? 2 : days > 180 ? 1 : 0,
      reason: `${Math.round(days)} days to the close`,
    },
    {
      name: 'conditions',
      points: Math.min(2, conditions),
      reason: `${conditions} conditions in the question`,
    },
    { name: 'length', points: text.length > 400 ? 1 : 0, reason: `${text.length} characters` },
    { name: 'domain', points: domain === 'general' ? 0 : 1, reason: `domain ${domain}` },
  ]
  const points = factors.reduce((sum, factor) => sum + factor.points, 0)
  return { factors, tier: points >= 4 ? 'deep' : points >= 2 ? 'standard' : 'quick' }
}

/** What is done at each tier. */
export const describeTiers = (hasModel: boolean, canSearch: boolean): Record<Tier, string> =>
  Object.fromEntries(
    tiers.map(tier => [
      tier,
      hasModel ? `${describePlan(plans[tier], canSearch)}; ${tierContents[tier]}` : tierContents[tier],
    ]),
  ) as Record<Tier, string>
