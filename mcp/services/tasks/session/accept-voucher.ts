import { ToolError } from '../../../kernel/error.ts'
import type { SessionDeps } from './deps.ts'
import { emitSessionEvent } from './events.ts'
import { readMeter, startMeter } from './meter.ts'
import type { Voucher } from './payload.ts'
import { refuseSession } from './refuse.ts'
import { computeUnitPrice, type Session, sessionsIn } from './session.ts'
import { tickSession, withDue } from './tick.ts'

/** Refuses a voucher whose signature is not that of who signs for the channel: before anything else is told of it. */
export const checkVoucher = async (
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
