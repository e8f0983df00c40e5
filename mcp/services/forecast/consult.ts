import { randomBytes } from 'node:crypto'
import { setMaxListeners } from 'node:events'
import { z } from 'zod'
import { ToolError } from '../../kernel/error.ts'
import { type Context, free, type Price, tool, usd } from '../../kernel/tool.ts'
import { openAsking } from '../../lib/asking.ts'
import { forecastSettings } from './config.ts'
import {
  type ConsultDecision,
  decideConsult,
  describeBasis,
  type Estimate,
  estimate,
} from './consult/decide.ts'
import { aidInput, ConsultOut, methodInput, questionInput, tierInput } from './consult/schema.ts'
import { tierPrices } from './consult/tiers.ts'
import { fitted } from './forms/fitted.ts'
import { measureOnSeries, type OwnRecord } from './forms/own-record.ts'
import { askViews, type ModelForecast, readByModel } from './model/forecast.ts'
import { describePlan, maxModelMs, plans } from './model/plan.ts'
import { type Material, requireDocuments, retrieve, toFailedSources } from './model/retrieve.ts'
import { round4, sha256 } from './record/canonical.ts'
import { record } from './record/log.ts'
import { issueSecret, registerPrediction } from './record/prediction.ts'
import { signStatement } from './record/snapshot.ts'
import { fitFormSlope } from './scoring.ts'

const toModelVersion = (name: string): string => `model/2 ${name.replace(/[^\x20-\x7e]/g, '?').slice(0, 100)}`

const percent = (probability: number): string => `${Math.round(probability * 1000) / 10} %`

/** The price of a decision, with what answers for it. */
const toPrice = (decision: ConsultDecision, canSearch: boolean): Price => {
  if (decision.price === '0') return free
  const { engine, basis, reading, tier } = decision
  return {
    ...usd(decision.price),
    note: {
      hint:
        engine === 'model'
          ? `${describeBasis(decision)}: ${describePlan(plans[tier], canSearch)}.`
          : describeBasis(decision),
      params: { engine, basis, ...(reading && { read: reading }) },
    },
  }
}

type Told = Material & {
  forecast: ModelForecast
  criteria: string
  cost: { questions: number; input_tokens: number; output_tokens: number }
}

const needs = ['store', 'clock', 'sign', record] as const
const wants = ['llm', 'fetch', 'workers', forecastSettings.searchUrl] as const
type ConsultContext = Context<(typeof needs)[number], (typeof wants)[number]>

/** Returns a model's view of the question, with what it read for it. */
const consultModel = async (
  ctx: ConsultContext,
  { question, tier }: ConsultDecision,
  sources: readonly string[],
): Promise<Told> => {
  const { llm, fetch, workers, searchUrl, clock, signal: call } = ctx
  if (!llm || !fetch || !workers) throw new ToolError('unavailable', 'No model is configured here.')
  const signal = AbortSignal.any([call, AbortSignal.timeout(maxModelMs)])
  // Every page and every question listens to it.
  setMaxListeners(0, signal)
  const asking = openAsking(llm, signal, 'A form with your numbers is answered without a model.')
  const plan = plans[tier]
  const now = clock.now()
  const reading = await readByModel(asking, question, now)
  const material = await retrieve(
    { queries: reading.queries, sources, pages: plan.pages, searchUrl },
    { fetch, workers, signal },
  )
  if (tier !== 'quick') requireDocuments(material, `the tier ${tier}`)
  const forecast = await askViews(asking, question, { reading, documents: material.documents, now }, plan)
  return {
    ...material,
    forecast,
    criteria: `${reading.question} Published by: ${reading.resolution_source}.${reading.unit ? ` Unit: ${reading.unit}.` : ''}`,
    cost: asking.cost(),
  }
}

/** Shares of its own windows that an 80 % interval may cover before the form is called unsure of the series. */
const usualCoverage = [0.65, 0.95] as const

const confidenceFor = ({ form }: Estimate, told: Told | undefined, own: OwnRecord | null) => {
  if (told) {
    const { low, high, consistency } = told.forecast
    if (high - low > 0.35 || consistency.some(({ ok }) => !ok)) return 'low' as const
    return high - low > 0.15 ? ('medium' as const) : ('high' as const)
  }
  const gain = form && form.skill.constant > 0 ? 1 - form.skill.brier / form.skill.constant : 0
  if (gain < 0.1 || (own && (own.coverage80 < usualCoverage[0] || own.coverage80 > usualCoverage[1])))
    return 'low' as const
  return gain < 0.3 ? ('medium' as const) : ('high' as const)
}

