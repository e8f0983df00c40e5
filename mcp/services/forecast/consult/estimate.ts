import { round4 } from '../record/canonical.ts'
import { wilson } from '../scoring/interval.ts'
import { anyQuestion, matchClasses, type ReferenceClass } from './classes.ts'
import { type Calibrator, clip, expit, floor, logit, pool, recalibrate, scaleHazard } from './log-odds.ts'
import type { Question } from './question.ts'

/** Likelihood ratios of the strengths that callers may name. */
export const strengths = { weak: 1.5, moderate: 3, strong: 8 } as const

export type Evidence = {
  text: string
  likelihood_ratio?: number | undefined
  direction?: 'supports' | 'opposes' | undefined
  strength?: keyof typeof strengths | undefined
}

/** What a caller knows besides the question; all of it is about the question as it is asked. */
export type Inputs = {
  market_price?: number | undefined
  priors?: readonly { probability: number; weight: number; source?: string | undefined }[] | undefined
  evidence?: readonly Evidence[] | undefined
  base_rate?: { events: number; n: number; period_days?: number | undefined; source: string } | undefined
  /** What a model said of the event itself. */
  model?: ModelVoice | undefined
}

export type ModelVoice = { probability: number; low: number; high: number; estimates: number }

export type Adjustment = { name: string; domain: string; delta_log_odds: number; reason: string }

export type Estimate = {
  probability: number
  interval80: [number, number]
  reference: ReferenceClass
  /** Chance by the class alone, scaled with the time left, for the question as it is asked. */
  classProbability: number
  adjustments: Adjustment[]
  method: string
  confidence: 'low' | 'medium' | 'high'
}

/** A market's price weighs four times what the class does: that pool was best on resolved questions. */
const marketWeight = 0.8

/** Estimates of a model that has read sources weigh as much against the class. */
const modelWeight = 0.8

/** z of an 80 % interval. */
const z80 = 1.2815515655446004

const toRatio = ({ likelihood_ratio, direction, strength = 'moderate' }: Evidence): number => {
  if (likelihood_ratio !== undefined) return likelihood_ratio
  const ratio = strengths[strength]
  return direction === 'opposes' ? 1 / ratio : ratio
}

/** Middle and ends of what a class says of so many days: the mean with Jeffreys' prior, Wilson's interval. */
const readClass = ({ events, n, periodDays }: ReferenceClass, days: number): [number, number, number] => {
  const middle = (events + 0.5) / (n + 1)
  const [low, high] = wilson(events, n, z80)
  const scale = (rate: number) => (periodDays === null ? rate : scaleHazard(rate, periodDays, days))
  return [scale(Math.min(low, middle)), scale(middle), scale(Math.max(high, middle))]
}

const toCallerClass = ({
  events,
  n,
  period_days,
  source,
}: NonNullable<Inputs['base_rate']>): ReferenceClass => ({
  id: 'caller',
  title: 'Base rate that the caller gave',
  events,
  n,
  periodDays: period_days ?? null,
  source,
  url: '',
  licence: 'of the caller',
  words: [],
})

/** The class that an answer starts from: the caller's, else the closest of the table. */
export const chooseClass = ({ positive }: Question, { base_rate }: Inputs): ReferenceClass =>
  base_rate ? toCallerClass(base_rate) : matchClasses(positive)[0]

const confidenceFor = (reference: ReferenceClass, inputs: Inputs, [low, high]: readonly [number, number]) => {
  const width = high - low
  const isBare =
    reference.id === anyQuestion.id &&
    inputs.market_price === undefined &&
    !inputs.priors?.length &&
    !inputs.model
  if (isBare || width > 0.35) return 'low' as const
  return width > 0.15 ? ('medium' as const) : ('high' as const)
}

const percent = (probability: number): string => `${(probability * 100).toFixed(1)} %`

/**
 * The forecast that needs no model: class, time left, the caller's priors and market pooled in log-odds, evidence by Bayes, and what
 * the own record says of such forecasts. The same input gives the same answer; a later date never a lower one; the complement
 * sums to 1; what supports never lowers.
 */
