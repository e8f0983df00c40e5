import { dayMs } from '../../../lib/time.ts'
import type { Activity } from './activity.ts'

export const residenceTiers = ['newcomer', 'resident', 'established', 'anchor'] as const

/** The score that each tier begins at. */
const tierScores = { newcomer: 0, resident: 20, established: 45, anchor: 75 } as const

export type ResidenceTier = (typeof residenceTiers)[number]

/** One part of a score: `points` follow from `count` and, for conduct, `of`, by the formula, and are never above `cap`. */
export type Component = {
  name: 'calls' | 'spend' | 'earnings' | 'proofs' | 'memory' | 'age' | 'conduct'
  /** The count, no higher than counts for the score. */
  count: number
  of: number | null
  cap: number
  points: number
  formula: string
}

export type ResidenceScore = {
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
