import canonicalize from 'canonicalize'
import { collection } from '../../kernel/collection.ts'
import { endpoint } from '../../kernel/endpoint.ts'
import { ToolError } from '../../kernel/error.ts'
import { job } from '../../kernel/job.ts'
import { formatUsd } from '../../lib/usd.ts'
import type { Clock } from '../../ports/clock/port.ts'
import type { Ports } from '../../ports/ports.ts'
import type { Store } from '../../ports/store/port.ts'
import { type AgentRegistries, agentRegistries, type RegistryPlace } from './identity.ts'
import type { Rating } from './reputation.ts'
import type { Task } from './task.ts'

type Hex = `0x${string}`

/** A rating that is made known in the reputation registry, with the evidence that it points to. */
export type Feedback = {
  /** That of the rating: `<task>.<side that is rated>` */
  id: string
  task: string
  agent_id: string
  score: number
  /** The evidence: canonical JSON, to the byte as it is served; and keccak-256 of it. */
  document: string
  hash: Hex
  uri: string
  endpoint: string
  /** `shown`: the rater sends it from the own wallet. The others: the house sends it. */
  state: 'shown' | 'queued' | 'done' | 'refused'
  open: boolean
  due: string
  tries: number
  /** The last transaction, written down before it is broadcast. */
  transaction: string | null
  problem: string | null
  created_at: string
}

const table = { name: 'tasks.feedback', indexes: [{ name: 'due', fields: ['open', 'due'] }] } as const

export const feedbackIn = collection<Feedback>({
  name: table.name,
  indexes: table.indexes,
  bounded: 'One for each rating.',
})

type Facts = { task: Task; rating: Rating; agentId: string; place: RegistryPlace; base: string; now: Date }

/**
 * The evidence for a rating: who said what of whom, about which task, how it ended, the head of its history, and a signature of the
 * house over all of it (compact JWS, EdDSA), so that whoever has the document needs nobody to verify it.
 */
export const toRatingEvidence = (
  { task, rating, agentId, place, base, now }: Facts,
  sign: Ports['sign'],
): string => {
  const facts = {
    type: 'task-feedback',
    version: 1,
    iss: base,
    agent: { chain_id: place.chainId, registry: place.identity, agent_id: agentId },
    task_id: task.id,
    about: rating.about,
    by: rating.by,
    score: rating.score,
    comment: rating.comment,
    rated_at: rating.at,
    outcome: task.status,
    bounty_usd: formatUsd(task.funds.bounty),
    released_usd: formatUsd(task.funds.released),
    history: { seq: task.seq, head: task.head },
    issued_at: now.toISOString(),
  }
  // In the order of the document, so that the two can be compared as texts.
  const claims = JSON.parse(canonicalize(facts) ?? '') as typeof facts
  return canonicalize({ ...claims, signature: sign.jws(claims, 'task-feedback+jwt') }) ?? ''
}

type Deps = { store: Store; clock: Clock; agentRegistries: AgentRegistries }

const confirmMs = 20_000
const maxPauseMs = 3_600_000

const save = (store: Store, { id }: Feedback, patch: Partial<Feedback>) =>
  feedbackIn(store).update(id, row => (row.open ? { ...row, ...patch } : row))

/**
 * Says in the registry what the house was asked to say, once: each task has its own tag there, and what is there already is not said
 * again, wherever an earlier try broke off.
 */
export const sendFeedback = async (deps: Deps, row: Feedback): Promise<void> => {
  const { store, clock, agentRegistries: registries } = deps
  const { agent_id: agentId, score, task, endpoint, uri, hash } = row
  const isSaid = async (client: string) => (await registries.summary(agentId, [client], task)).count > 0
  try {
    const operator = await registries.operator()
    if (!(await isSaid(operator.address))) {
      const { reputation } = await registries.place()
      const data = await registries.feedbackCall({ agentId, score, task, endpoint, uri, hash })
      await operator.carry(
        {
          to: reputation,
          data,
          onSigned: async transaction => void (await save(store, row, { transaction: transaction.hash })),
        },
        confirmMs,
      )
    }
    if (await isSaid(operator.address)) await save(store, row, { state: 'done', open: false, problem: null })
    else await retryLater(deps, row, 'No block has it yet; it is tried again.')
  } catch (error) {
    const problem = error instanceof ToolError ? error.message : 'The registry refused it; it is tried again.'
    if (row.tries >= 20) await save(store, row, { state: 'refused', open: false, problem })
    else await retryLater({ ...deps, clock }, row, problem)
  }
}

const retryLater = async ({ store, clock }: Deps, row: Feedback, problem: string): Promise<void> => {
  const pause = Math.min(maxPauseMs, 2 ** Math.min(row.tries, 11) * 5000)
  const due = new Date(clock.now().getTime() + pause).toISOString()
  await save(store, row, { problem, tries: row.tries + 1, due })
}

/** Sends the feedback of the house that is due. */
export const sendFeedbackJob = job({
  name: 'send-feedback',
  every: 30,
  timeout: 300,
  needs: ['store', 'clock', agentRegistries],
}).run(async ({ signal, ...deps }) => {
  const where = { open: true, due: { lte: deps.clock.now().toISOString() } }
  const { rows } = await feedbackIn(deps.store).find({ index: 'due', where, limit: 100 })
  for (const row of rows) {
    if (signal.aborted) return
    await sendFeedback(deps, row)
  }
})

export const feedbackDocument = endpoint({
  name: 'feedback_document',
  title: 'Evidence for a rating',
  description:
    'What a rating in the reputation registry points to, to the byte whose hash stands there: canonical JSON with a signature of the house.',
  method: 'GET',
  path: '/api/v1/reputation/documents/:id',
  body: 'none',
  answers: ['application/json'],
  needs: ['store'],
  auth: ['public'],
}).run(async ({ store }, { params: { id = '' } }) => {
  const feedback = await feedbackIn(store).get(id)
  if (!feedback) throw new ToolError('not_found', 'There is no such feedback.')
  return {
    kind: 'bytes',
    type: 'application/json',
    bytes: Buffer.from(feedback.document),
    cache: 'public, max-age=300',
  }
})
