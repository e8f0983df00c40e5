import { collection } from '../../../kernel/collection.ts'
import type { X402Quote } from '../../../lib/x402-wire.ts'
import type { Tx } from '../../../ports/store/port.ts'

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

export type Protocol = 'a2a' | 'mcp' | 'x402'

/** The tools of an MCP server as a probe listed them. Names and descriptions are cleaned. */
export type ToolList = {
  /** Over all tools as they were listed, to tell what changed. */
  digest: string
  count: number
  names: string[]
  descriptions: string[]
  /** Why a description is none; null when they all are. */
  injection: string | null
  /** True when a tool says that it costs something. */
  priced: boolean
}

/** Finding of one probe of ours. Kept as evidence: `target` is the interaction URL, or the identifier without one. */
export type Probe = {
  id: string
  target: string
  status: Callability
  failure_class: FailureClass | null
  proof_digest: string
  /** Digest of the card, to tell what changed. */
  card_digest: string | null
  pay_to: string | null
  /** The protocol that decided; the fields below are missing in older rows. */
  protocol?: Protocol | null
  /** True when it did what it was asked for, without payment. */
  served?: boolean
  /** The quote that an unpaid request was answered with. */
  quote?: X402Quote | null
  tools?: ToolList | null
  at: string
}

const table = {
  name: 'gateway.probes',
  indexes: [
    { name: 'target', fields: ['target', 'at'] },
    { name: 'age', fields: ['at'] },
  ],
} as const

export const probesIn = collection<Probe>({
  name: table.name,
  indexes: table.indexes,
  archive: { afterHours: 24 },
  budget: {
    what: 'probes',
    network: { rows: 4000, bytes: 16 << 20 },
    allBytes: 64 << 20,
    ends: 'A probe is dropped after 30 to 90 days.',
  },
})

/** The probes of a target, the newest first. */
export const loadProbes = async (tx: Tx, target: string, limit = 20): Promise<Probe[]> =>
  (await probesIn(tx).find({ index: 'target', where: { target }, order: 'desc', limit })).rows
