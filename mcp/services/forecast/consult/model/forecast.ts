import { z } from 'zod'
import { ToolError } from '../../../../kernel/error.ts'
import type { Ports } from '../../../../ports/index.ts'
import { round4 } from '../../record/canonical.ts'
import type { ReferenceClass } from '../classes.ts'
import { clip, expit, logit } from '../log-odds.ts'
import type { Question } from '../question.ts'
import type { Plan } from './plan.ts'
import type { Document } from './retrieve.ts'

const Estimate = z.object({
  reasons_for: z.array(z.string().max(400)).max(6).describe('Why it may happen, the strongest first'),
  reasons_against: z.array(z.string().max(400)).max(6).describe('Why it may not, the strongest first'),
  uncertainties: z.array(z.string().max(300)).max(5).describe('What it hangs on'),
  probability: z.number().min(0.001).max(0.999).describe('Probability that it happens'),
})

const Review = z.object({
  reason: z.string().max(600).describe('What the estimates missed or counted twice; or that they hold'),
  probability: z.number().min(0.001).max(0.999).describe('Probability that it happens, all considered'),
})

type Estimate = z.output<typeof Estimate>

/** What a model says of an event, with how far its estimates lie apart. */
export type ModelForecast = {
  /** Probability of the event itself, whether or not the question asks for its absence. */
  probability: number
  low: number
  high: number
  /** How many estimates there are. */
  estimates: number
  reasons: string[]
  uncertainties: string[]
  /** What the supervisor said; null without one. */
  review: string | null
}

const estimator = `You estimate the probability of an event for a forecasting service that is scored by the Brier score.
Start from the base rate that is given. Move away from it only for what is specific to this case, and say what that is.
Consider the time that is left, and that most things stay as they are. Do not use what became known after the present date.
A source may be wrong, old or partial: weigh it. Then give one number.`

const supervisor = `You review independent estimates of one probability for a forecasting service that is scored by the Brier score.
Look for facts that are counted twice, for sources that are taken for more than they show, and for a neglected base rate or deadline.
Then give one number. Where the estimates hold, stay close to them.`

const percent = (probability: number): string => `${Math.round(probability * 1000) / 10} %`

const describeClass = ({ title, events, n, source }: ReferenceClass, probability: number): string =>
  `Base rate: ${title}: ${events} of ${n} (${source}). With the time that is left that alone says ${percent(probability)}.`

const toParts = (
  { positive, closesAt, days }: Question,
  { reference, classProbability, documents, now }: Material,
) => [
  `Today is ${now.toISOString().slice(0, 10)}. The question closes at ${closesAt.toISOString()}, in ${Math.round(days)} days.`,
  { label: 'question', data: positive },
  describeClass(reference, classProbability),
  documents.length === 0
    ? 'No source was found.'
    : `${documents.length} sources follow. Each was fetched for this question.`,
  ...documents.map(({ title, url, text }, index) => ({
    label: `source ${index + 1}`,
    data: `${title}\n${url}\n\n${text}`,
  })),
]

type Material = {
  reference: ReferenceClass
  /** Of the event itself, by the class alone. */
  classProbability: number
  documents: readonly Document[]
  now: Date
}

/** The mean in log-odds without the highest and the lowest, from four on; of five and more a fifth is left out at each end. */
export const trimmedMean = (probabilities: readonly number[]): number => {
  const odds = probabilities.map(probability => logit(clip(probability))).sort((a, b) => a - b)
  const cut = odds.length < 4 ? 0 : Math.max(1, Math.floor(odds.length / 5))
  const middle = odds.slice(cut, odds.length - cut)
  return expit(middle.reduce((sum, value) => sum + value, 0) / middle.length)
}

/** A supervisor moves the answer half the way to what it says, and never beyond the estimates. */
const withReview = (mean: number, reviewed: number, low: number, high: number): number =>
  Math.min(high, Math.max(low, expit((logit(clip(mean)) + logit(clip(reviewed))) / 2)))

const summarize = (estimates: readonly Estimate[]) =>
  estimates.map(({ probability, reasons_for, reasons_against }, index) => ({
    label: `estimate ${index + 1}`,
    data: `${percent(probability)}\nFor: ${reasons_for.join('; ')}\nAgainst: ${reasons_against.join('; ')}`,
  }))

const unlike = (texts: readonly string[], limit: number): string[] =>
  [...new Map(texts.map(text => [text.toLowerCase(), text])).values()].slice(0, limit)

/**
 * Asks a model k times by itself, pools the answers, and lets a supervisor review them. It goes on with half of the estimates; below
 * that it throws what the model failed with: nothing is charged then.
 */
export const askModel = async (
  llm: Ports['llm'],
  question: Question,
  material: Material,
  { plan, signal }: { plan: Plan; signal: AbortSignal },
): Promise<ModelForecast> => {
  const content = toParts(question, material)
  const ask = () =>
    llm.ask({
      system: estimator,
      messages: [{ role: 'user', content }],
      schema: Estimate,
      maxTokens: 1500,
      temperature: 0.7,
      signal,
    })
  const outcomes = await Promise.allSettled(Array.from({ length: plan.estimates }, ask))
  const estimates = outcomes.flatMap(outcome => (outcome.status === 'fulfilled' ? [outcome.value.value] : []))
  if (estimates.length * 2 < plan.estimates) {
    const failure = outcomes.find(outcome => outcome.status === 'rejected')?.reason
    const hint = 'Nothing was charged. With method: "reference_class" no model is asked.'
    if (failure instanceof ToolError)
      throw new ToolError(failure.code, failure.message, { ...failure.extra, hint })
    throw failure
  }
  const probabilities = estimates.map(({ probability }) => probability)
  const [low, high] = [Math.min(...probabilities), Math.max(...probabilities)]
  const mean = trimmedMean(probabilities)
  const review = plan.isSupervised
    ? await llm.ask({
        system: supervisor,
        messages: [
          {
            role: 'user',
            content: [...content, `The estimates, pooled ${percent(mean)}:`, ...summarize(estimates)],
          },
        ],
        schema: Review,
        maxTokens: 1000,
        signal,
      })
    : undefined
  const probability = review ? withReview(mean, review.value.probability, low, high) : mean
  const closest = [...estimates].sort(
    (one, other) => Math.abs(one.probability - probability) - Math.abs(other.probability - probability),
  )[0]
  return {
    probability: round4(probability),
    low: round4(low),
    high: round4(high),
    estimates: estimates.length,
    reasons: [
      ...(closest?.reasons_for ?? []).slice(0, 3).map(reason => `For: ${reason}`),
      ...(closest?.reasons_against ?? []).slice(0, 3).map(reason => `Against: ${reason}`),
    ],
    uncertainties: unlike(
      estimates.flatMap(({ uncertainties }) => uncertainties),
      5,
    ),
    review: review?.value.reason ?? null,
  }
}
