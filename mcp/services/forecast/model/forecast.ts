import { z } from 'zod'
import { ToolError } from '../../../kernel/error.ts'
import { type Asking, withHalf } from '../../../lib/asking.ts'
import { clip, expit, logit, trimmedMean } from '../../../lib/log-odds.ts'
import type { LlmPart } from '../../../ports/llm/port.ts'
import type { Question } from '../consult/question.ts'
import { round4 } from '../record/canonical.ts'
import type { consistencyChecks, ForecastView, TierPlan } from './plan.ts'
import { type Document, keepIds, toSourceParts } from './retrieve.ts'

const chance = (what: string) => z.number().min(0.001).max(0.999).describe(what)
const texts = (max: number, what: string) => z.array(z.string().max(400)).max(max).describe(what)
const ids = z
  .array(z.string().max(10))
  .max(20)
  .describe('Ids of the sources that it rests on; none where none does')

const Reading = z.object({
  is_clear: z.boolean().describe('Whether two honest people would agree on yes or no once the date is past'),
  fault: z.string().max(300).describe('What is missing or double; empty where it is clear'),
  question: z.string().min(10).max(600).describe('The same question with nothing left open'),
  resolution_source: z.string().max(300).describe('Who publishes the outcome'),
  unit: z.string().max(60).describe('Unit of a number that it asks about; empty where there is none'),
  queries: z
    .array(z.string().min(2).max(200))
    .min(1)
    .max(3)
    .describe('Searches that would find what matters'),
})

export type QuestionReading = z.output<typeof Reading>

const Plain = z.object({
  reasons: texts(6, 'Reasons, the strongest first'),
  uncertainties: texts(4, 'What it hangs on'),
  evidence_ids: ids,
  probability: chance('Probability that it happens'),
})
const Outside = Plain.extend({
  reference_class: z.string().max(300).describe('Cases like this one, and how many of them came true'),
  probability_by_half_time: chance('Probability that it has happened when half of the time is over'),
  probability_beyond: chance(
    'Probability of the same with its threshold, number or degree a tenth further away; the same probability where there is none',
  ),
})
const Counter = Plain.extend({
  outcomes: z
    .array(
      z.object({
        text: z.string().max(200).describe('A way it may come out'),
        is_yes: z.boolean().describe('Whether the answer is yes then'),
        probability: z.number().min(0).max(1).describe('Its probability'),
      }),
    )
    .min(2)
    .max(6)
    .describe('Ways it may come out; they exclude each other and sum to 1'),
})
const Decomposition = Plain.extend({
  steps: z
    .array(
      z.object({
        text: z.string().max(200).describe('Step'),
        probability: chance('Its probability, given the steps before it'),
      }),
    )
    .min(2)
    .max(6)
    .describe('Steps that must all come true'),
})
const Review = z.object({
  reason: z.string().max(600).describe('What the views missed or counted twice; or that they hold'),
  probability: chance('Probability that it happens, all considered'),
})

const reader = `You prepare a question for forecasters. Say who publishes the outcome, in which unit, and what is left open.
Keep its meaning: change no threshold, no date and no side. Do not answer it.`

const rules =
  'You are scored by the Brier score. Do not use what became known after the present date. Most things stay as they are.'

const prompts: Readonly<Record<ForecastView, string>> = {
  outside: `You see a question from the outside. Leave the details of this case aside: find the class of cases that it belongs to, count how
many of them came true within the time that is left, and answer with that rate. ${rules}`,
  inside: `You see a question from the inside. Look at what is specific to this case: who acts, what is decided, what is under way, what is
still in the way, and how much time is left. Weigh the sources. ${rules}`,
  decomposition: `You take a question apart. Name the steps that must all come true for it to happen, give each its probability given the
steps before it, and answer with their product. ${rules}`,
  counter: `You look for what others overlook. Name the outcome that most people expect, make the strongest case that it fails to come
about, check how good that case is, and then answer. ${rules}`,
}

const complement = `You are asked whether something will NOT happen. Say what has to stay as it is for that, and what could break it. Answer
with the probability that it does not happen. ${rules}`

const supervisor = `You review several views of one probability. Look for facts that are counted twice, for sources that are taken for more
than they show, and for a neglected base rate or deadline. Where the views hold, stay close to them. ${rules}`

