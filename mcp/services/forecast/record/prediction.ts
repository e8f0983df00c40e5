import { randomBytes } from 'node:crypto'
import { z } from 'zod'
import { collection } from '../../../kernel/collection.ts'
import { ToolError } from '../../../kernel/error.ts'
import type { Tx } from '../../../ports/store/port.ts'
import { round4, sha256 } from './canonical.ts'
import {
  type Annulment,
  annulments,
  type Content,
  commitTo,
  type RecordEntryRow,
  type Resolver,
  resolvers,
} from './entry.ts'
import { appendEntry } from './log.ts'

/** The fields of a prediction that anybody may read; what it says is null until it is resolved or annulled. */
export const PredictionOut = z.object({
  id: z.string().describe('Id of the prediction'),
  state: z.enum(['open', 'resolved', 'annulled']).describe('Whether its outcome is known'),
  domain: z.string().describe('Domain'),
  commitment: z.string().describe('SHA-256 of the canonical content, published at registration'),
  created_at: z.string().describe('When it was registered, ISO 8601'),
  closes_at: z.string().describe('When the question closes; it is scored from then on'),
  question_id: z.string().describe('Id of the first prediction of the same question'),
  question: z.string().nullable().describe('The question; null while it is open'),
  probability: z.number().nullable().describe('What was predicted; null while it is open'),
  method: z.string().nullable().describe('How; null while it is open'),
  nonce: z.string().nullable().describe('Opens the commitment; null while it is open'),
  outcome: z
    .union([z.literal(0), z.literal(1)])
    .nullable()
    .describe('1 came true, 0 did not; null while open'),
  resolved_by: z
    .enum(resolvers)
    .nullable()
    .describe(
      'Who said so: a source that the operator vouches for, one that the asker declared, or the asker',
    ),
  evidence: z.string().nullable().describe('Where that can be seen'),
  resolved_at: z.string().nullable().describe('When it was resolved or annulled'),
  reason: z.enum(annulments).nullable().describe('Why it was annulled'),
  seq: z.number().int().describe('Place of its registration in the record'),
  untrusted: z.literal(true).describe('Question and evidence are words of callers'),
})

/** A prediction as anybody may read it. */
export const toPublicPrediction = ({
  number: _,
  content,
  due_at: __,
  question,
  ...row
}: Prediction): z.output<typeof PredictionOut> => {
  const isOpen = row.state === 'open'
  return {
    ...row,
    question_id: content.question,
    question: isOpen ? null : question,
    probability: isOpen ? null : content.probability,
    method: isOpen ? null : content.method,
    nonce: isOpen ? null : content.nonce,
    untrusted: true,
  }
}

/** A leaf of the record and, where it publishes a prediction, its question. */
export const EntryOut = z.object({
  seq: z.number().int().describe('Place in the record, from 0'),
  canonical: z.string().describe('The text of the leaf: canonical JSON'),
  question: z
    .string()
    .nullable()
    .describe('The question whose SHA-256 the leaf holds; null while it is open'),
})

export const toPublicEntry = ({ seq, canonical, question }: RecordEntryRow): z.output<typeof EntryOut> => ({
  seq,
  canonical,
  question,
})

/** A prediction as it is stored. What it says stays here until it is resolved or annulled. */
export type Prediction = {
  id: string
  number: number
  state: 'open' | 'resolved' | 'annulled'
  domain: string
  question: string
  content: Content
  commitment: string
  created_at: string
  closes_at: string
  outcome: 0 | 1 | null
  resolved_by: Resolver | null
  evidence: string | null
  resolved_at: string | null
  reason: Annulment | null
  /** Place of its registration in the record. */
  seq: number
  /** When the source is looked at next, or the prediction given up; null once nothing is to do. */
  due_at: string | null
}

