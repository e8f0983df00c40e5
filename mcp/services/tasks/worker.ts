import { z } from 'zod'
import { median } from '../../lib/median.ts'
import { untrustedMark } from '../../lib/untrusted.ts'
import { formatUsd } from '../../lib/usd.ts'
import { type Account, executorKinds } from './account.ts'
import { ReputationOut, type ReputationScore, toReputation } from './reputation.ts'

const count = (what: string) => z.number().int().describe(what)
/** Schema of a share of something. */
export const ratio = (what: string) => z.number().nullable().describe(`${what}, 0 to 1; null without any`)

export const WorkerOut = z.object({
  executor_id: z.string().describe('The account'),
  kind: z.enum(executorKinds).nullable().describe('What works; null for who has not registered'),
  name: z.string().nullable().describe('Name'),
  bio: z.string().nullable().describe('What it says of itself'),
  skills: z.array(z.string()).describe('Skills that it names'),
  reputation: ReputationOut.describe('Reputation as a worker'),
  assigned: count('Tasks that were assigned'),
  completed: count('Tasks that were paid, in whole or in part'),
  approved: count('Tasks that were approved'),
  rejected: count('Tasks that were rejected for good'),
  abandoned: count('Tasks that were given up or not done in time'),
  disputes_lost: count('Disputes that were lost'),
  approval_rate: ratio('Approved of all that ended with a review'),
  on_time_rate: ratio('Submissions before the deadline; a task that expired in hand counts against it'),
  avg_rating: z.number().nullable().describe('Mean of its ratings, 0 to 100; null without any'),
  median_completion_seconds: z.number().nullable().describe('From assignment to payment, of the last 50'),
  earned_usd: z.string().describe('What it was paid'),
  published: count('Tasks that it published'),
  publisher_avg_rating: z.number().nullable().describe('Mean of its ratings as a publisher'),
  untrusted: untrustedMark,
})

/** A share to three digits; null of nothing. */
export const rate = (part: number, whole: number): number | null =>
  whole === 0 ? null : Math.round((part / whole) * 1000) / 1000

const mean = (sum: number, n: number): number | null => (n === 0 ? null : Math.round((sum / n) * 10) / 10)

export const toPublicWorker = (
  account: Pick<Account, 'id' | 'kind' | 'name' | 'bio' | 'skills'>,
  score: ReputationScore,
  now: Date,
): z.output<typeof WorkerOut> => ({
  executor_id: account.id,
  kind: account.kind,
  name: account.name,
  bio: account.bio,
  skills: [...account.skills],
  reputation: toReputation(score, now),
  assigned: score.assigned,
  completed: score.completed,
  approved: score.approved,
  rejected: score.rejected,
  abandoned: score.abandoned,
  disputes_lost: score.disputes_lost,
  approval_rate: rate(score.approved, score.approved + score.rejected + score.disputes_lost),
  on_time_rate: rate(score.on_time, score.submitted + (score.expired ?? 0)),
  avg_rating: mean(score.ratings_sum, score.ratings),
  median_completion_seconds: score.durations.length === 0 ? null : median(score.durations),
  earned_usd: formatUsd(score.earned),
  published: score.published,
  publisher_avg_rating: mean(score.publisher_ratings_sum, score.publisher_ratings),
  untrusted: true,
})