/** One view's forecast of the event. */
export type ViewForecast = {
  view: ForecastView | 'complement'
  probability: number
  reasons: string[]
  evidence_ids: string[]
  steps: { text: string; probability: number }[] | null
}

export type Consistency = { check: (typeof consistencyChecks)[number]; ok: boolean; detail: string }

export type ModelForecast = {
  probability: number
  low: number
  high: number
  views: ViewForecast[]
  consistency: Consistency[]
  review: string | null
  uncertainties: string[]
}

/** How far what must agree may lie apart. */
const tolerance = 0.1
const percent = (probability: number): string => `${Math.round(probability * 1000) / 10} %`

const toTime = ({ closesAt, days }: Question, now: Date): string =>
  `Today is ${now.toISOString().slice(0, 10)}. The question closes at ${closesAt.toISOString()}, in ${Math.round(days)} days.`

const numbersIn = (text: string): string[] =>
  (text.match(/\d[\d,.]*/g) ?? []).map(number => number.replace(/,/g, '').replace(/\.+$/, ''))

/** True when every number of a text stands in another. */
const keepsNumbers = (text: string, other: string): boolean => {
  const numbers = new Set(numbersIn(other))
  return numbersIn(text).every(number => numbers.has(number))
}

/** Lets a model say what a question leaves open, and what to search for. Throws `invalid_input` for one that is not clear. */
export const readByModel = async (
  asking: Asking,
  question: Question,
  now: Date,
): Promise<QuestionReading> => {
  const reading = await asking.ask(
    reader,
    [toTime(question, now), { label: 'question', data: question.positive }],
    Reading,
  )
  if (!reading.is_clear)
    throw new ToolError('invalid_input', `question: leaves open how it comes out: ${reading.fault}`, {
      issues: [{ path: 'question', message: `leaves open how it comes out: ${reading.fault}` }],
      reason: 'not_clear',
      hint: `Nothing was charged. Ask for instance: ${reading.question}`,
    })
  // A rewriting that lost a number asks something else.
  return keepsNumbers(question.positive, reading.question)
    ? reading
    : { ...reading, question: question.positive }
}

type Material = { reading: QuestionReading; documents: readonly Document[]; now: Date }

/** The outside view gets no sources: nothing that somebody wrote on a page moves it. */
const seesSources = (view: ForecastView): boolean => view !== 'outside'

const toContent = (
  question: Question,
  { reading, documents, now }: Material,
  withSources: boolean,
): LlmPart[] => [
  toTime(question, now),
  { label: 'question', data: question.positive },
  {
    label: 'reading',
    data: `${reading.question}\nPublished by: ${reading.resolution_source}\nUnit: ${reading.unit || 'none'}`,
  },
  ...(withSources ? toSourceParts(documents) : []),
]

type Answered = ViewForecast & { uncertainties: string[]; checks: Consistency[] }

const askView = async (
  asking: Asking,
  view: ForecastView,
  content: readonly LlmPart[],
  documents: readonly Document[],
): Promise<Answered> => {
  const toAnswer = ({
    probability,
    reasons,
    evidence_ids,
    uncertainties,
  }: z.output<typeof Plain>): Answered => ({
    view,
    probability,
    reasons,
    evidence_ids: keepIds(evidence_ids, documents),
    steps: null,
    uncertainties,
    checks: [],
  })
  if (view === 'outside') {
    const value = await asking.ask(prompts[view], content, Outside, { temperature: 0.7 })
    const { probability, probability_by_half_time: half, probability_beyond: beyond, reference_class } = value
    return {
      ...toAnswer(value),
      reasons: [reference_class, ...value.reasons],
      checks: [
        {
          check: 'earlier_date',
          ok: half <= probability,
          detail: `${percent(half)} by half of the time, ${percent(probability)} by the close`,
        },
        {
          check: 'threshold',
          ok: beyond <= probability,
          detail: `${percent(beyond)} for a tenth more, ${percent(probability)} as it is asked`,
        },
      ],
    }
  }
  if (view === 'decomposition') {
    const value = await asking.ask(prompts[view], content, Decomposition, { temperature: 0.7 })
    const product = value.steps.reduce((all, { probability }) => all * probability, 1)
    const ok = Math.abs(product - value.probability) <= tolerance
    return {
      ...toAnswer(value),
      // The product is what the steps say, whatever was made of it.
      probability: Math.max(0.001, product),
      steps: value.steps,
      checks: [
        {
          check: 'product',
          ok,
          detail: `the steps multiply to ${percent(product)}, ${percent(value.probability)} was stated`,
        },
      ],
    }
  }
  if (view === 'counter') {
    const value = await asking.ask(prompts[view], content, Counter, { temperature: 0.7 })
    const sumOf = (outcomes: typeof value.outcomes) =>
      outcomes.reduce((sum, { probability }) => sum + probability, 0)
    const [all, yes] = [sumOf(value.outcomes), sumOf(value.outcomes.filter(({ is_yes }) => is_yes))]
    return {
      ...toAnswer(value),
      checks: [
        {
          check: 'sum',
          ok: Math.abs(all - 1) <= tolerance && Math.abs(yes - value.probability) <= tolerance,
          detail: `all ways sum to ${percent(all)}, those of yes to ${percent(yes)}, ${percent(value.probability)} was stated`,
        },
      ],
    }
  }
  return toAnswer(await asking.ask(prompts[view], content, Plain, { temperature: 0.7 }))
}

