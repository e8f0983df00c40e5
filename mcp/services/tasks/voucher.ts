import { z } from 'zod'
import { type Failure, ToolError } from '../../kernel/error.ts'
import { computeUnitPrice, readMeter, type Session, sessionsIn, startMeter } from './session.ts'
import { drainSession, emitSessionEvent, tickSession, withDue } from './session-clock.ts'
import { advanceSession, type SessionDeps } from './session-steps.ts'

export type Hex = `0x${string}`

const hex = (bytes: number, what: string) =>
  z
    .string()
    .regex(new RegExp(`^0x[0-9a-fA-F]{${bytes * 2}}$`), what)
    .transform(text => text.toLowerCase() as Hex)

export const addressInput = hex(20, 'an EVM address')
const bytes32Input = hex(32, '32 bytes in hexadecimal')

/** A signature; those of smart accounts have any length. */
const signatureInput = z
  .string()
  .regex(/^0x(?:[0-9a-fA-F]{2}){0,2048}$/, 'a signature in hexadecimal')
  .transform(text => text.toLowerCase() as Hex)

/** Atomic units (millionths of a dollar), within what the escrow can count. */
const atomicInput = z
  .string()
  .regex(/^(?:0|[1-9]\d{0,38})$/, 'atomic units as a decimal text')
  .refine(text => !/^\d+$/.test(text) || BigInt(text) < 1n << 128n, 'below 2^128')

const seconds = z.string().regex(/^(?:0|[1-9]\d{0,77})$/, 'Unix seconds as a decimal text')

/** A payer's deposit authorization (EIP-3009, receiveWithAuthorization). */
const authorizationInput = z
  .object({
    from: addressInput.describe('The payer'),
    to: addressInput.describe('The escrow'),
    value: atomicInput.describe('The deposit in atomic units'),
    validAfter: seconds.describe('From when it is good, Unix seconds'),
    validBefore: seconds.describe('Until when it is good, Unix seconds'),
    nonce: bytes32Input.describe('Made of the channel, as quote_session has it'),
  })
  .strict()

const zero: Hex = '0x0000000000000000000000000000000000000000'

export const OpenPayload = z
  .object({
    channelId: bytes32Input.describe('Id of the channel'),
    authorization: authorizationInput.describe('The deposit that was signed'),
    signature: signatureInput.describe('Signature of the deposit'),
    cumulativeAmount: atomicInput.default('0').describe('What the first voucher says, in atomic units'),
    voucherSignature: signatureInput.describe('Signature of the first voucher'),
    authorizedSigner: addressInput.default(zero).describe('Who signs vouchers; the payer without it'),
    salt: bytes32Input.describe('Random bytes that the id of the channel is made of'),
  })
  .strict()

export const TopUpPayload = z
  .object({
    channelId: bytes32Input.optional().describe('Id of the channel'),
    authorization: authorizationInput.describe('The deposit that was signed'),
    signature: signatureInput.describe('Signature of the deposit'),
    additionalDeposit: atomicInput.describe('The deposit again, in atomic units'),
    salt: bytes32Input.describe('Random bytes that the nonce is made of'),
  })
  .strict()

export const VoucherPayload = z
  .object({
    channelId: bytes32Input.optional().describe('Id of the channel'),
    cumulativeAmount: atomicInput.describe('What has been paid in all, in atomic units'),
    signature: signatureInput.describe('Signature of the voucher'),
  })
  .strict()

/** The challenge that a payload answers, where it came as a credential. */
type Answered = { challenge?: string }

export type SessionOpening = z.output<typeof OpenPayload> & Answered
export type SessionTopUp = z.output<typeof TopUpPayload>
type Voucher = z.output<typeof VoucherPayload> & Answered

/** Why a credential of a session is refused, as `evm/session` names it. */
type SessionFault =
  | 'invalid_signature'
  | 'amount_exceeds_deposit'
  | 'delta_too_small'
  | 'channel_not_found'
  | 'channel_finalized'
  | 'challenge_not_found'
  | 'insufficient_balance'
  | 'transaction_reverted'

const codes: Readonly<Record<SessionFault, Failure>> = {
  invalid_signature: 'payment_required',
  amount_exceeds_deposit: 'payment_required',
  delta_too_small: 'payment_required',
  challenge_not_found: 'payment_required',
  insufficient_balance: 'payment_required',
  channel_not_found: 'gone',
  channel_finalized: 'gone',
  transaction_reverted: 'conflict',
}

export const refuseSession = (
  fault: SessionFault,
  detail: string,
  params: Readonly<Record<string, string>> = {},
): ToolError => new ToolError(codes[fault], detail, { reason: fault, params })

