import type { EndpointContext } from '../../../kernel/endpoint.ts'
import { type Leaf, parseLeaf } from '../ledger/leaf.ts'
import type { ProofBundle } from '../proofs/verify/proof.ts'

/** A proof as `get_proof` answers it. */
export type ProofAnswer = ProofBundle & {
  reveal: { salt: string; content: Record<string, unknown>; revealed_at: string } | null
}

/** A proof with its leaf, which this service wrote, and its content, where that is one of ours. */
export type ShownProof = {
  answer: ProofAnswer
  leaf: Leaf
  /** Undefined for an event that somebody else signed. */
  payload: Readonly<Record<string, unknown>> | undefined
}

/** Leaves that stand for events of the key of this service. Others are of strangers, whatever their events say. */
const ownTypes: ReadonlySet<string> = new Set(['verdict', 'execution', 'witness', 'validation'])

/** Loads a proof for a page. Throws as `get_proof` does. */
export const loadProof = async (
  { call }: Pick<EndpointContext<never>, 'call'>,
  proof_id = '',
): Promise<ShownProof> => {
  const answer = (await call('get_proof', { proof_id })) as unknown as ProofAnswer
  const leaf = parseLeaf(answer.leaf)
  const payload = ownTypes.has(leaf.type)
    ? (JSON.parse(answer.event.content) as Record<string, unknown>)
    : undefined
  return { answer, leaf, payload }
}
