import type { Tx } from '../../../ports/index.ts'

/** Why a probe failed, in the words of the interface. */
export const failureClasses = [
  'no_result',
  'capability_not_found',
  'unsafe_destination',
  'endpoint_unreachable',
  'incompatible',
  'permission_missing',
  'rate_limited',
  'unavailable',
  'response_too_large',
  'unknown_delivery_state',
  'protocol_failure',
  'invocation_failed',
  'verification_failed',
  'async_result_not_supported_v1',
] as const

export type FailureClass = (typeof failureClasses)[number]

export type Callability =
  | 'callable'
  | 'callable_with_payment'
  | 'callable_with_auth'
  | 'not_callable'
  | 'ambiguous'

/** What one probe of ours found. Kept as evidence: `target` is the interaction URL, or the identifier without one. */
export type Probe = {
  id: string
  target: string
  status: Callability
  failure_class: FailureClass | null
  proof_digest: string
  /** Digest of the card, to tell what changed. */
  card_digest: string | null
  pay_to: string | null
  at: string
}

const table = {
  name: 'gateway.probes',
  indexes: [
    { name: 'target', fields: ['target', 'at'] },
    { name: 'age', fields: ['at'] },
  ],
} as const

export const probesIn = (tx: Tx) => tx.collection<Probe>(table.name, table.indexes)

/** The probes of a target, the newest first. */
export const loadProbes = async (tx: Tx, target: string, limit = 20): Promise<Probe[]> =>
  (await probesIn(tx).find({ index: 'target', where: { target }, order: 'desc', limit })).rows
