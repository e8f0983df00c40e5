import { ToolError } from '../../../kernel/error.ts'
import { noBasis } from '../../../lib/no-basis.ts'
import type { Ports } from '../../../ports/ports.ts'
import { answerForm } from '../forms/answer.ts'
import type { CompleteForm, Form } from '../forms/schema.ts'
import type { Prior } from './estimate.ts'
import { type Question, readQuestion } from './question.ts'
import { requireQuotedTerms } from './quote.ts'
import { type LevelReading, readLevel } from './read-level.ts'
import { refuse } from './refusal.ts'
import { type Basis, type ConsultTier, formPrices, tierPrices } from './tiers.ts'

export const engines = ['form', 'model'] as const
export type Engine = (typeof engines)[number]

export type ConsultInput = {
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

export type DecisionPorts = Pick<Ports, 'clock' | 'sign'> & {
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
