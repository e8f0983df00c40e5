import { ToolError } from '../../../kernel/error.ts'
import { clip, expit, floor, logit, pool } from '../../../lib/log-odds.ts'
import { noBasis } from '../../../lib/no-basis.ts'
import type { Ports } from '../../../ports/ports.ts'
import { answerForm, type FormAnswer } from '../forms/answer.ts'
import type { CompleteForm, Form } from '../forms/schema.ts'
import { round4, sha256 } from '../record/canonical.ts'
import { type LevelReading, type Question, readLevel, readQuestion, refuse } from './question.ts'
import { type Basis, type ConsultTier, formPrices, tierPrices } from './tiers.ts'

const type = 'forecast-quote+jwt'
const validSeconds = 3600

type Asked = { question: string; domain: string }

const hashAsked = ({ question, domain }: Asked): string =>
  sha256(JSON.stringify([question.normalize('NFC').replace(/\s+/g, ' ').trim(), domain]))

/** A quote that pins tier, basis and price of a question for an hour: signed, so that nothing has to be stored for it. */
export const makeQuote = (
  sign: Ports['sign'],
  asked: Asked,
  { tier, price, basis }: { tier: ConsultTier; price: string; basis: Basis | 'model' },
  now: Date,
): { quote_id: string; expires_at: string } => {
  const exp = Math.floor(now.getTime() / 1000) + validSeconds
  return {
    quote_id: sign.jws({ kind: type, asked: hashAsked(asked), tier, price, basis, exp }, type),
    expires_at: new Date(exp * 1000).toISOString(),
  }
}

/** Terms a quote pins. Throws `invalid_input` on `quote_id` for one that is not ours, over, or for something else. */
const requireQuotedTerms = (
  sign: Ports['sign'],
  quoteId: string,
  asked: Asked,
  now: Date,
): { tier: ConsultTier; price: string; basis: Basis | 'model' } => {
  const claims = sign.open(quoteId)
  const again = 'Ask price_estimate again; it is free.'
  if (claims?.kind !== type) throw refuse('quote_id', 'is no quote of this service', 'unknown_quote', again)
  if (Number(claims.exp) * 1000 <= now.getTime())
    throw refuse('quote_id', 'has expired', 'quote_expired', again)
  if (claims.asked !== hashAsked(asked))
    throw refuse('quote_id', 'is for another question or domain', 'quote_mismatch', again)
  return {
    tier: claims.tier as ConsultTier,
    price: String(claims.price),
    basis: claims.basis as Basis | 'model',
  }
}

type EstimateEvidence = { text: string; likelihood_ratio: number }

type Prior = { probability: number; weight: number }

/** Inputs of an answer. Market price, priors and evidence are about the question as it is asked, other forms about the event. */
export type Inputs = {
  form?: CompleteForm | undefined
  priors?: readonly Prior[] | undefined
  evidence?: readonly EstimateEvidence[] | undefined
  /** A model's view of the event itself, and the slope that its log-odds are stretched by. */
  model?: { probability: number; views: number; slope: number } | undefined
}

type Adjustment = { name: string; domain: string; delta_log_odds: number; reason: string }

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

export const engines = ['form', 'model'] as const
type Engine = (typeof engines)[number]

type ConsultInput = {
  question: string
  domain: string
  closes_at?: string | undefined
  tier?: ConsultTier | undefined
  method: 'auto' | Engine
  quote_id?: string | undefined
  form?: Form | undefined
  priors?: readonly Prior[] | undefined
  sources?: readonly string[] | undefined
}

/** Choice of what answers a call, at which price. */
export type ConsultDecision = {
  question: Question
  engine: Engine
  /** Its basis. */
  basis: Basis | 'model'
  tier: ConsultTier
  price: string
  form: CompleteForm | undefined
  /** Reading of the text of the question; null where that is no level. */
  reading: LevelReading | null
}

type DecisionPorts = Pick<Ports, 'clock' | 'sign'> & {
  llm?: unknown
  fetch?: unknown
  workers?: unknown
  searchUrl?: string | undefined
}

const whatWouldHelp =
  'State a form with its numbers: price (market_price), level (series, or value and volatility), change (series), count, event or state (counts), rank; or give priors.'