export const predictionsIn = collection<Prediction>({
  name: 'forecast.predictions',
  indexes: [
    { name: 'number', fields: ['number'] },
    { name: 'domain', fields: ['domain', 'number'] },
    { name: 'state', fields: ['state', 'number'] },
    { name: 'domain-state', fields: ['domain', 'state', 'number'] },
    { name: 'due', fields: ['due_at'] },
  ],
  budget: {
    what: 'open predictions',
    counts: ({ state }) => state === 'open',
    network: { rows: 1000, bytes: 8 << 20 },
    allBytes: 64 << 20,
    ends: 'One counts until it is resolved, or annulled 90 days after its close; a paid one does not count.',
  },
})

/** The first prediction of a question, by the hash of question, domain and close date. */
type QuestionRow = { id: string; first: string; latest: string }

const questionsIn = collection<QuestionRow>({
  name: 'forecast.questions',
  bounded: 'At most one for each prediction.',
})

/** Buyer of a forecast: the hash of a secret that only that buyer has. */
type AskerRow = { id: string; prediction: string }

const askersIn = collection<AskerRow>({
  name: 'forecast.askers',
  bounded: 'One for each forecast that somebody bought.',
})

type Counter = { id: 'predictions'; last: number }

const countersIn = collection<Counter>({ name: 'forecast.counter', bounded: 'One.' })

const day = 86_400_000

/** Days after the close date after which a prediction that nobody resolved is annulled. */
export const patienceDays = 90

/** Days in which whoever asked may contest how a prediction was resolved. */
const contestDays = 14

/** Words alone make a question: neither case nor spaces nor the mark at its end. */
const toQuestionKey = (question: string, domain: string, closesAt: string): string =>
  sha256(
    JSON.stringify([
      question
        .normalize('NFKC')
        .toLowerCase()
        .replace(/[\s?.!]+/gu, ' ')
        .trim(),
      domain,
      closesAt,
    ]),
  )

type NewPrediction = {
  question: string
  domain: string
  probability: number
  method: string
  tier: string
  closesAt: Date
  source: Content['source']
}

const isSameSource = (one: Content['source'], other: Content['source']): boolean =>
  one === other ||
  (one !== null &&
    other !== null &&
    (['url', 'pointer', 'is', 'value'] as const).every(part => one[part] === other[part]))

/**
 * Registers a prediction: its hash and its close date are in the record at once, what it says once it is resolved. The same question
 * with the same probability by the same method and the same source is the same prediction; it is not counted twice.
 */
export const registerPrediction = async (
  tx: Tx,
  { question, domain, probability, method, tier, closesAt, source }: NewPrediction,
  now: Date,
): Promise<Prediction> => {
  const closes_at = closesAt.toISOString()
  const key = toQuestionKey(question, domain, closes_at)
  const before = await questionsIn(tx).get(key)
  const latest = before && (await predictionsIn(tx).get(before.latest))
  if (
    latest?.state === 'open' &&
    latest.content.probability === round4(probability) &&
    latest.content.method === method &&
    isSameSource(latest.content.source, source)
  )
    return latest
  const counters = countersIn(tx)
  const number = ((await counters.get('predictions'))?.last ?? 0) + 1
  await counters.put({ id: 'predictions', last: number })
  const id = `prd_${String(number).padStart(8, '0')}`
  const content: Content = {
    prediction: id,
    question: before?.first ?? id,
    question_sha256: sha256(question),
    domain,
    probability: round4(probability),
    method,
    tier,
    created_at: now.toISOString(),
    closes_at,
    source,
    nonce: randomBytes(32).toString('hex'),
  }
  const commitment = commitTo(content)
  const { seq } = await appendEntry(
    tx,
    { kind: 'registered', prediction: id, commitment, domain, closes_at, question: content.question },
    { question: null, now },
  )
  const prediction: Prediction = {
    id,
    number,
    state: 'open',
    domain,
    question,
    content,
    commitment,
    created_at: content.created_at,
    closes_at,
    outcome: null,
    resolved_by: null,
    evidence: null,
    resolved_at: null,
    reason: null,
    seq,
    due_at: source ? closes_at : new Date(closesAt.getTime() + patienceDays * day).toISOString(),
  }
  await predictionsIn(tx).insert(prediction)
  await questionsIn(tx).put({ id: key, first: content.question, latest: id })
  return prediction
}

