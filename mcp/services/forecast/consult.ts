import { randomBytes } from 'node:crypto'
import { z } from 'zod'
import { type Context, tool, usd } from '../../kernel/tool.ts'
import type { Ports } from '../../ports/index.ts'
import { forecastSettings } from './config.ts'
import { toDetail } from './consult/detail.ts'
import { type Estimate, estimate, type Inputs } from './consult/estimate.ts'
import { aidInput, methodInput, questionInput, tierInput } from './consult/input.ts'
import { fitCalibrator } from './consult/log-odds.ts'
import { askModel, type ModelForecast } from './consult/model/forecast.ts'
import { plans } from './consult/model/plan.ts'
import { type Document, retrieve } from './consult/model/retrieve.ts'
import { type Question, readQuestion } from './consult/question.ts'
import { readQuote } from './consult/quote.ts'
import { refuse } from './consult/refusal.ts'
import { type Tier, tierPrices, tiers } from './consult/tiers.ts'
import { round4, sha256 } from './record/canonical.ts'
import { record } from './record/log.ts'
import { SignatureOut } from './record/output.ts'
import { registerPrediction } from './record/prediction.ts'
import { signStatement } from './record/snapshot.ts'

/** Names what made an answer, so that a later one can be told from it. */
const keylessVersion = 'keyless/1'
const toModelVersion = (name: string): string => `model/1 ${name.replace(/[^\x20-\x7e]/g, '?').slice(0, 100)}`

/** What reading and asking may take together. */
const modelMs = 100_000

type ConsultInput = Inputs & {
  question: string
  domain: string
  closes_at?: string | undefined
  tier?: Tier | undefined
  quote_id?: string | undefined
}

/** Question, tier and price of a call; throws for what cannot be answered. */
const readCall = (
  { clock, sign }: Pick<Ports, 'clock' | 'sign'>,
  { quote_id, tier, domain, ...input }: ConsultInput,
): { question: Question; tier: Tier; price: string } => {
  const now = clock.now()
  const question = readQuestion(input, now)
  if (quote_id === undefined) {
    const chosen = tier ?? 'quick'
    return { question, tier: chosen, price: tierPrices[chosen] }
  }
  const quote = readQuote(sign, quote_id, { question: input.question, domain }, now)
  if (tier !== undefined && tier !== quote.tier)
    throw refuse('tier', `is ${tier}, and the quote pins ${quote.tier}`, 'quote_mismatch')
  return { question, ...quote }
}

const percent = (probability: number): string => `${Math.round(probability * 1000) / 10} %`

const toReasoning = (
  { reference, classProbability, adjustments, probability }: Estimate,
  { isNegated }: Question,
  told: ModelForecast | undefined,
) => [
  `${reference.title}: ${reference.events} of ${reference.n} (${reference.source}).`,
  ...(isNegated
    ? ['The question asks whether it will not happen, so that the chances are turned around.']
    : []),
  `With the time that is left, the class alone says ${percent(classProbability)}.`,
  ...(told?.reasons ?? []),
  ...(told?.review ? [`Supervisor: ${told.review}`] : []),
  ...adjustments.map(({ name, reason }) => `${name}: ${reason}.`),
  `Together ${percent(probability)}.`,
]

const toUncertainties = ({ reference, method }: Estimate, told: ModelForecast | undefined): string[] => [
  ...(told?.uncertainties ?? []),
  ...(reference.id === 'market-question'
    ? ['No class of the table fits the question: the answer is that of any question, whatever its length.']
    : [`Whether this case is like those of the class: ${reference.title}.`]),
  ...(reference.n < 100 ? [`The class has ${reference.n} cases only.`] : []),
  ...(method === 'reference_class' ? ['Nothing that is known of this case alone went into it.'] : []),
  ...(reference.periodDays === null ? [] : ['Whether the hazard stays what it was while it was counted.']),
]

const toMindChangers = ({ reference }: Estimate): string[] => [
  'A price of a liquid market on this question (market_price): it weighs four times the class.',
  'Independent observations with a likelihood ratio (evidence).',
  ...(reference.n < 200 ? ['A closer class with more cases (base_rate).'] : []),
]

type Told = { documents: readonly Document[]; told: ModelForecast | undefined }
const nothingTold: Told = { documents: [], told: undefined }

type Wanted = { domain: string; tier: Tier; sources: readonly string[] }

/** What a model makes of the question, where there is one. */
const consultModel = async (
  {
    llm,
    fetch,
    workers,
    searchUrl,
    clock,
    signal: call,
  }: Context<(typeof needs)[number], (typeof wants)[number]>,
  question: Question,
  inputs: Inputs,
  { domain, tier, sources }: Wanted,
): Promise<Told> => {
  if (!llm || !fetch || !workers) return nothingTold
  const signal = AbortSignal.any([call, AbortSignal.timeout(modelMs)])
  const plan = plans[tier]
  const query = question.positive.slice(0, 300)
  const documents = await retrieve(
    { query, sources, pages: plan.pages, searchUrl },
    { fetch, workers, signal },
  )
  const { reference, classProbability } = estimate(question, { base_rate: inputs.base_rate }, { domain })
  const material = {
    reference,
    classProbability: question.isNegated ? 1 - classProbability : classProbability,
    documents,
    now: clock.now(),
  }
  return { documents, told: await askModel(llm, question, material, { plan, signal }) }
}

