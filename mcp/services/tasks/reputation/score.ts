import { z } from 'zod'
import { collection } from '../../../kernel/collection.ts'
import { betaQuantile } from '../../../lib/distributions.ts'
import { dayMs } from '../../../lib/time.ts'
import type { Tx } from '../../../ports/store/port.ts'

/** Record of an account, as a worker and as a publisher. Money in millionths of a dollar, as text. */
export type ReputationScore = {
  id: string
  /** Weighted outcomes, good and bad, beyond the prior. */
  good: number
  bad: number
  /** How many outcomes. */
  n: number
  last_at: string | null
  assigned: number
  submitted: number
  on_time: number
  completed: number
  approved: number
  rejected: number
  abandoned: number
  /** Tasks that ended in hand with nothing handed in; absent for none. */
  expired?: number
  disputes_lost: number
  ratings: number
  ratings_sum: number
  /** Seconds from assignment to the end, of the last 50 completed. */
  durations: readonly number[]
  earned: string
  published: number
  publisher_completed: number
  publisher_ratings: number
  publisher_ratings_sum: number
  spent: string
  /** Sort key of leaderboards: the score without decay; null before the first outcome. */
  rank: number | null
}

const table = { name: 'tasks.scores', indexes: [{ name: 'rank', fields: ['rank'] }] } as const

export const scoresIn = collection<ReputationScore>({
  name: table.name,
  indexes: table.indexes,
  budget: {
    what: 'scores',
    network: { rows: 2000, bytes: 2 << 20 },
    allBytes: 64 << 20,
    ends: 'One for each account, and it stays.',
  },
})

const emptyScore = (id: string): ReputationScore => ({
  id,
  good: 0,
  bad: 0,
  n: 0,
  last_at: null,
  assigned: 0,
  submitted: 0,
  on_time: 0,
  completed: 0,
  approved: 0,
  rejected: 0,
  abandoned: 0,
  disputes_lost: 0,
  ratings: 0,
  ratings_sum: 0,
  durations: [],
  earned: '0',
  published: 0,
  publisher_completed: 0,
  publisher_ratings: 0,
  publisher_ratings_sum: 0,
  spent: '0',
  rank: null,
})

export const loadScore = async (tx: Tx, account: string): Promise<ReputationScore> =>
  (await scoresIn(tx).get(account)) ?? emptyScore(account)

/** Two good and two bad outcomes that everybody begins with. */
const prior = 2

const graceDays = 14
const halfLifeDays = 30
const neutral = 50
const floor = 10

/** How much an outcome counts by its bounty in millionths: 1 USD a tenth, 10 USD once, 100 USD twice, five times at most. */
export const valueWeight = (bounty: bigint): number => {
  const usd = Number(bounty) / 1e6
  if (usd <= 10) return usd / 10
  if (usd <= 100) return 1 + (usd - 10) / 90
  return Math.min(5, 2 + (usd - 100) / 300)
}

/** An abandoned task counts so much more than a bad one. */
export const abandonmentWeight = 1.5

/** The score with an outcome: `success` is 1 for a good one, 0 for a bad one, between for one that was split. */
export const withOutcome = (
  score: ReputationScore,
  { weight, success, at }: { weight: number; success: number; at: string },
): ReputationScore => {
  const good = score.good + weight * success
  const bad = score.bad + weight * (1 - success)
  const rank = (100 * (prior + good)) / (2 * prior + good + bad)
  return { ...score, good, bad, n: score.n + 1, last_at: at, rank }
}

const decay = (raw: number, lastAt: string | null, now: Date): number => {
  if (lastAt === null) return raw
  const days = (now.getTime() - Date.parse(lastAt)) / dayMs - graceDays
  const fading = days > 0 ? 0.5 ** (days / halfLifeDays) : 1
  return Math.max(floor, neutral + (raw - neutral) * fading)
}

const round = (value: number): number => Math.round(value * 10) / 10

export const reputationTiers = ['New', 'Rising', 'Trusted', 'Expert', 'Elite'] as const

const toTier = (score: number, n: number): (typeof reputationTiers)[number] => {
  if (n < 3) return 'New'
  if (n >= 100 && score >= 90) return 'Elite'
  if (n >= 30 && score >= 80) return 'Expert'
  return n >= 10 && score >= 70 ? 'Trusted' : 'Rising'
}

/** The reputation of a worker: the mean of the posterior in 0 to 100, and where it lies with 90 per cent. */
export const ReputationOut = z.object({
  score: z.number().describe('0 to 100; 50 for somebody new'),
  ci90: z
    .object({
      low: z.number().describe('It is above this with 95 per cent'),
      high: z.number().describe('It is below this with 95 per cent'),
    })
    .describe('Where the score lies with 90 per cent'),
  n: z.number().int().describe('Outcomes it is made of'),
  tier: z.enum(reputationTiers).describe('New, Rising, Trusted, Expert or Elite'),
})

export const toReputation = ({ good, bad, n, last_at }: ReputationScore, now: Date) => {
  const [a, b] = [prior + good, prior + bad]
  const at = (value: number) => round(decay(100 * value, last_at, now))
  const score = at(a / (a + b))
  return {
    score,
    ci90: { low: at(betaQuantile(0.05, a, b)), high: at(betaQuantile(0.95, a, b)) },
    n,
    tier: toTier(score, n),
  }
}