/** Makes a secret for one buyer of a forecast: buyers of the same one are told apart by it. */
export const issueSecret = async (tx: Tx, prediction: string): Promise<string> => {
  const secret = randomBytes(32).toString('hex')
  await askersIn(tx).insert({ id: sha256(secret), prediction })
  return secret
}

/** True when a secret was issued for a forecast. */
export const isAsker = async (
  tx: Pick<Tx, 'collection'>,
  prediction: string,
  secret: string,
): Promise<boolean> => (await askersIn(tx).get(sha256(secret)))?.prediction === prediction

/** Loads a prediction. Throws `not_found`. */
export const requirePrediction = async (tx: Pick<Tx, 'collection'>, id: string): Promise<Prediction> => {
  const prediction = await predictionsIn(tx).get(id)
  if (!prediction) throw new ToolError('not_found', 'There is no such prediction.')
  return prediction
}

type Resolution = { outcome: 0 | 1; by: Resolver; evidence: string }

/** Writes the outcome of an open prediction into the record and publishes what it said. */
export const resolvePrediction = async (
  tx: Tx,
  prediction: Prediction,
  { outcome, by, evidence }: Resolution,
  now: Date,
): Promise<Prediction> => {
  const { id, content, question } = prediction
  await appendEntry(
    tx,
    { kind: 'resolved', prediction: id, outcome, by, evidence, content },
    { question, now },
  )
  const resolved: Prediction = {
    ...prediction,
    state: 'resolved',
    outcome,
    resolved_by: by,
    evidence,
    resolved_at: now.toISOString(),
    due_at: null,
  }
  await predictionsIn(tx).put(resolved)
  return resolved
}

/** Annuls a prediction, open or resolved: it stays in the record with the reason, and counts in no score. */
export const annulPrediction = async (
  tx: Tx,
  prediction: Prediction,
  reason: Annulment,
  now: Date,
): Promise<Prediction> => {
  const { id, content, question, outcome } = prediction
  await appendEntry(tx, { kind: 'annulled', prediction: id, reason, outcome, content }, { question, now })
  const annulled: Prediction = {
    ...prediction,
    state: 'annulled',
    reason,
    resolved_at: now.toISOString(),
    due_at: null,
  }
  await predictionsIn(tx).put(annulled)
  return annulled
}

/**
 * Takes what a buyer says of the outcome, for questions without a source: it counts apart from what sources say. Another word within
 * 14 days contests the first, and annuls: nobody here judges between two words. Throws `conflict` where it is too early, too late,
 * or the declared source decides.
 */
export const resolveByAsker = async (
  tx: Tx,
  prediction: Prediction,
  { outcome, evidence }: { outcome: 0 | 1; evidence: string },
  now: Date,
): Promise<Prediction> => {
  if (prediction.content.source)
    throw new ToolError('conflict', 'The declared source decides this prediction, and nobody else.', {
      params: { source: prediction.content.source.url },
    })
  if (prediction.state === 'annulled') throw new ToolError('conflict', 'This prediction was annulled.')
  if (prediction.state === 'resolved') {
    if (prediction.outcome === outcome) return prediction
    const age = now.getTime() - Date.parse(prediction.resolved_at ?? '')
    if (age > contestDays * day)
      throw new ToolError('conflict', `An outcome can be contested for ${contestDays} days; these are over.`)
    return annulPrediction(tx, prediction, 'disputed', now)
  }
  if (outcome === 0 && now.toISOString() < prediction.closes_at)
    throw new ToolError('conflict', `Until ${prediction.closes_at} it can still come true.`)
  return resolvePrediction(tx, prediction, { outcome, by: 'asker', evidence }, now)
}
