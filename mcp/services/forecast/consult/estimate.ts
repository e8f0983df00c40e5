import { clip, expit, floor, logit, pool } from '../../../lib/log-odds.ts'
import { answerForm, type FormAnswer } from '../forms/answer.ts'
import type { CompleteForm } from '../forms/schema.ts'
import { round4 } from '../record/canonical.ts'
import type { Question } from './question.ts'

export type EstimateEvidence = { text: string; likelihood_ratio: number }

export type Prior = { probability: number; weight: number }

/** Inputs of an answer. Market price, priors and evidence are about the question as it is asked, other forms about the event. */
export type Inputs = {
  form?: CompleteForm | undefined
  priors?: readonly Prior[] | undefined
  evidence?: readonly EstimateEvidence[] | undefined
  /** A model's view of the event itself, and the slope that its log-odds are stretched by. */
  model?: { probability: number; views: number; slope: number } | undefined
}

export type Adjustment = { name: string; domain: string; delta_log_odds: number; reason: string }

export type Estimate = {
  probability: number
  form: FormAnswer | undefined
  adjustments: Adjustment[]
}

/** A liquid market's price is not beaten by what is added to it: it weighs four times a model. */
const marketWeight = 0.8

type Voice = { name: string; probability: number; weight: number; reason: string }

const percent = (probability: number): string => `${(probability * 100).toFixed(1)} %`

/** Lists the voices for the event, each with its weight in the pool of log-odds. */
const toVoices = (
  question: Question,
  { form, priors = [], model }: Inputs,
  answer: FormAnswer | undefined,
): Voice[] => {
  const toEvent = (probability: number): number => (question.isNegated ? 1 - probability : probability)
  const isMarket = form?.kind === 'price'
  return [
    ...(model
      ? [
          {
            name: 'model',
            probability: expit(model.slope * logit(clip(model.probability))),
            weight: isMarket ? 1 - marketWeight : 1,
            reason: `${model.views} views of a model, slope ${round4(model.slope)}`,
          },
        ]
      : []),
    ...(form && answer
      ? [
          {
            name: isMarket ? 'market_price' : `form:${form.kind}`,
            probability: isMarket ? toEvent(answer.probability) : answer.probability,
            weight: isMarket && model ? marketWeight : 1,
            reason: answer.event,
          },
        ]
      : []),
    ...priors.map(({ probability, weight }) => ({
      name: 'prior',
      probability: toEvent(probability),
      weight,
      reason: 'a prior of yours',
    })),
  ]
}

/**
 * Pools what an answer rests on in log-odds and moves it by evidence. The same input gives the same answer, a question and its
 * complement sum to 1, and what supports never lowers. A price that nothing else speaks beside is the answer as it is.
 */
export const estimate = (question: Question, inputs: Inputs, { domain }: { domain: string }): Estimate => {
  const { form, evidence = [] } = inputs
  const answer = form && answerForm(form, question.days)
  const voices = toVoices(question, inputs, answer)
  const [first] = voices
  if (!first) throw new Error('an estimate needs a form, a prior or a model')
  const { isNegated } = question
  const turned = (delta: number): number => round4(isNegated ? -delta : delta)
  const adjustments: Adjustment[] = []
  let at = first.probability
  const move = (name: string, next: number, reason: string) => {
    adjustments.push({ name, domain, delta_log_odds: turned(logit(clip(next)) - logit(clip(at))), reason })
    at = next
  }
  for (const [index, { name, probability, weight, reason }] of voices.entries())
    if (index > 0)
      move(
        name,
        pool(voices.slice(0, index + 1)),
        `${reason}: ${percent(probability)}, weight ${round4(weight)}`,
      )
  if (evidence.length > 0) {
    const ratio = evidence.reduce((sum, { likelihood_ratio }) => sum + Math.log(likelihood_ratio), 0)
    move(
      'evidence',
      expit(logit(clip(at)) + (isNegated ? -ratio : ratio)),
      `${evidence.length} pieces of evidence, together a likelihood ratio of ${Math.exp(ratio).toPrecision(3)}`,
    )
  }
  const isBarePrice = form?.kind === 'price' && voices.length === 1 && evidence.length === 0
  if (!isBarePrice && clip(at) !== at)
    move('bounds', clip(at), `forecasts stay within ${floor} and ${1 - floor}`)
  const event = round4(at)
  return { probability: isNegated ? round4(1 - event) : event, form: answer, adjustments }
}