const text = (what: string) => z.array(z.string().describe(what))
const ProbabilityAt = (name: string, what: string) =>
  z.object({ [name]: z.string().describe(what), probability: z.number().describe('Probability then') })

const needs = ['store', 'clock', 'sign', record] as const
const wants = ['llm', 'fetch', 'workers', forecastSettings.searchUrl] as const

export default tool({
  name: 'consult',
  title: 'Ask for a probability',
  description:
    'Answers a yes-or-no question about the future with a calibrated probability, an interval, its reasoning and sources; registers it in the public record and signs it. Costs 3 (quick), 10 (standard), 25 (deep) or 50 (research) USDC on Base; what cannot be answered is refused before.',
  keywords: [
    'forecast',
    'prediction',
    'how likely',
    'odds',
    'chance of an event',
    'calibrated probability',
    'will it happen',
    'how probable',
    'likelihood',
    'chance',
    'predict the future',
    'who will win',
    'election odds',
    'world cup',
    'interest rates',
    'what are the chances',
    'yes or no question',
    'betting odds',
    'polymarket',
    'second opinion on a market',
    'Wahrscheinlichkeit',
    'Vorhersage',
    'wie wahrscheinlich',
    'probabilité',
    'prévision',
    'quelles sont les chances',
    'probabilidad',
    'pronóstico',
    'qué probabilidad hay',
    'probabilità',
    'previsione',
    'quante probabilità',
    'kans',
    'voorspelling',
    'hoe waarschijnlijk',
    'probabilidade',
    'previsão',
    'qual a chance',
    '予測',
    '確率',
    '可能性',
  ],
  input: z.object({
    ...questionInput,
    tier: tierInput.describe(
      'How much is done and told; without it quick, or that of the quote. price_estimate says what',
    ),
    method: methodInput,
    quote_id: z.string().max(1000).optional().describe('Of price_estimate: pins tier and price'),
    ...aidInput,
  }),
  output: z.object({
    forecast_id: z.string().describe('Id of this answer'),
    question: z.string().describe('The question as it was read'),
    domain: z.string().describe('Domain'),
    tier: z.enum(tiers).describe('Tier'),
    probability: z.number().describe('Probability of yes'),
    confidence_level: z
      .enum(['low', 'medium', 'high'])
      .describe('How narrow the interval is, and how close the class'),
    interval80: z
      .array(z.number().describe('Low, then high'))
      .length(2)
      .describe('80 % interval of the probability'),
    base_rate: z
      .object({
        class: z.string().describe('Id of the class'),
        title: z.string().describe('What was counted'),
        value: z.number().describe('Its rate'),
        events: z.number().int().describe('How often it happened'),
        n: z.number().int().describe('In so many cases or periods'),
        period_days: z.number().nullable().describe('Length of a period; null for cases'),
        probability: z.number().describe('What it says of this question by itself'),
        source: z.string().describe('Who counted'),
        url: z.string().describe('Where that can be looked up'),
        licence: z.string().describe('Licence of the source'),
      })
      .describe('The reference class that the answer starts from'),
    adjustments: z
      .array(
        z.object({
          name: z.string().describe('What moved it'),
          domain: z.string().describe('Domain'),
          delta_log_odds: z.number().describe('By how much'),
          reason: z.string().describe('Why'),
        }),
      )
      .describe('What moved the probability away from the class, in order'),
    reasoning: text('A step').describe('How it came about'),
    key_uncertainties: text('An uncertainty').describe('What it hangs on'),
    would_change_my_mind: text('An input').describe('What would move it'),
    sensitivity: z
      .array(ProbabilityAt('without', 'Input that is left out'))
      .nullable()
      .describe('Without each input; from standard on'),
    by_date: z
      .array(ProbabilityAt('date', 'Close date'))
      .nullable()
      .describe('By earlier and later dates; from deep on'),
    other_classes: z
      .array(
        z.object({
          class: z.string().describe('Id of the class'),
          title: z.string().describe('What was counted'),
          probability: z.number().describe('What the answer would be'),
        }),
      )
      .nullable()
      .describe('By other classes that fit; from deep on'),
    evidence_needed: z
      .array(
        z.object({
          probability: z.number().describe('To get there'),
          likelihood_ratio: z.number().describe('Evidence must be so strong'),
        }),
      )
      .nullable()
      .describe('What it takes to move the answer; research'),
    horizon: z
      .object({
        closes_at: z.string().describe('When it closes'),
        days: z.number().describe('Days from now'),
      })
      .describe('The time left'),
    resolution_criteria: z.string().describe('How it comes out'),
    sources: z
      .array(z.object({ title: z.string().describe('Source'), url: z.string().describe('Address') }))
      .describe('What the answer rests on'),
    method: z
      .string()
      .describe('reference_class: no model was asked; model: one was; +caller: with what you gave'),
    model_version: z.string().describe('Version of the method'),
    created_at: z.string().describe('When'),
    prediction: z
      .object({
        id: z.string().describe('Id in the public record'),
        seq: z.number().int().describe('Place in the record'),
        commitment: z.string().describe('Its hash, which the record shows at once'),
        nonce: z.string().describe('Yours: with it you resolve the prediction'),
        url: z.url().describe('Where it can be read'),
      })
      .describe('The prediction as it is registered'),
    signature: z
      .object(SignatureOut)
      .describe('Ed25519 over id, hash of the question, probability and commitment'),
  }),
  needs,
  wants,
  reserves: ({ method }) => (method === 'auto' ? 'llm' : undefined),
  timeoutMs: 120_000,
  price: usd(tierPrices.quick),
  // What fails is not charged, and what is not paid for registers nothing.
  settle: 'commit',
  /** What cannot be answered is refused here, before anybody is asked to pay. */
  quote: (ctx, input) => usd(readCall(ctx, input).price),
  limits: [{ perMinute: 60, per: 'client' }],
  hints: { readOnly: false, destructive: false, idempotent: false, openWorld: true },
  a2a: { skill: 'consultation', tags: ['forecast', 'x402'] },
  rest: { routes: ['POST /expertise/consultation'] },
  examples: [
    { question: 'Will a recession begin in the United States by 31 December 2035?' },
    {
      question: 'Will the new data centre be connected to the grid by 30 June 2035?',
      domain: 'infrastructure',
      market_price: 0.7,
    },
  ],
  summary: ({ probability, question }) => `${percent(probability)}: ${question}`,
}).run(async (ctx, { domain, resolution_source, method: wanted, sources = [], ...input }) => {
  const { commit, clock, sign, record, base } = ctx
  const { question, tier } = readCall({ clock, sign }, { domain, ...input })
  const { market_price, priors, evidence, base_rate } = input
  const ownInputs = { market_price, priors, evidence, base_rate }
  const { documents, told } =
    wanted === 'auto' ? await consultModel(ctx, question, ownInputs, { domain, tier, sources }) : nothingTold
  const inputs = { ...ownInputs, model: told }
  const calibrator = fitCalibrator(await record.methodCells(told ? 'model' : 'reference_class'))
  const options = { domain, calibrator }
  const answer = estimate(question, inputs, options)
  const { probability, interval80, reference, confidence, method } = answer
  const modelVersion = told && ctx.llm ? toModelVersion(ctx.llm.model) : keylessVersion
  const id = `fct_${randomBytes(12).toString('hex')}`
  return commit(async tx => {
    const now = clock.now()
    const prediction = await registerPrediction(
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
      type: 'octagent-forecast/1',
      forecast_id: id,
      question_sha256: sha256(question.text),
      domain,
      probability,
      interval80,
      method,
      model_version: modelVersion,
      closes_at: question.closesAt.toISOString(),
      created_at,
      prediction: prediction.id,
      commitment: prediction.commitment,
    })
    return {
      forecast_id: id,
      question: question.text,
      domain,
      tier,
      probability,
      confidence_level: confidence,
      interval80,
      base_rate: {
        class: reference.id,
        title: reference.title,
        value: round4(reference.events / reference.n),
        events: reference.events,
        n: reference.n,
        period_days: reference.periodDays,
        probability: answer.classProbability,
        source: reference.source,
        url: reference.url,
        licence: reference.licence,
      },
      adjustments: answer.adjustments,
      reasoning: toReasoning(answer, question, told),
      key_uncertainties: toUncertainties(answer, told),
      would_change_my_mind: toMindChangers(answer),
      ...toDetail(question, inputs, { ...options, tier, answer, now }),
      horizon: { closes_at: question.closesAt.toISOString(), days: round4(question.days) },
      resolution_criteria: resolution_source
        ? `${resolution_source.pointer} of ${resolution_source.url} ${resolution_source.is} ${resolution_source.value} after the close.`
        : `Yes if it has happened by ${question.closesAt.toISOString()}; you say so with the nonce and evidence.`,
      sources: [
        { title: reference.source, url: reference.url },
        ...documents.map(({ title, url }) => ({ title, url })),
        ...(priors ?? []).flatMap(({ source }) => (source === undefined ? [] : [{ title: source, url: '' }])),
      ],
      method,
      model_version: modelVersion,
      created_at,
      prediction: {
        id: prediction.id,
        seq: prediction.seq,
        commitment: prediction.commitment,
        nonce: prediction.content.nonce,
        url: `${base}/expertise/predictions/${prediction.id}`,
      },
      signature,
    }
  })
})