/** The answer for the complement, as a voice on the event. */
const askComplement = async (
  asking: Asking,
  content: readonly LlmPart[],
  documents: readonly Document[],
): Promise<Answered> => {
  const { probability, reasons, evidence_ids, uncertainties } = await asking.ask(complement, content, Plain, {
    temperature: 0.7,
  })
  return {
    view: 'complement',
    probability: 1 - probability,
    reasons,
    evidence_ids: keepIds(evidence_ids, documents),
    steps: null,
    uncertainties,
    checks: [],
  }
}

/** A supervisor moves the answer half the way to what it says, and never beyond the views. */
export const withReview = (mean: number, reviewed: number, low: number, high: number): number =>
  Math.min(high, Math.max(low, expit((logit(clip(mean)) + logit(clip(reviewed))) / 2)))

const summarize = (views: readonly ViewForecast[]): LlmPart[] =>
  views.map(({ view, probability, reasons }) => ({
    label: view,
    data: `${percent(probability)}\n${reasons.join('\n')}`,
  }))

/**
 * Asks for each view by a prompt of its own, pools them by the trimmed mean of their log-odds, checks what must agree, and lets a
 * supervisor review them. It goes on with half of the views; below that it throws what the model failed with.
 */
export const askViews = async (
  asking: Asking,
  question: Question,
  material: Material,
  plan: TierPlan,
): Promise<ModelForecast> => {
  const { documents } = material
  const asked = plan.views.flatMap(view =>
    Array.from({ length: plan.rounds }, () =>
      askView(asking, view, toContent(question, material, seesSources(view)), documents),
    ),
  )
  const all = plan.isReviewed
    ? [...asked, askComplement(asking, toContent(question, material, true), documents)]
    : asked
  const answered = await withHalf(all)
  const probabilities = answered.map(({ probability }) => probability)
  const [low, high] = [Math.min(...probabilities), Math.max(...probabilities)]
  const mean = trimmedMean(probabilities)
  const other = answered.find(({ view }) => view === 'complement')
  const direct = answered.filter(({ view }) => view !== 'complement').map(({ probability }) => probability)
  const consistency = answered.flatMap(({ checks }) => checks)
  if (other && direct.length > 0) {
    const pooled = trimmedMean(direct)
    consistency.unshift({
      check: 'complement',
      ok: Math.abs(pooled - other.probability) <= tolerance,
      detail: `${percent(pooled)} that it happens and ${percent(1 - other.probability)} that it does not`,
    })
  }
  const review = plan.isReviewed
    ? await asking.ask(
        supervisor,
        [
          ...toContent(question, material, true),
          `The views, pooled ${percent(mean)}:`,
          ...summarize(answered),
        ],
        Review,
      )
    : undefined
  return {
    probability: review ? withReview(mean, review.probability, low, high) : mean,
    low: round4(low),
    high: round4(high),
    views: answered.map(({ view, probability, reasons, evidence_ids, steps }) => ({
      view,
      probability: round4(probability),
      reasons,
      evidence_ids,
      steps,
    })),
    consistency,
    review: review?.reason ?? null,
    uncertainties: [...new Set(answered.flatMap(({ uncertainties }) => uncertainties))].slice(0, 5),
  }
}
