import { type Decay, readDecay } from './decay.ts'
import type { ReturnRow } from './rows.ts'
import {
  autocorrelation,
  expectedMaxSharpe,
  type Moments,
  minTrackRecord,
  probabilisticSharpe,
  probabilisticSharpeUnderNull,
  readMoments,
} from './sharpe.ts'
import { type SignFlip, signFlip } from './sign-flip.ts'

type Concentration = {
  total: number
  /** Total without the best trade. */
  without_best: number
  /** The coin that brought most, and what is left without it. */
  dominant_coin: string | null
  without_dominant_coin: number | null
  /** Herfindahl index of what the coins brought, by amount: 1 when one coin brought all. */
  coin_hhi: number | null
  sign_survives: boolean
}

const sum = (rows: readonly ReturnRow[]): number => rows.reduce((sum, { value }) => sum + value, 0)

/** How much hangs on one trade or one coin. It never changes the verdict. */
const readConcentration = (rows: readonly ReturnRow[]): Concentration => {
  const total = sum(rows)
  const best = rows.reduce((best, { value }) => Math.max(best, value), -Infinity)
  const withoutBest = total - best
  const byCoin = new Map<string, number>()
  for (const { coin, value } of rows)
    if (coin !== undefined) byCoin.set(coin, (byCoin.get(coin) ?? 0) + value)
  const coins = [...byCoin].sort(([, a], [, b]) => b - a)
  const all = coins.reduce((all, [, value]) => all + Math.abs(value), 0)
  const [dominant] = coins
  const withoutCoin = dominant ? total - dominant[1] : null
  const survives = [withoutBest, ...(coins.length > 1 && withoutCoin !== null ? [withoutCoin] : [])]
  return {
    total,
    without_best: withoutBest,
    dominant_coin: dominant?.[0] ?? null,
    without_dominant_coin: withoutCoin,
    coin_hhi: all > 0 ? coins.reduce((hhi, [, value]) => hhi + (value / all) ** 2, 0) : null,
    sign_survives: survives.every(rest => Math.sign(rest) === Math.sign(total)),
  }
}

/** URL of `report` for a worker. */
export const module = import.meta.url

export type Question = {
  rows: ReturnRow[]
  trials: number
  trialSharpes: number[] | undefined
  folds: number
  permutations: number
  seed: number
}

export type Verdict = 'likely_real' | 'borderline' | 'overfit_or_noise'

export type Report = {
  verdict: Verdict
  reasons: string[]
  moments: Moments
  psr: number
  psrUnderNull: number
  dsr: number
  benchmark: number
  variance: number
  varianceSource: 'trial_sharpes' | 'null'
  minTrackRecord: number | null
  autocorrelation: number
  signFlip: SignFlip
  decay: Decay
  concentration: Concentration
}

const trialVariance = (sharpes: readonly number[]): number => {
  const mean = sharpes.reduce((sum, value) => sum + value, 0) / sharpes.length
  return sharpes.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (sharpes.length - 1)
}

type Evidence = { count: number; dsr: number; p: number; decay: Decay }
type Condition = readonly [holds: boolean, reason: string]
const percent = (share: number): string => `${(share * 100).toFixed(0)} %`

const against = ({ dsr, p, decay }: Evidence): Condition[] => [
  [dsr < 0.8, `The deflated Sharpe ratio is ${dsr.toFixed(3)}, below 0.80: the best of so many trials.`],
  [p > 0.1, `Returns without direction do as well in ${percent(p)} of sign flips, more than 10 %.`],
  [
    decay.positiveShare < 0.4,
    `Only ${percent(decay.positiveShare)} of the folds made money, fewer than 40 %.`,
  ],
  [decay.decays && (decay.lateSharpe ?? 0) <= 0, 'The edge fades, and is gone in the last 40 %.'],
]

const missing = ({ count, dsr, p, decay }: Evidence): Condition[] => [
  [count < 30, `${count} observations are fewer than 30.`],
  [dsr < 0.95, `The deflated Sharpe ratio is ${dsr.toFixed(3)}, below 0.95.`],
  [p > 0.05, `The sign-flip test gives p = ${p.toFixed(3)}, above 0.05.`],
  [decay.positiveShare < 0.6, `${percent(decay.positiveShare)} of the folds made money, fewer than 60 %.`],
  [decay.decays, 'The edge fades with time.'],
]

const reasons = (conditions: readonly Condition[]): string[] =>
  conditions.flatMap(([holds, reason]) => (holds ? [reason] : []))

/** The verdict rule, calibrated on simulated returns with and without an edge. */
const decide = (evidence: Evidence): { verdict: Verdict; reasons: string[] } => {
  const noise = reasons(against(evidence))
  if (noise.length > 0) return { verdict: 'overfit_or_noise', reasons: noise }
  const doubts = reasons(missing(evidence))
  if (doubts.length > 0) return { verdict: 'borderline', reasons: doubts }
  return { verdict: 'likely_real', reasons: ['Every test is passed.'] }
}

/** Everything that is known of some realized returns. Plain data in and out, so that a worker can run it. */
export const report = ({ rows, trials, trialSharpes, folds, permutations, seed }: Question): Report => {
  const returns = Float64Array.from(rows, ({ value }) => value)
  const moments = readMoments(returns)
  const variance = trialSharpes ? trialVariance(trialSharpes) : 1 / (moments.count - 1)
  const benchmark = expectedMaxSharpe(trials, variance)
  const dsr = probabilisticSharpe(moments, benchmark)
  const lag = autocorrelation(returns, moments.mean)
  const dependent = Math.abs(lag) > 1.96 / Math.sqrt(moments.count)
  const flipped = signFlip(returns, { permutations, seed, dependent })
  const decay = readDecay(rows, folds)
  return {
    ...decide({ count: moments.count, dsr, p: flipped.p, decay }),
    moments,
    psr: probabilisticSharpe(moments),
    psrUnderNull: probabilisticSharpeUnderNull(moments, benchmark, Math.min(0.99, Math.max(-0.99, lag))),
    dsr,
    benchmark,
    variance,
    varianceSource: trialSharpes ? 'trial_sharpes' : 'null',
    minTrackRecord: minTrackRecord(moments),
    autocorrelation: lag,
    signFlip: flipped,
    decay,
    concentration: readConcentration(rows),
  }
}
