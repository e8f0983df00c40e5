import { round4 } from '../record/canonical.ts'
import { anyQuestion, matchClasses } from './classes.ts'
import { type Estimate, estimate, type Inputs, type ModelVoice } from './estimate.ts'
import { type Calibrator, clip, logit, scaleHazard } from './log-odds.ts'
import type { Question } from './question.ts'
import { type Tier, tiers } from './tiers.ts'

type Options = { domain: string; calibrator?: Calibrator | undefined }

const withoutEach = (question: Question, inputs: Inputs, options: Options) => {
  const names = (['model', 'market_price', 'priors', 'evidence', 'base_rate'] as const).filter(
    name => inputs[name] !== undefined,
  )
  return names.map(name => ({
    without: name,
    probability: estimate(question, { ...inputs, [name]: undefined }, options).probability,
  }))
}

/** What a model said for one date, for another: the hazard stays the same. */
const atShare = ({ probability, low, high, ...rest }: ModelVoice, share: number): ModelVoice => {
  const scale = (value: number) => scaleHazard(value, 1, share)
  return { probability: scale(probability), low: scale(low), high: scale(high), ...rest }
}

const byDate = (question: Question, inputs: Inputs, options: Options, now: Date) =>
  [0.25, 0.5, 1, 2, 4].map(share => {
    const days = question.days * share
    return {
      date: new Date(now.getTime() + days * 86_400_000).toISOString(),
      probability: estimate(
        { ...question, days },
        { ...inputs, model: inputs.model && atShare(inputs.model, share) },
        options,
      ).probability,
    }
  })

const byClass = (question: Question, inputs: Inputs, options: Options) => {
  const chosen = estimate(question, inputs, options).reference.id
  return [...matchClasses(question.positive), anyQuestion]
    .filter(({ id }, index, all) => id !== chosen && all.findIndex(other => other.id === id) === index)
    .map(({ id, title, events, n, periodDays, source }) => ({
      class: id,
      title,
      probability: estimate(
        question,
        {
          ...inputs,
          base_rate: { events, n, source, ...(periodDays !== null && { period_days: periodDays }) },
        },
        options,
      ).probability,
    }))
}

const toMove = ({ probability }: Estimate) =>
  [0.1, 0.25, 0.5, 0.75, 0.9].map(target => ({
    probability: target,
    likelihood_ratio: round4(Math.exp(logit(target) - logit(clip(probability)))),
  }))

/** What a tier adds to the answer; null where it does not. */
export const toDetail = (
  question: Question,
  inputs: Inputs,
  { tier, answer, now, ...options }: Options & { tier: Tier; answer: Estimate; now: Date },
) => {
  const level = tiers.indexOf(tier)
  return {
    sensitivity: level >= 1 ? withoutEach(question, inputs, options) : null,
    by_date: level >= 2 ? byDate(question, inputs, options, now) : null,
    other_classes: level >= 2 ? byClass(question, inputs, options) : null,
    evidence_needed: level >= 3 ? toMove(answer) : null,
  }
}
