import { collection } from '../../../kernel/collection.ts'
import type { JournalFields } from '../../../kernel/tool.ts'
import type { Index, Store } from '../../../ports/store/port.ts'
import type { Mode } from './price.ts'

/**
 * What a transfer is at. `quoted`: its payment is on its way. `paid`: a stranger carried the payment to the lane, which has not burned
 * it yet. `burned` → `attested` → `minted`. `forward_failed`: Circle does not mint, anybody may. `self_relay`: we do. `stuck`: only the
 * operator can go on. `returned`: what a stranger carried went back to its payer. `refused`: no money moved, or not to the lane.
 */
export const transferStates = [
  'quoted',
  'paid',
  'burned',
  'attested',
  'forward_failed',
  'self_relay',
  'minted',
  'stuck',
  'returned',
  'refused',
] as const

export type TransferState = (typeof transferStates)[number]

/** Record of a transfer that a quote writes before the payment can move. */
export type TransferTerms = {
  route: string
  /** Atomic units that are to arrive. */
  amount: string
  /** Part of the payment that the bridge keeps, gas included. */
  kept: string
  ref: string | null
  mode: Mode
  state: TransferState
  open: boolean
  /** When to look at it next. */
  due: string
  tries: number
  /** The transaction that burned it, and when that was seen. */
  burn: string | null
  burnedAt: string | null
  /** Number of Circle's message. */
  nonce: string | null
  attestedAt: string | null
  /** The transaction that minted it, where it is known. */
  mint: string | null
  mintedAt: string | null
  /** Atomic units that arrived; null until they did, and where the destination cannot be read. */
  received: string | null
  /** A transaction of our own on its way: written down before it is broadcast. */
  sent: string | null
  /** Why it is not further, for people. */
  reason: string | null
}

/** One transfer, under the id of its payment's receipt. */
export type BridgeTransfer = JournalFields & TransferTerms

export const transferCollection = 'money.transfers'

export const transferIndexes: readonly Index[] = [
  { name: 'due', fields: ['open', 'due'] },
  { name: 'route', fields: ['route', 'state', 'mintedAt'] },
  { name: 'identity', fields: ['identity'] },
]

export const transfersIn = collection<BridgeTransfer>({
  name: transferCollection,
  indexes: transferIndexes,
  archive: { afterHours: 24 },
  bounded: 'As many as were paid for.',
})

/** Milliseconds in which the call that brings the payment follows its transfer itself. */
const ownMs = 45_000

/** Entry in the journal before the payment of a quote can move. */
export const toTransferTerms = (
  terms: Pick<TransferTerms, 'route' | 'amount' | 'kept' | 'ref' | 'mode'>,
  now: Date,
): TransferTerms => ({
  ...terms,
  state: 'quoted',
  open: true,
  due: new Date(now.getTime() + ownMs).toISOString(),
  tries: 0,
  burn: null,
  burnedAt: null,
  nonce: null,
  attestedAt: null,
  mint: null,
  mintedAt: null,
  received: null,
  sent: null,
  reason: null,
})

/** The contract that collects its payment. */
export const laneOf = ({ collector, payTo }: Pick<BridgeTransfer, 'collector' | 'payTo'>): `0x${string}` =>
  (collector?.contract ?? payTo) as `0x${string}`

/** The nonce of the authorization that pays it. */
export const authorizationNonce = ({ identity }: Pick<BridgeTransfer, 'identity'>): `0x${string}` =>
  (identity.split('|')[3] ?? '0x') as `0x${string}`

/** The authorization's key in the lane, which takes each once. */
export const laneKey = async (
  transfer: Pick<BridgeTransfer, 'identity' | 'payer'>,
): Promise<`0x${string}`> => {
  const { encodeAbiParameters, keccak256 } = await import('viem')
  return keccak256(
    encodeAbiParameters(
      [{ type: 'address' }, { type: 'bytes32' }],
      [transfer.payer as `0x${string}`, authorizationNonce(transfer)],
    ),
  )
}

/** Milliseconds after which a transfer counts as late: an operator should look. */
const lateMs = 30 * 60_000

/** True when money of its payer is on its way for too long. */
export const isLate = ({ open, state, created }: BridgeTransfer, now: Date): boolean =>
  open && state !== 'quoted' && now.getTime() - Date.parse(created) > lateMs

/** Writes what has changed, unless somebody else was faster; resolves to what stands there. */
export const saveTransfer = async (
  store: Store,
  before: BridgeTransfer,
  patch: Partial<TransferTerms>,
): Promise<BridgeTransfer> => {
  const saved = await transfersIn(store).update(before.id, row =>
    row.state === before.state && row.tries === before.tries && row.sent === before.sent
      ? { ...row, ...patch }
      : row,
  )
  return saved ?? before
}
