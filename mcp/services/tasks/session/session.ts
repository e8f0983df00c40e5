import { collection } from '../../../kernel/collection.ts'
import type { Tx } from '../../../ports/store/port.ts'

/** Networks of paid sessions. */
export const sessionNetworks = ['base', 'arbitrum'] as const

export type SessionNetwork = (typeof sessionNetworks)[number]

/** Units of time that are paid for, in milliseconds. */
export const unitMs = { second: 1_000, minute: 60_000, hour: 3_600_000 } as const

export type TimeUnit = keyof typeof unitMs

/**
 * `opening`: the deposit is on its way. `open`: vouchers are taken. `draining`: it is being settled. `settled`: all that was owed is
 * paid. `expired`: the payer took its deposit back first. `errored`: nothing moved.
 */
export const sessionStates = ['opening', 'open', 'draining', 'settled', 'expired', 'errored'] as const

export type SessionState = (typeof sessionStates)[number]

type Hex = `0x${string}`

/** A channel as it was opened: what its id is made of. Addresses in lower case. */
export type ChannelTerms = {
  network: SessionNetwork
  chain_id: number
  escrow: Hex
  token: Hex
  payee: Hex
  payer: Hex
  /** Signer of vouchers; the zero address for the payer. */
  authorized_signer: Hex
  salt: Hex
}

/** A deposit that somebody has signed for, on its way to the chain. */
export type SignedDeposit = {
  from: Hex
  value: string
  valid_after: string
  valid_before: string
  nonce: Hex
  signature: Hex
  /** Of a top-up; an opening has that of the channel. */
  salt: Hex
}

/** The voucher that a session is closed by; without a signature where nothing was paid. */
export type Closing = {
  cumulative: string
  signature: Hex
  reason: string
  at: string
}

/** Paid time of a worker on a task. Amounts are millionths of a dollar, as decimal strings. */
export type Session = {
  /** `ses_…` */
  id: string
  task: string
  /** The task while it can be paid on, null afterwards: a task has one session at a time. */
  active_task: string | null
  publisher: string
  worker: string
  state: SessionState
  ended: boolean
  channel_id: Hex
  channel: ChannelTerms
  unit: TimeUnit
  /** The worker's pay for a unit, and the marketplace's fee on top. */
  rate: string
  fee: string
  /** Most that the payer agreed to put aside. */
  cap: string
  deposit: string
  /** The highest voucher. */
  accepted: string
  voucher: Hex | null
  voucher_index: number
  /** Cost of the time so far; never more than `accepted`. */
  spent: string
  /** Since when the clock runs without a pause, and the units that began since; null while it stands. */
  running_since: string | null
  begun: number
  /** The last challenge of the Payment scheme that was answered. */
  challenge: string | null
  /** Set once the payer was told that the clock stands. */
  is_voucher_asked: boolean
  pending: ({ kind: 'open' | 'topUp' } & SignedDeposit) | null
  closing: Closing | null
  /** Transactions of ours that were signed, the last one last; only the chain knows which was carried out. */
  sent: Hex[]
  /** The chain's payment to us and refund to the payer, and how it was shared out. */
  settled: string | null
  refunded: string | null
  earned: string | null
  fee_taken: string | null
  credited: string | null
  transactions: { open: Hex | null; close: Hex | null }
  /** Why the last try on the chain did not go. */
  problem: string | null
  tries: number
  /** When it is looked at next, and when it is closed for want of vouchers. */
  due: string
  idle_at: string
  /** When the channel is looked at next for a request of its payer to close. */
  watch_at: string
  created_at: string
  ended_at: string | null
}

export const sessionsIn = collection<Session>({
  name: 'tasks.sessions',
  indexes: [
    { name: 'task', fields: ['task', 'created_at'] },
    { name: 'publisher', fields: ['publisher', 'created_at'] },
    { name: 'worker', fields: ['worker', 'created_at'] },
    { name: 'due', fields: ['ended', 'due'] },
    { name: 'active', fields: ['active_task'], unique: true },
    { name: 'channel', fields: ['channel_id'], unique: true },
  ],
  bounded: 'Each has its own deposit on the chain.',
})

/** The most that may be put aside in one session: 100 USDC. */
export const maxCap = 100_000_000n

/** The least: below it the gas would cost more than the work. */
export const minDeposit = 100_000n

/** The price of a unit: what the worker gets and the fee. */
export const computeUnitPrice = ({ rate, fee }: Pick<Session, 'rate' | 'fee'>): bigint =>
  BigInt(rate) + BigInt(fee)

/** The session of a task that can be paid on. */
export const activeSession = async (tx: Pick<Tx, 'collection'>, task: string): Promise<Session | undefined> =>
  (await sessionsIn(tx).find({ index: 'active', where: { active_task: task }, limit: 1 })).rows[0]
