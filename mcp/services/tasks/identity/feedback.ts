import canonicalize from 'canonicalize'
import { collection } from '../../../kernel/collection.ts'
import { formatUsd } from '../../../lib/usd.ts'
import type { Ports } from '../../../ports/ports.ts'
import type { Rating } from '../reputation/rating.ts'
import type { Task } from '../task/task.ts'
import type { RegistryPlace } from './registries.ts'

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
