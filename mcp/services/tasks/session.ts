import { z } from 'zod'
import { collection } from '../../kernel/collection.ts'
import { ToolError } from '../../kernel/error.ts'
import type { Tx } from '../../ports/store/port.ts'

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

type SessionState = (typeof sessionStates)[number]

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

/** A session that the caller is a side of. Throws `not_found` for none, also for one of others: ids cannot be guessed. */
export const loadSessionAs = async (
  tx: Pick<Tx, 'collection'>,
  id: string,
  account: string,
  side: 'publisher' | 'either' = 'either',
): Promise<Session> => {
  const session = await sessionsIn(tx).get(id)
  const isSide = session && (session.publisher === account || session.worker === account)
  if (!isSide)
    throw new ToolError('not_found', 'There is no such session of yours.', { next: ['list_sessions'] })
  if (side === 'publisher' && session.publisher !== account)
    throw new ToolError('forbidden', 'Only who pays the session may do this.', { reason: 'not_a_party' })
  return session
}

export const sessionId = z.string().max(64).describe('Id of the session')

type Meter = Pick<
  Session,
  'rate' | 'fee' | 'unit' | 'accepted' | 'spent' | 'running_since' | 'begun' | 'deposit'
>

/** Units that the vouchers pay for and that have not begun. */
const affordableUnits = (meter: Meter): bigint =>
  (BigInt(meter.accepted) - BigInt(meter.spent)) / computeUnitPrice(meter)

/**
 * The meter at a time. Each unit is charged when it begins, and none that no voucher pays for: there the clock stops, and what comes
 * after costs nothing.
 */
export const readMeter = <meter extends Meter>(meter: meter, now: Date): meter => {
  if (meter.running_since === null) return meter
  const elapsed = now.getTime() - Date.parse(meter.running_since)
  const more = BigInt(Math.floor(elapsed / unitMs[meter.unit]) + 1 - meter.begun)
  if (more <= 0n) return meter
  const affordable = affordableUnits(meter)
  const units = more < affordable ? more : affordable
  const spent = (BigInt(meter.spent) + units * computeUnitPrice(meter)).toString()
  if (more > affordable) return { ...meter, spent, running_since: null, begun: 0 }
  return { ...meter, spent, begun: meter.begun + Number(units) }
}

/** Starts the clock of a meter that stands, if a voucher pays for the next unit. */
export const startMeter = <meter extends Meter>(meter: meter, now: Date): meter =>
  meter.running_since !== null || affordableUnits(meter) < 1n
    ? meter
    : readMeter({ ...meter, running_since: now.toISOString(), begun: 0 }, now)

/** The meter with its clock stopped now. */
export const stopMeter = <meter extends Meter>(meter: meter, now: Date): meter => ({
  ...readMeter(meter, now),
  running_since: null,
  begun: 0,
})

/** When a running clock stops for want of a voucher; null for one that stands. */
export const stopsAt = (meter: Meter): Date | null =>
  meter.running_since === null
    ? null
    : new Date(
        Date.parse(meter.running_since) + (meter.begun + Number(affordableUnits(meter))) * unitMs[meter.unit],
      )

/** The least that the next voucher must say; above the deposit, a top-up must come first. */
export const requiredCumulative = (meter: Meter): bigint => {
  const price = computeUnitPrice(meter)
  const [accepted, deposit] = [BigInt(meter.accepted), BigInt(meter.deposit)]
  const next = BigInt(meter.spent) + (affordableUnits(meter) + 1n) * price
  return accepted + price > deposit && next <= deposit ? deposit : accepted + price
}

/** True when the deposit does not reach for another unit. */
export const isCapNear = (meter: Meter): boolean => requiredCumulative(meter) > BigInt(meter.deposit)

/** A call that the chain refuses: nothing was sent, or nothing changed. */
export class Reverted extends Error {
  override readonly name = 'Reverted'
  readonly reason: 'insufficient_balance' | 'transaction_reverted'
  constructor(reason: Reverted['reason'], detail: string) {
    super(detail)
    this.reason = reason
  }
}
