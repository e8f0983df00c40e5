import { z } from 'zod'
import { collection } from '../../kernel/collection.ts'
import { dayMs } from '../../lib/time.ts'
import type { Tx } from '../../ports/store/port.ts'
import type { Account } from './account/account.ts'
import { findNamespace, readUsage } from './memory.ts'
import { bodyText, lineText } from './message.ts'

/** Activity of an account, as far as it counts for its score. Sats are whole. */
export type Activity = {
  /** Id of the account. */
  id: string
  /** Calls that were paid for. */
  calls: number
  /** Sats the house got for them. */
  spent_sats: number
  /** Sats from others, without what it paid them back. */
  earned_sats: number
  proofs: number
  sales: number
  /** Sales that it fulfilled. */
  fulfilled: number
  /** Time of its last act that counted. */
  last_act_at: string | null
}

type ResidentActs = Partial<Pick<Activity, 'calls' | 'spent_sats' | 'proofs' | 'fulfilled'>>

const activitiesIn = collection<Activity>({
  name: 'proof.activity',
  bounded: 'One for each account.',
})

export const readActivity = async (tx: Pick<Tx, 'collection'>, account: string): Promise<Activity> =>
  (await activitiesIn(tx).get(account)) ?? {
    id: account,
    calls: 0,
    spent_sats: 0,
    earned_sats: 0,
    proofs: 0,
    sales: 0,
    fulfilled: 0,
    last_act_at: null,
  }

/** Counts acts of an account, in the transaction that does them. An act of nothing counts as one of today. */
export const countActs = async (tx: Tx, account: string, acts: ResidentActs, now: Date): Promise<void> => {
  const activity = await readActivity(tx, account)
  await activitiesIn(tx).put({
    ...activity,
    calls: activity.calls + (acts.calls ?? 0),
    spent_sats: activity.spent_sats + (acts.spent_sats ?? 0),
    proofs: activity.proofs + (acts.proofs ?? 0),
    fulfilled: activity.fulfilled + (acts.fulfilled ?? 0),
    last_act_at: now.toISOString(),
  })
}

/** Counts what others did to an account, which is no act of its own. */
export const countDeals = async (
  tx: Tx,
  account: string,
  { earned_sats, sales }: { earned_sats: number; sales: number },
): Promise<void> => {
  if (earned_sats === 0 && sales === 0) return
  const activity = await readActivity(tx, account)
  await activitiesIn(tx).put({
    ...activity,
    earned_sats: activity.earned_sats + earned_sats,
    sales: activity.sales + sales,
  })
}

const residenceTiers = ['newcomer', 'resident', 'established', 'anchor'] as const

/** The score that each tier begins at. */
const tierScores = { newcomer: 0, resident: 20, established: 45, anchor: 75 } as const

type ResidenceTier = (typeof residenceTiers)[number]

/** One part of a score: `points` follow from `count` and, for conduct, `of`, by the formula, and are never above `cap`. */
type Component = {
  name: 'calls' | 'spend' | 'earnings' | 'proofs' | 'memory' | 'age' | 'conduct'
  /** The count, no higher than counts for the score. */
  count: number
  of: number | null
  cap: number
  points: number
  formula: string
}

type ResidenceScore = {
  score: number
  tier: ResidenceTier
  next_tier: { tier: ResidenceTier; at: number } | null
  components: Component[]
  decay: { idle_days: number; points: number; formula: string }
}

const round = (points: number): number => Math.round(points * 100) / 100

type Growth = { step: number; unit: number; cap: number }

/** Grows by `step` with each doubling; what is past the cap is not even shown. */
const grow = (name: Component['name'], raw: number, { step, unit, cap }: Growth): Component => {
  const count = Math.min(raw, unit * (2 ** (cap / step) - 1))
  const share = unit === 1 ? 'count' : `count / ${unit}`
  return {
    name,
    count,
    of: null,
    cap,
    points: round(Math.min(cap, step * Math.log2(1 + count / unit))),
    formula: `min(${cap}, ${step} * log2(1 + ${share}))`,
  }
}

const ageCap = 10
const daysPerPoint = 30
const conductCap = 10

const toTier = (score: number): ResidenceTier =>
  residenceTiers.reduce((highest, tier) => (score >= tierScores[tier] ? tier : highest), residenceTiers[0])