const toReasoning = (
  { form, adjustments, probability }: Estimate,
  { question, engine, basis }: ConsultDecision,
  told: Told | undefined,
): string[] => [
  describeBasis({ engine, basis }),
  ...(form ? [`${form.event} ${percent(form.probability)}.`] : []),
  ...(question.isNegated && basis !== 'price'
    ? ['The question asks whether it will not happen, so that the chances are turned around.']
    : []),
  ...(told?.forecast.review ? [`Supervisor: ${told.forecast.review}`] : []),
  ...adjustments.map(({ name, reason }) => `${name}: ${reason}.`),
  `Together ${percent(probability)}.`,
]

/** Forms that a question to a model may have: one that the caller states, or else a level that its text reads as, or an event. */
const modelForms = ['event', 'level', 'change', 'count', 'state', 'rank'] as const
const toModelMethod = (form: (typeof modelForms)[number]): string =>
  form === 'event' ? 'model' : `model:${form}`
const modelMethods = modelForms.map(toModelMethod)
const modelMethod = ({ form, reading }: ConsultDecision): string =>
  toModelMethod(form && form.kind !== 'price' ? form.kind : reading ? 'level' : 'event')

const toMethod = (
  decision: ConsultDecision,
  parts: { evidence: boolean; priors: boolean; form: boolean; sources: boolean; slope: boolean },
) => {
  const { engine, basis } = decision
  return [
    engine === 'model' ? modelMethod(decision) : basis === 'priors' ? 'priors' : `form:${basis}`,
    ...(engine === 'model' && parts.slope ? ['slope'] : []),
    ...(engine === 'model' && parts.sources ? ['sources'] : []),
    ...(engine === 'model' && parts.form ? ['form'] : []),
    ...(parts.priors && basis !== 'priors' ? ['priors'] : []),
    ...(parts.evidence ? ['evidence'] : []),
  ].join('+')
}

