import { topic } from '../../../kernel/topic.ts'
import type { Tx } from '../../../ports/store/port.ts'
import { type EventKind, emitEvent } from '../event/event.ts'
import { tasksIn } from '../task/task.ts'
import { requiredCumulative } from './meter.ts'
import type { Session } from './session.ts'

/** Events of a session, and how the stream of its task tells them. */
const kinds = {
  session_open: 'session.opened',
  voucher_accepted: 'session.voucher',
  'payment-need-voucher': 'session.need_voucher',
  session_close: 'session.closed',
  settlement_complete: 'session.settled',
  error: 'session.error',
} as const satisfies Record<string, EventKind>

export type SessionEvent = keyof typeof kinds

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
export const toNeedVoucher = (session: Session) => ({
  channelId: session.channel_id,
  requiredCumulative: requiredCumulative(session).toString(),
  acceptedCumulative: session.accepted,
  deposit: session.deposit,
})
