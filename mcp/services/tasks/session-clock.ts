import { topic } from '../../kernel/topic.ts'
import type { Tx } from '../../ports/store/port.ts'
import { type EventKind, emitEvent } from './event.ts'
import { readMeter, requiredCumulative, type Session, sessionsIn, stopMeter, stopsAt } from './session.ts'
import { tasksIn } from './task.ts'

/** Events of a session, and how the stream of its task tells them. */
const kinds = {
  session_open: 'session.opened',
  voucher_accepted: 'session.voucher',
  'payment-need-voucher': 'session.need_voucher',
  session_close: 'session.closed',
  settlement_complete: 'session.settled',
  error: 'session.error',
} as const satisfies Record<string, EventKind>

type SessionEvent = keyof typeof kinds

/** The log of what happened in one session. */
export const sessionEvents = topic({
  name: 'tasks.session',
  bounded: 'A session has its money in a channel of its payer, and a voucher for each part of it.',
})

/** Tells who follows the session, or its task, what happened, in the transaction in which it happens. */
export const emitSessionEvent = async (
  tx: Tx,
  session: Session,
  event: SessionEvent,
  fields: Readonly<Record<string, string>>,
  at: string,
): Promise<void> => {
  const { id, task: taskId, state, ended } = session
  await sessionEvents.append(tx, id, { event, session_id: id, state, ...fields, final: ended, at })
  const task = await tasksIn(tx).get(taskId)
  if (task) await emitEvent(tx, task, { kind: kinds[event], session_id: id, state, ...fields }, at)
}

/** Demand on a client before the clock goes on, as the draft of `evm/session` has it. Millionths of a dollar. */
const toNeedVoucher = (session: Session) => ({
  channelId: session.channel_id,
  requiredCumulative: requiredCumulative(session).toString(),
  acceptedCumulative: session.accepted,
  deposit: session.deposit,
})

const retryMs = (tries: number): number => Math.min(300_000, 5_000 * 2 ** Math.min(tries, 6))

/** The session with the time at which it is looked at next. */
export const withDue = (session: Session, now: Date): Session => {
  const later = (ms: number) => new Date(now.getTime() + ms).toISOString()
  if (session.state === 'opening' || session.state === 'draining' || session.pending)
    return { ...session, due: later(retryMs(session.tries)) }
  const stop = stopsAt(session)?.toISOString() ?? session.idle_at
  return { ...session, due: stop < session.watch_at ? stop : session.watch_at }
}

/**
 * Writes down what the time so far costs, and tells the payer when its vouchers do not reach for more. In the caller's transaction; a
 * session that is not open stays as it is.
 */
export const tickSession = async (
  tx: Tx,
  session: Session,
  { now, idleMs }: { now: Date; idleMs: number },
): Promise<Session> => {
  if (session.state !== 'open') return session
  const meter = readMeter(session, now)
  if (meter === session && (session.is_voucher_asked || session.running_since !== null)) return session
  const asks = meter.running_since === null && !session.is_voucher_asked
  const next = withDue(
    {
      ...meter,
      ...(asks && {
        is_voucher_asked: true,
        idle_at: new Date(now.getTime() + idleMs).toISOString(),
      }),
    },
    now,
  )
  await sessionsIn(tx).put(next)
  if (asks) await emitSessionEvent(tx, next, 'payment-need-voucher', toNeedVoucher(next), now.toISOString())
  return next
}

/**
 * Stops the clock for good and writes down by which voucher the session is closed; the chain comes after. In the caller's transaction.
 * `voucher` is a last one of the payer, which counts if it covers what was spent; `takesMs` is how long whoever drains it goes on with it
 * before others do.
 */
export const drainSession = async (
  tx: Tx,
  session: Session,
  {
    now,
    reason,
    voucher,
    takesMs = 0,
  }: {
    now: Date
    reason: string
    voucher?: { cumulative: bigint; signature: `0x${string}` } | undefined
    takesMs?: number
  },
): Promise<Session> => {
  if (session.state !== 'open') return session
  const stopped = stopMeter(session, now)
  const at = now.toISOString()
  const isCovered = voucher !== undefined && voucher.cumulative >= BigInt(stopped.spent)
  const last = isCovered
    ? { cumulative: voucher.cumulative.toString(), signature: voucher.signature }
    : { cumulative: stopped.accepted, signature: stopped.voucher ?? ('0x' as const) }
  const next: Session = {
    ...stopped,
    state: 'draining',
    active_task: null,
    pending: null,
    closing: { ...last, reason, at },
    sent: [],
    tries: 0,
    problem: null,
    due: new Date(now.getTime() + takesMs).toISOString(),
  }
  await sessionsIn(tx).put(next)
  const { spent } = next
  await emitSessionEvent(tx, next, 'session_close', { reason, cumulative: last.cumulative, spent }, at)
  return next
}