/** A level takes what it lacks from the text of the question; any other form is complete. */
const completeForm = (form: Form, reading: LevelReading | null): CompleteForm => {
  if (form.kind !== 'level') return form
  const threshold = form.threshold ?? reading?.threshold
  const when = form.when ?? reading?.when
  const value = form.series?.at(-1) ?? form.value
  const side = threshold !== undefined && value !== undefined && threshold < value ? '<=' : '>='
  const is = form.is ?? (reading && (reading.is ?? side))
  for (const [name, part] of Object.entries({ threshold, is, when }))
    if (part === undefined || part === null)
      throw noBasis(
        `form.${name}`,
        'must be given, as the question does not say it in a way that is read',
        `Give form.${name}; a question such as "Will gold close above 3,000 USD on 31 December 2027?" is read by itself.`,
      )
  return { ...form, threshold: threshold as number, is: is as '>', when: when as 'at' }
}

const requireModel = (
  { llm, fetch, workers, searchUrl }: DecisionPorts,
  tier: ConsultTier,
  sources: readonly string[],
) => {
  if (!llm || !fetch || !workers)
    throw new ToolError(
      'unavailable',
      `The tier ${tier} needs a model, and none is configured here (LLM_URL).`,
      {
        reason: 'engine_unavailable',
        hint: `Without a model: ${whatWouldHelp}`,
      },
    )
  if (tier !== 'quick' && searchUrl === undefined && sources.length === 0)
    throw new ToolError(
      'unavailable',
      `The tier ${tier} needs a search, and none is configured here (FORECAST_SEARCH_URL).`,
      { reason: 'search_unavailable', hint: 'Name sources yourself, or take the tier quick.' },
    )
}

const chooseEngine = (
  { method, tier, form, priors }: ConsultInput,
  { llm, fetch, workers }: DecisionPorts,
): Engine => {
  const isStated = form !== undefined || (priors?.length ?? 0) > 0
  if (method !== 'auto') return method
  if (tier !== undefined && tier !== 'quick') return 'model'
  return !isStated && llm && fetch && workers ? 'model' : 'form'
}

/**
 * Decides what answers a call, at which price, before anybody is asked to pay. Throws `invalid_input` with reason `no_basis` where
 * nothing carries an answer, and `unavailable` where it takes a model or a search that is not configured.
 */
export const decideConsult = (available: DecisionPorts, input: ConsultInput): ConsultDecision => {
  const { clock, sign } = available
  const now = clock.now()
  const { quote_id, domain, form: stated, priors = [], sources = [] } = input
  const question = readQuestion(input, now)
  const quote =
    quote_id === undefined
      ? undefined
      : requireQuotedTerms(sign, quote_id, { question: input.question, domain }, now)
  if (quote && input.tier !== undefined && input.tier !== quote.tier)
    throw refuse('tier', `is ${input.tier}, and the quote pins ${quote.tier}`, 'quote_mismatch')
  const tier = quote?.tier ?? input.tier ?? 'quick'
  const reading = readLevel(question.positive, now) ?? null
  const engine = chooseEngine({ ...input, tier }, available)
  if (engine === 'form' && tier !== 'quick')
    throw refuse('tier', `is ${tier}, and without a model there is quick alone`, 'tier_needs_model')
  if (engine === 'model') requireModel(available, tier, sources)
  const form = stated && completeForm(stated, reading)
  if (engine === 'form' && !form && priors.length === 0)
    throw noBasis(
      'form',
      available.llm
        ? 'must be stated: without a model the text of a question is no basis for a number'
        : 'must be stated: no model is configured here, and the text of a question is no basis for a number',
      reading
        ? `The question reads as a level: give form {"kind": "level"} with series, or with value and volatility. ${whatWouldHelp}`
        : whatWouldHelp,
      reading ? { read: reading } : {},
    )
  // What a form has nothing to say on is refused here, whichever engine answers.
  if (form) answerForm(form, question.days)
  const basis = engine === 'model' ? 'model' : (form?.kind ?? 'priors')
  if (quote && quote.basis !== basis)
    throw refuse(
      'quote_id',
      `pins an answer by ${quote.basis}, and this is one by ${basis}`,
      'quote_mismatch',
    )
  const price = quote?.price ?? (basis === 'model' ? tierPrices[tier] : formPrices[basis])
  return { question, engine, basis, tier, price, form, reading }
}

const basisWords: Readonly<Record<ConsultDecision['basis'], string>> = {
  model: 'views of a language model with sources',
  price: 'the market price that you give, as it is',
  priors: 'your priors, pooled in log-odds',
  level: 'a walk without drift with your volatility',
  change: 'the drift or season of your series',
  count: 'your counted rate, negative binomial',
  event: 'your counted rate',
  state: 'your counted rate',
  rank: 'the share in which it moved',
}

/** Names what answers a call, in words for its price. */
export const describeBasis = ({ engine, basis }: Pick<ConsultDecision, 'engine' | 'basis'>): string =>
  engine === 'model' ? basisWords.model : `No model: ${basisWords[basis]}.`
