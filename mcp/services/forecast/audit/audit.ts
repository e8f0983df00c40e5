import { clip, expit, logit, pool } from '../../../lib/log-odds.ts'
import { round4 } from '../record/canonical.ts'
import { type Audited, auditRules, type Ground, strengths } from './rules.ts'

export type BaseRate = { events: number; n: number; source: string }

type Step = { name: string; from: number; to: number; reason: string }

const counterStrength = { low: 'weak', medium: 'moderate', high: 'strong' } as const

/**
 * Moves a stated confidence by what was given with it: the class is pooled in, and opposing evidence counts by Bayes. Supporting
 * evidence does not count again: it is what the confidence was stated on.
 */
export const adjustConfidence = (
  confidence: number,
  evidence: readonly Pick<Ground, 'direction' | 'strength'>[],
  baseRate: BaseRate | undefined,
): Step[] => {
  const steps: Step[] = []
  let at = clip(confidence)
  const move = (name: string, to: number, reason: string) => {
    const next = clip(to)
    if (round4(next) !== round4(at)) steps.push({ name, from: round4(at), to: round4(next), reason })
    at = next
  }
  if (baseRate) {
    const rate = (baseRate.events + 0.5) / (baseRate.n + 1)
    const voices = [
      { probability: at, weight: 1 },
      { probability: rate, weight: 1 },
    ]
    move(
      'base_rate',
      pool(voices),
      `pooled in log-odds with ${baseRate.events} of ${baseRate.n} (${baseRate.source})`,
    )
  }
  const against = evidence.filter(({ direction }) => direction === 'opposes')
  const ratio = against.reduce((sum, { strength }) => sum - Math.log(strengths[strength]), 0)
  if (against.length > 0)
    move('opposing_evidence', expit(logit(at) + ratio), `a likelihood ratio of ${round4(Math.exp(ratio))}`)
  return steps
}

/** Goes through the checklist of reasoning for a claim: what it stands on, what is missing, and what to look at next. Whether it is true is not looked at. */
export const auditClaim = (
  input: {
    claim: string
    evidence: readonly Ground[]
    assumptions: readonly string[]
    confidence: number | undefined
  },
  baseRate: BaseRate | undefined,
) => {
  const audited: Audited = { ...input, hasBaseRate: baseRate !== undefined }
  const applying = auditRules.filter(({ applies }) => applies(audited))
  const { claim, evidence, assumptions, confidence } = input
  const steps = confidence === undefined ? [] : adjustConfidence(confidence, evidence, baseRate)
  const support = evidence.filter(({ direction }) => direction === 'supports')
  return {
    claim_map: {
      claim,
      grounds: support.map(({ text, strength, source }) => ({ text, strength, source: source ?? null })),
      opposing: evidence
        .filter(({ direction }) => direction === 'opposes')
        .map(({ text, strength, source }) => ({ text, strength, source: source ?? null })),
      warrants: support.map(({ text }) => `That "${text}" would be less probable if the claim were false.`),
      assumptions: [...assumptions],
    },
    failure_modes: applying.map(({ failure, mechanism, likelihood, warning }) => ({
      description: failure,
      mechanism,
      likelihood,
      early_warning: warning,
    })),
    counterarguments: [
      ...evidence
        .filter(({ direction }) => direction === 'opposes')
        .map(({ text, strength }) => ({ text, strength, attacks: 'claim' as const })),
      ...applying.map(({ counter, attacks, likelihood }) => ({
        text: counter,
        strength: counterStrength[likelihood],
        attacks,
      })),
    ],
    base_rate: baseRate ? { value: round4((baseRate.events + 0.5) / (baseRate.n + 1)), ...baseRate } : null,
    stated_confidence: confidence ?? null,
    confidence_adjustments: steps,
    adjusted_confidence: confidence === undefined ? null : (steps.at(-1)?.to ?? round4(clip(confidence))),
    biases: [...new Set(applying.map(({ bias }) => bias))],
    follow_up_checks: applying.map(({ check, cost, changes }) => ({ check, cost, would_change: changes })),
  }
}
