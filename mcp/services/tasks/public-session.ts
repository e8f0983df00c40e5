import { z } from 'zod'
import { formatUsd } from '../../lib/usd.ts'
import type { Channels } from './channel/channels.ts'
import {
  computeUnitPrice,
  isCapNear,
  readMeter,
  requiredCumulative,
  type Session,
  sessionNetworks,
  sessionStates,
  stopsAt,
  type TimeUnit,
  unitMs,
} from './session.ts'

const usd = (what: string) => z.string().describe(`${what}, in USD`)
const maybeUsd = (what: string) =>
  z.string().nullable().describe(`${what}, in USD; null before it is settled`)

const Call = z.object({
  to: z.string().describe('The escrow'),
  data: z.string().describe('Call data'),
})

/** A session as its sides read it. */
export const SessionOut = z.object({
  session_id: z.string().describe('Id of the session'),
  task_id: z.string().describe('Id of the task'),
  state: z
    .enum(sessionStates)
    .describe(
      'opening: the deposit is on its way; draining: it is being settled; expired: the payer took its deposit back first; errored: nothing moved',
    ),
  publisher_id: z.string().describe('Account that pays'),
  executor_id: z.string().describe('Account that is paid'),
  network: z.enum(sessionNetworks).describe('Where the USDC is'),
  chain_id: z.number().int().describe('EIP-155 id of the chain'),
  channel_id: z.string().describe('Id of the channel'),
  escrow: z.string().describe('Contract that holds the deposit'),
  payer: z.string().describe('Wallet that the rest goes back to'),
  rate_usd: usd('What the worker gets for a unit'),
  fee_usd: usd('Fee of the marketplace on a unit'),
  price_usd: usd('Both together'),
  unit: z
    .enum(Object.keys(unitMs) as [TimeUnit, ...TimeUnit[]])
    .describe('Unit of time, paid when it begins'),
  cap_usdc: usd('What was authorised'),
  deposit_usdc: usd('What is in the escrow'),
  accepted_usdc: usd('What vouchers say in all'),
  spent_usd: usd('What the time so far costs'),
  clock: z.enum(['running', 'standing']).describe('Whether time is being paid'),
  stops_at: z.iso.datetime().nullable().describe('When the clock stops for want of a voucher'),
  needs: z
    .enum(['voucher', 'top_up'])
    .nullable()
    .describe('What the clock needs to go on; null while it runs'),
  next_voucher: z.string().describe('What the next voucher must say at least, in atomic units'),
  voucher_index: z.number().int().describe('How many vouchers have counted'),
  settled_usdc: maybeUsd('What the escrow paid'),
  refunded_usdc: maybeUsd('What the escrow gave back to the payer'),
  earned_usd: maybeUsd('What the worker got on the balance'),
  fee_taken_usd: maybeUsd('Fee that was taken'),
  credited_usd: maybeUsd('What the last voucher said beyond the time, back on the balance of the publisher'),
  open_transaction: z.string().nullable().describe('Transaction of the deposit'),
  close_transaction: z.string().nullable().describe('Transaction that settled it'),
  problem: z.string().nullable().describe('Why the last try on the chain did not go'),
  created_at: z.iso.datetime().describe('When it began'),
  ended_at: z.iso.datetime().nullable().describe('When it was over'),
})

export const ExitOut = z.object({
  request_close: Call.describe('Asks the escrow for the rest'),
  withdraw: Call.describe('Takes the rest, 15 minutes after that'),
})

const maybe = (amount: string | null): string | null => (amount === null ? null : formatUsd(amount))

const toNeeds = (session: Session): 'voucher' | 'top_up' | null => {
  if (session.state !== 'open' || session.running_since !== null) return null
  return isCapNear(session) ? 'top_up' : 'voucher'
}

export const toPublicSession = (stored: Session, now: Date): z.output<typeof SessionOut> => {
  const session = stored.state === 'open' ? readMeter(stored, now) : stored
  const { channel, transactions } = session
  return {
    session_id: session.id,
    task_id: session.task,
    state: session.state,
    publisher_id: session.publisher,
    executor_id: session.worker,
    network: channel.network,
    chain_id: channel.chain_id,
    channel_id: session.channel_id,
    escrow: channel.escrow,
    payer: channel.payer,
    rate_usd: formatUsd(session.rate),
    fee_usd: formatUsd(session.fee),
    price_usd: formatUsd(computeUnitPrice(session)),
    unit: session.unit,
    cap_usdc: formatUsd(session.cap),
    deposit_usdc: formatUsd(session.deposit),
    accepted_usdc: formatUsd(session.accepted),
    spent_usd: formatUsd(session.spent),
    clock: session.running_since === null ? 'standing' : 'running',
    stops_at: stopsAt(session)?.toISOString() ?? null,
    needs: toNeeds(session),
    next_voucher: requiredCumulative(session).toString(),
    voucher_index: session.voucher_index,
    settled_usdc: maybe(session.settled),
    refunded_usdc: maybe(session.refunded),
    earned_usd: maybe(session.earned),
    fee_taken_usd: maybe(session.fee_taken),
    credited_usd: maybe(session.credited),
    open_transaction: transactions.open,
    close_transaction: transactions.close,
    problem: session.problem,
    created_at: session.created_at,
    ended_at: session.ended_at,
  }
}

/** Calls with which the payer of a session gets its rest back without the marketplace. */
export const toExit = (open: Channels, { channel, channel_id }: Session): z.output<typeof ExitOut> =>
  open.exitCalls(channel, channel_id)

/** The receipt of a paid request of a session (`Payment-Receipt`, and the last event of its stream). */
export const toReceipt = (
  session: Session,
  { challengeId = session.challenge ?? undefined, at }: { challengeId?: string; at: Date },
) => ({
  method: 'evm',
  intent: 'session',
  status: 'success',
  timestamp: at.toISOString(),
  reference: session.channel_id,
  ...(challengeId !== undefined && { challengeId }),
  channelId: session.channel_id,
  chainId: session.channel.chain_id,
  acceptedCumulative: session.accepted,
  spent: session.spent,
  units: Number(BigInt(session.spent) / computeUnitPrice(session)),
  ...(session.transactions.close !== null && { txHash: session.transactions.close }),
})
