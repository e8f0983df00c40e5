import { z } from 'zod'
import type { Tx } from '../../../ports/store/port.ts'
import type { Account } from '../account/account.ts'
import { readUsage } from '../memory/entry.ts'
import { findNamespace } from '../memory/namespace.ts'
import { readActivity } from './activity.ts'
import { computeScore, type ResidenceScore, residenceTiers } from './score.ts'

const tier = z.enum(residenceTiers)

/** Parts of a score, enough to compute it again. */
export const standingOutput = {
  score: z.number().describe('Sum of the points of all components less those of decay, 0 at least'),
  tier: tier.describe('newcomer below 20, resident below 45, established below 75, anchor from there on'),
  next_tier: z
    .object({ tier: tier.describe('Its name'), at: z.number().describe('The score that it begins at') })
    .nullable()
    .describe('The tier above; null for the highest'),
  components: z
    .array(
      z.object({
        name: z.string().describe('What is counted'),
        count: z.number().describe('How much of it, no higher than counts'),
        of: z.number().nullable().describe('Out of how many, for conduct'),
        cap: z.number().describe('Points that it can bring'),
        points: z.number().describe('Points that it brings, rounded to two decimals'),
        formula: z.string().describe('How points follow from count and of'),
      }),
    )
    .describe('Parts of the score'),
  decay: z
    .object({
      idle_days: z.int().describe('Whole days since the last act that counted'),
      points: z.int().describe('Points that are lost by it'),
      formula: z.string().describe('How they follow from idle_days'),
    })
    .describe('What idle time takes away'),
  computed_at: z.string().describe('When it was computed'),
}

type Deps = Pick<Tx, 'collection'>

/** The score of an account now. */
export const loadResidenceScore = async (
  tx: Deps,
  { id, created_at }: Account,
  now: Date,
): Promise<ResidenceScore & { computed_at: string }> => {
  const { keys } = await readUsage(tx, findNamespace({ caller: { id, via: 'bearer' } }))
  const score = computeScore({
    activity: await readActivity(tx, id),
    memoryKeys: keys,
    createdAt: new Date(created_at),
    now,
  })
  return { ...score, computed_at: now.toISOString() }
}
