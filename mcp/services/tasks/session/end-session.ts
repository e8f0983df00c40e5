import { ToolError } from '../../../kernel/error.ts'
import { checkVoucher } from './accept-voucher.ts'
import { advanceSession } from './advance.ts'
import type { SessionDeps } from './deps.ts'
import type { Voucher } from './payload.ts'
import { refuseSession } from './refuse.ts'
import { type Session, sessionsIn } from './session.ts'
import { drainSession } from './tick.ts'

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