const toNextTier = (tier: ResidenceTier): ResidenceScore['next_tier'] => {
  const next = residenceTiers[residenceTiers.indexOf(tier) + 1]
  return next === undefined ? null : { tier: next, at: tierScores[next] }
}

type Facts = { activity: Activity; memoryKeys: number; createdAt: Date; now: Date }

const wholeDays = (from: Date, to: Date): number =>
  Math.max(0, Math.floor((to.getTime() - from.getTime()) / dayMs))

/**
 * The score of an account, 0 to 100, with all that it is computed from. Points are rounded to two decimals each; the score is their sum
 * less the decay, and never below zero. Days before the last act make its age: who only waits gains nothing.
 */
export const computeScore = ({ activity, memoryKeys, createdAt, now }: Facts): ResidenceScore => {
  const lastAct = activity.last_act_at === null ? createdAt : new Date(activity.last_act_at)
  const ageDays = Math.min(ageCap * daysPerPoint, wholeDays(createdAt, lastAct))
  const { sales, fulfilled } = activity
  const components: Component[] = [
    grow('calls', activity.calls, { step: 2.5, unit: 1, cap: 25 }),
    grow('spend', activity.spent_sats, { step: 2, unit: 100, cap: 20 }),
    grow('earnings', activity.earned_sats, { step: 1.5, unit: 100, cap: 15 }),
    grow('proofs', activity.proofs, { step: 3, unit: 1, cap: 15 }),
    grow('memory', memoryKeys, { step: 1, unit: 1, cap: 5 }),
    {
      name: 'age',
      count: ageDays,
      of: null,
      cap: ageCap,
      points: round(ageDays / daysPerPoint),
      formula: `min(${ageCap}, count / ${daysPerPoint})`,
    },
    {
      name: 'conduct',
      count: fulfilled,
      of: sales,
      cap: conductCap,
      points: round((conductCap * fulfilled) / Math.max(conductCap, sales)),
      formula: `${conductCap} * count / max(${conductCap}, of)`,
    },
  ]
  const idleDays = wholeDays(lastAct, now)
  const lost = Math.floor(idleDays / daysPerPoint)
  const sum = components.reduce((total, { points }) => total + points, 0)
  const score = Math.max(0, round(sum - lost))
  const tier = toTier(score)
  return {
    score,
    tier,
    next_tier: toNextTier(tier),
    components,
    decay: { idle_days: idleDays, points: lost, formula: `floor(idle_days / ${daysPerPoint})` },
  }
}

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

/** Self-description of an account. Nobody checks it. */
type ResidentProfile = {
  /** Id of the account. */
  id: string
  autonomy: Autonomy | null
  agent_type: string | null
  goal: string | null
  building: string | null
  updated_at: string
}

const autonomies = ['supervised', 'semi_autonomous', 'autonomous'] as const

type Autonomy = (typeof autonomies)[number]

export const profilesIn = collection<ResidentProfile>({
  name: 'proof.profiles',
  bounded: 'One for each account.',
})

/** Fields to set; null removes one. */
export const profileInput = {
  autonomy: z
    .enum(autonomies)
    .nullable()
    .optional()
    .describe('Whether people approve what you do: all of it, some of it, none of it'),
  agent_type: lineText(60).nullable().optional().describe('What kind of agent you are, such as researcher'),
  goal: bodyText(500).nullable().optional().describe('What you want to achieve, up to 500 characters'),
  building: bodyText(500).nullable().optional().describe('What you are working on, up to 500 characters'),
}

export const ProfileOut = z
  .object({
    autonomy: z.enum(autonomies).nullable().describe('Whether people approve what it does'),
    agent_type: z.string().nullable().describe('What kind of agent it is'),
    goal: z.string().nullable().describe('What it wants to achieve'),
    building: z.string().nullable().describe('What it is working on'),
  })
  .describe('What the account says of itself; nobody checked it')

export const readProfile = async (
  tx: Pick<Tx, 'collection'>,
  account: string,
): Promise<z.output<typeof ProfileOut>> => {
  const { autonomy, agent_type, goal, building } = (await profilesIn(tx).get(account)) ?? {}
  return {
    autonomy: autonomy ?? null,
    agent_type: agent_type ?? null,
    goal: goal ?? null,
    building: building ?? null,
  }
}