export const estimate = (
  question: Question,
  inputs: Inputs,
  { domain, calibrator }: { domain: string; calibrator?: Calibrator | undefined },
): Estimate => {
  const { isNegated } = question
  const toAsked = (probability: number): number => (isNegated ? 1 - probability : probability)
  const reference = chooseClass(question, inputs)
  // Everything is reckoned for the event itself; what callers say of its absence is turned around.
  const classVoice = readClass(reference, question.days)
  const priors = (inputs.priors ?? []).map(({ probability, weight }) => ({
    probability: toAsked(probability),
    weight,
  }))
  const market = inputs.market_price === undefined ? undefined : toAsked(inputs.market_price)
  const ratio = (inputs.evidence ?? []).reduce((sum, item) => sum + Math.log(toRatio(item)), 0)
  const shift = isNegated ? -ratio : ratio

  const { model } = inputs
  const withModel = (probability: number, voice = model?.probability) =>
    voice === undefined
      ? probability
      : pool([
          { probability, weight: 1 - modelWeight },
          { probability: voice, weight: modelWeight },
        ])
  const withPriors = (probability: number) => pool([{ probability, weight: 1 }, ...priors])
  const withMarket = (probability: number) =>
    market === undefined
      ? probability
      : pool([
          { probability, weight: 1 - marketWeight },
          { probability: market, weight: marketWeight },
        ])
  const withEvidence = (probability: number) => expit(logit(clip(probability)) + shift)
  const withRecord = (probability: number) =>
    calibrator ? recalibrate(probability, calibrator) : probability
  const finish = (probability: number, voice?: number) =>
    clip(withRecord(withEvidence(withMarket(withPriors(withModel(probability, voice))))))

  const [low, middle, high] = classVoice
  const event = round4(finish(middle))
  const ends = [round4(finish(low, model?.low)), round4(finish(high, model?.high))] as const
  const interval: [number, number] = isNegated
    ? [round4(1 - ends[1]), round4(1 - ends[0])]
    : [ends[0], ends[1]]

  const adjustments: Adjustment[] = []
  let at = middle
  const note = (name: string, next: number, reason: string) => {
    const delta = (logit(clip(next)) - logit(clip(at))) * (isNegated ? -1 : 1)
    adjustments.push({ name, domain, delta_log_odds: round4(delta), reason })
    at = next
  }
  if (reference.periodDays !== null) {
    const rate = (reference.events + 0.5) / (reference.n + 1)
    at = rate
    note(
      'time_left',
      middle,
      `${Math.round(question.days)} days are left of a class that was counted by ${Math.round(reference.periodDays)} days`,
    )
  }
  if (model)
    note(
      'model',
      withModel(at),
      `${model.estimates} estimates of a model, ${percent(toAsked(model.probability))} together; they weigh ${modelWeight}, the class ${round4(1 - modelWeight)}`,
    )
  if (priors.length > 0)
    note('priors', withPriors(at), `${priors.length} priors of the caller pooled in log-odds with the class`)
  if (market !== undefined)
    note(
      'market_price',
      withMarket(at),
      `the market says ${percent(toAsked(market))}; it weighs ${marketWeight}, everything before it ${round4(1 - marketWeight)}`,
    )
  if (inputs.evidence?.length)
    note(
      'evidence',
      withEvidence(at),
      `${inputs.evidence.length} pieces of evidence, together a likelihood ratio of ${Math.exp(ratio).toPrecision(3)}`,
    )
  if (calibrator)
    note('record', withRecord(at), `as ${calibrator.n} scored forecasts of this service say (Platt scaling)`)
  if (clip(at) !== at) note('bounds', clip(at), `forecasts stay within ${floor} and ${1 - floor}`)

  const isAided = priors.length > 0 || market !== undefined || inputs.evidence?.length || inputs.base_rate
  return {
    probability: isNegated ? round4(1 - event) : event,
    interval80: interval,
    reference,
    classProbability: round4(toAsked(middle)),
    adjustments,
    method: `${model ? 'model' : 'reference_class'}${isAided ? '+caller' : ''}`,
    confidence: confidenceFor(reference, inputs, interval),
  }
}