export default tool({
  name: 'consult',
  title: 'Ask for a probability',
  description:
    'Answers a yes-or-no question with a signed, registered probability: computed from a form that you state (0 to 0.05 USDC on Base), or by a model with sources (3, 10, 25 or 50). What rests on nothing is refused unpaid.',
  keywords: ['chance', 'forecast', 'future', 'calibrated', 'interest', 'happen'],
  input: z.object({
    ...questionInput,
    tier: tierInput.describe('Above quick: a model with sources'),
    method: methodInput,
    quote_id: z.string().max(1000).optional().describe('Of price_estimate: pins tier and price'),
    ...aidInput,
  }),
  output: ConsultOut,
  needs,
  wants,
  reserves: ({ method }) => (method === 'auto' ? 'llm' : undefined),
  timeoutMs: 120_000,
  price: usd(tierPrices.quick),
  // What fails is not charged, and what is not paid for registers nothing.
  settle: 'commit',
  /** Refuses what rests on nothing, or takes a model that is not there, before there is a price. */
  check: (ctx, input) => void decideConsult(ctx, input),
  quote: (ctx, input) => toPrice(decideConsult(ctx, input), ctx.searchUrl !== undefined),
  limits: [{ perMinute: 60, per: 'client' }],
  hints: { readOnly: false, destructive: false, idempotent: false, openWorld: true },
  a2a: { skill: 'consultation', tags: ['forecast', 'x402'] },
  rest: { routes: ['POST /expertise/consultation'] },
  examples: [
    {
      question: 'Will a recession begin in the United States by 31 December 2035?',
      form: { kind: 'event', events: 12, n: 78, period_days: 365.25 },
    },
    {
      question: 'Will gold close above 5,000 USD on 31 December 2035?',
      domain: 'markets',
      form: { kind: 'level', value: 4200, volatility: 0.16 },
    },
  ],
  summary: ({ probability, question }) => `${percent(probability)}: ${question}`,
}).run(async (ctx, input) => {
  const { commit, clock, sign, record, base } = ctx
  const decision = decideConsult(ctx, input)
  const { question, tier, engine, basis, form, reading } = decision
  const { domain, resolution_source, priors = [], evidence = [], sources = [] } = input
  const told = engine === 'model' ? await consultModel(ctx, decision, sources) : undefined
  const model = told && {
    probability: told.forecast.probability,
    views: told.forecast.views.length,
    // Learned on forecasts that were not stretched themselves.
    slope: fitFormSlope(
      await record.methodCells(modelMethod(decision)),
      await record.methodCells(...modelMethods),
    ),
  }
  const answer = estimate(question, { form, priors, evidence, model }, { domain })
  const method = toMethod(decision, {
    evidence: evidence.length > 0,
    priors: priors.length > 0,
    form: form !== undefined,
    sources: sources.length > 0,
    slope: model !== undefined && model.slope !== 1,
  })
  const { probability } = answer
  const ownRecord = form ? measureOnSeries(form, question.days) : null
  const modelVersion = told && ctx.llm ? toModelVersion(ctx.llm.model) : fitted.version
  const id = `fct_${randomBytes(12).toString('hex')}`
  const toPair = (pair: readonly [number, number] | null | undefined) =>
    pair ? [round4(pair[0]), round4(pair[1])] : null
  const rates = answer.form?.rateInterval
  const rateInterval = toPair(rates && question.isNegated ? [1 - rates[1], 1 - rates[0]] : rates)
  return commit(async tx => {
    const now = clock.now()
    // A market's price is no forecast of ours, and what costs nothing fills no record.
    const registered =
      basis === 'price'
        ? null
        : await registerPrediction(
            tx,
            {
              question: question.text,
              domain,
              probability,
              method,
              tier,
              closesAt: question.closesAt,
              source: resolution_source ?? null,
            },
            now,
          )
    const created_at = now.toISOString()
    const signature = signStatement(sign, {
      type: 'octagent-forecast/2',
      forecast_id: id,
      question_sha256: sha256(question.text),
      domain,
      probability,
      method,
      model_version: modelVersion,
      closes_at: question.closesAt.toISOString(),
      created_at,
      prediction: registered?.id ?? null,
      commitment: registered?.commitment ?? null,
    })
    return {
      forecast_id: id,
      question: question.text,
      domain,
      tier,
      engine,
      basis,
      probability,
      confidence_level: confidenceFor(answer, told, ownRecord),
      interval80: toPair(answer.form?.valueInterval),
      rate_interval80: rateInterval,
      form:
        form && answer.form
          ? {
              kind: form.kind,
              event: answer.form.event,
              probability: round4(answer.form.probability),
              parameters: answer.form.parameters,
              skill: answer.form.skill,
              own_record: ownRecord && {
                n: ownRecord.n,
                brier: round4(ownRecord.brier),
                constant: round4(ownRecord.constant),
                coverage80: round4(ownRecord.coverage80),
              },
            }
          : null,
      read: reading,
      adjustments: answer.adjustments,
      views: told?.forecast.views ?? null,
      consistency: told?.forecast.consistency ?? null,
      reasoning: toReasoning(answer, decision, told),
      key_uncertainties: [...(told?.forecast.uncertainties ?? []), ...(answer.form?.notChecked ?? [])],
      would_change_my_mind: [
        ...(basis === 'price' ? [] : ['A price of a liquid market on this question (form price).']),
        'Independent observations with a likelihood ratio (evidence).',
        ...(engine === 'model' ? [] : ['A model with sources, from the tier quick on (method: "model").']),
      ],
      not_checked: [
        ...(answer.form?.notChecked ?? []),
        ...(engine === 'form' ? ['the text of the question: the form is computed as you state it'] : []),
        ...(told ? ['the sources: a page may be wrong'] : []),
      ],
      horizon: { closes_at: question.closesAt.toISOString(), days: round4(question.days) },
      resolution_criteria: resolution_source
        ? `${resolution_source.pointer} of ${resolution_source.url} ${resolution_source.is} ${resolution_source.value} after the close.`
        : (told?.criteria ??
          `Yes if it has happened by ${question.closesAt.toISOString()}; you say so with your secret and evidence, which counts apart from what a source says.`),
      sources: (told?.documents ?? []).map(({ id, title, url }) => ({ id, title, url })),
      failed_sources: toFailedSources(told?.failures ?? []),
      cost: told?.cost ?? null,
      method,
      model_version: modelVersion,
      created_at,
      prediction: registered && {
        id: registered.id,
        seq: registered.seq,
        commitment: registered.commitment,
        secret: await issueSecret(tx, registered.id),
        url: `${base}/expertise/predictions/${registered.id}`,
      },
      signature,
    }
  })
})