/** The fault that a refusal is about; undefined for any other refusal. */
export const faultIn = ({ extra }: ToolError): SessionFault | undefined =>
  extra.reason !== undefined && Object.hasOwn(codes, extra.reason)
    ? (extra.reason as SessionFault)
    : undefined

/** Refuses a voucher whose signature is not that of who signs for the channel: before anything else is told of it. */
const checkVoucher = async (
  { channels }: Pick<SessionDeps, 'channels'>,
  { channel, channel_id }: Session,
  { cumulativeAmount, signature }: Voucher,
): Promise<void> => {
  const open = await channels.open()
  if (await open.isVoucherSigned(channel, channel_id, BigInt(cumulativeAmount), signature)) return
  throw refuseSession('invalid_signature', 'The voucher is not signed by who signs for the channel.', {
    channelId: channel_id,
  })
}

/**
 * Takes a voucher and starts the clock if it stood. One that says no more than the highest changes nothing; of two at once, both
 * count and the higher one stays.
 */
export const acceptVoucher = async (
  deps: SessionDeps,
  session: Session,
  voucher: Voucher,
): Promise<Session> => {
  const { store, clock, sessionIdle } = deps
  if (session.ended || session.state === 'draining')
    throw refuseSession('channel_finalized', 'The session takes no vouchers any more.', {
      channelId: session.channel_id,
    })
  await checkVoucher(deps, session, voucher)
  const cumulative = BigInt(voucher.cumulativeAmount)
  const idleMs = sessionIdle * 1000
  return store.transaction(async tx => {
    const now = clock.now()
    const stored = await sessionsIn(tx).get(session.id)
    if (!stored) throw new Error('a session is gone')
    const channelId = stored.channel_id
    if (stored.ended || stored.state === 'draining')
      throw refuseSession('channel_finalized', 'The session takes no vouchers any more.', { channelId })
    if (stored.state === 'opening')
      throw new ToolError('conflict', 'The deposit is still on its way to the chain.', {
        reason: 'session_opening',
        retryAfter: 2,
      })
    if (cumulative <= BigInt(stored.accepted)) return tickSession(tx, stored, { now, idleMs })
    if (cumulative > BigInt(stored.deposit))
      throw refuseSession('amount_exceeds_deposit', 'The voucher says more than the deposit: top up first.', {
        channelId,
        deposit: stored.deposit,
      })
    const least = computeUnitPrice(stored)
    const delta = cumulative - BigInt(stored.accepted)
    if (delta < least && cumulative !== BigInt(stored.deposit))
      throw refuseSession('delta_too_small', 'A voucher must pay for one unit more at least.', {
        channelId,
        minVoucherDelta: least.toString(),
      })
    const current = readMeter(stored, now)
    const paid: Session = {
      ...current,
      accepted: voucher.cumulativeAmount,
      voucher: voucher.signature,
      voucher_index: current.voucher_index + 1,
      challenge: voucher.challenge ?? current.challenge,
    }
    const started = startMeter(paid, now)
    const next = withDue(
      {
        ...started,
        is_voucher_asked: started.running_since === null && started.is_voucher_asked,
        idle_at: new Date(now.getTime() + idleMs).toISOString(),
      },
      now,
    )
    await sessionsIn(tx).put(next)
    const fields = { cumulative: next.accepted, voucher_index: String(next.voucher_index) }
    await emitSessionEvent(tx, next, 'voucher_accepted', fields, now.toISOString())
    return next
  })
}

/** How long whoever ends a session goes on with it before the job does. */
const takesMs = 30_000

/**
 * Ends a session: by a last voucher of the payer where it covers the time, else by its highest one. What was not promised goes back on
 * the chain, what was promised beyond the time to the payer's balance. One that is over stays as it is.
 */
export const endSession = async (
  deps: SessionDeps,
  session: Session,
  { reason, voucher }: { reason: string; voucher?: Voucher | undefined },
): Promise<Session> => {
  const { store, clock } = deps
  if (session.ended) return session
  if (session.state === 'opening')
    throw new ToolError('conflict', 'The deposit is still on its way to the chain.', {
      reason: 'session_opening',
      retryAfter: 2,
    })
  if (voucher) await checkVoucher(deps, session, voucher)
  const last = voucher && {
    cumulative: BigInt(voucher.cumulativeAmount),
    signature: voucher.signature,
  }
  await store.transaction(async tx => {
    const current = await sessionsIn(tx).get(session.id)
    if (!current) throw new Error('a session is gone')
    if (last && current.state === 'open' && last.cumulative > BigInt(current.deposit))
      throw refuseSession('amount_exceeds_deposit', 'The voucher says more than the deposit.', {
        channelId: current.channel_id,
        deposit: current.deposit,
      })
    return drainSession(tx, current, { now: clock.now(), reason, voucher: last, takesMs })
  })
  return advanceSession(deps, session.id)
}
