import { ToolError } from '../../kernel/error.ts'
import { job } from '../../kernel/job.ts'
import type { Ports } from '../../ports/ports.ts'
import type { Tx } from '../../ports/store/port.ts'
import type { ChannelState, Channels } from './channel/channels.ts'
import { channels } from './channel/port.ts'
import { tasksSettings } from './config.ts'
import { walletAccount } from './money.ts'
import { loadTask } from './public-task.ts'
import { computeUnitPrice, Reverted, type Session, sessionsIn, startMeter, stopMeter } from './session.ts'
import { drainSession, emitSessionEvent, tickSession, withDue } from './session-clock.ts'

type Shares = { earned: bigint; fee: bigint; credited: bigint }

/**
 * How what a channel paid is shared out: the worker and the marketplace by the time that was spent, the payer what its voucher said
 * beyond it. `paid` = earned + fee + credited.
 */
const shareEarnings = (
  paid: bigint,
  { spent, rate, price }: { spent: bigint; rate: bigint; price: bigint },
): Shares => {
  const owed = paid < spent ? paid : spent
  const earned = (owed * rate) / price
  return { earned, fee: owed - earned, credited: paid - owed }
}

/** Books what a channel has paid, once per session. */
const bookEarnings = async (
  tx: Tx,
  ledger: Ports['ledger'],
  {
    session,
    worker,
    publisher,
    shares,
  }: { session: string; worker: string; publisher: string; shares: Shares },
): Promise<void> => {
  const { earned, fee, credited } = shares
  const paid = earned + fee + credited
  if (paid === 0n) return
  const postings = [
    { account: 'world:tasks-sessions' as const, amount: -paid },
    { account: walletAccount(worker), amount: earned },
    { account: 'house:tasks-fees' as const, amount: fee },
    { account: walletAccount(publisher), amount: credited },
  ].filter(({ amount }) => amount !== 0n)
  await ledger.post(tx, {
    id: `tasks-session:${session}`,
    unit: 'USDC',
    memo: `session ${session}`,
    postings: postings.map(({ account, amount }) => ({
      account,
      amount: { unit: 'USDC' as const, value: amount },
    })),
  })
}

const watchMs = 60_000
/** Seconds of the chain after the end of an authorization until it counts as never carried out. */
const lateSeconds = 120

type Change = (tx: Tx, session: Session, now: Date) => Promise<Session>

/** Changes a session that is still in the state in which it was looked at; else it is given back as it is. */
const change = async (deps: SessionDeps, session: Session, work: Change): Promise<Session> =>
  deps.store.transaction(async tx => {
    const current = await sessionsIn(tx).get(session.id)
    if (!current) throw new Error('a session is gone')
    return current.state === session.state ? work(tx, current, deps.clock.now()) : current
  })

const put = async (tx: Tx, session: Session): Promise<Session> => {
  await sessionsIn(tx).put(session)
  return session
}

/** Writes the hash of a transaction down before anybody has it. */
const rememberSent = (deps: SessionDeps, session: Session) => async (hash: `0x${string}`) => {
  await sessionsIn(deps.store).update(session.id, row => ({ ...row, sent: [...row.sent, hash] }))
}

/** Notes why a step did not go; it is tried again later. */
const postpone = (deps: SessionDeps, session: Session, problem: string): Promise<Session> =>
  change(deps, session, (tx, current, now) =>
    put(
      tx,
      withDue(
        {
          ...current,
          problem,
          tries: current.tries + 1,
          watch_at: new Date(now.getTime() + watchMs).toISOString(),
        },
        now,
      ),
    ),
  )

/** Ends a session whose money never moved. */
const failOpening = (deps: SessionDeps, session: Session, { reason, message }: Reverted): Promise<Session> =>
  change(deps, session, async (tx, current, now) => {
    const at = now.toISOString()
    const failed: Session = {
      ...current,
      state: 'errored',
      ended: true,
      active_task: null,
      pending: null,
      problem: message,
      ended_at: at,
    }
    await put(tx, failed)
    await emitSessionEvent(tx, failed, 'error', { reason, detail: message }, at)
    return failed
  })

const lastSent = async ({ store }: SessionDeps, id: string): Promise<`0x${string}` | null> =>
  (await sessionsIn(store).get(id))?.sent.at(-1) ?? null

/** The session is open once the chain has its channel; a first voucher starts the clock. */
const finishOpening = async (deps: SessionDeps, session: Session, state: ChannelState): Promise<Session> => {
  const hash = await lastSent(deps, session.id)
  const idleMs = deps.sessionIdle * 1000
  return change(deps, session, async (tx, current, now) => {
    const at = now.toISOString()
    const opened: Session = {
      ...current,
      state: 'open',
      deposit: state.deposit.toString(),
      pending: null,
      sent: [],
      problem: null,
      tries: 0,
      transactions: { ...current.transactions, open: hash },
      watch_at: new Date(now.getTime() + watchMs).toISOString(),
      idle_at: new Date(now.getTime() + idleMs).toISOString(),
    }
    const started = withDue(startMeter(opened, now), now)
    await put(tx, started)
    const fields = {
      channel_id: started.channel_id,
      deposit: started.deposit,
      rate: started.rate,
      fee: started.fee,
      unit: started.unit,
    }
    await emitSessionEvent(tx, started, 'session_open', fields, at)
    return tickSession(tx, started, { now, idleMs })
  })
}

/** True when an authorization that was handed to the chain can never be carried out any more. */
const isOver = async (open: Channels, { channel, pending }: Session): Promise<boolean> =>
  pending !== null &&
  BigInt(await open.time(channel.network)) > BigInt(pending.valid_before) + BigInt(lateSeconds)

const advanceOpening = async (deps: SessionDeps, open: Channels, session: Session): Promise<Session> => {
  const { channel, channel_id, pending } = session
  const there = await open.read(channel, channel_id)
  if (there) return finishOpening(deps, session, there)
  if (!pending) throw new Error('an opening without a deposit')
  let refusal: Reverted | undefined
  try {
    await open.openChannel(channel, pending, rememberSent(deps, session))
  } catch (error) {
    if (!(error instanceof Reverted)) throw error
    refusal = error
  }
  const state = await open.read(channel, channel_id)
  if (state) return finishOpening(deps, session, state)
  // What was handed to the chain may still be carried out, whatever one node says of it now.
  const isSafe = (await lastSent(deps, session.id)) === null || (await isOver(open, session))
  if (refusal && isSafe) return failOpening(deps, session, refusal)
  return postpone(deps, session, refusal?.message ?? 'The chain has not carried the deposit out yet.')
}

/** Writes the deposit of the chain down, and what becomes of a top-up that was under way. */
const noteDeposit = (deps: SessionDeps, session: Session, state: ChannelState, problem?: string) =>
  change(deps, session, async (tx, current, now) => {
    const isIn = current.pending !== null && state.deposit > BigInt(current.deposit)
    const isDropped = problem !== undefined
    const next: Session = {
      ...current,
      deposit: state.deposit.toString(),
      ...((isIn || isDropped) && { pending: null, sent: [], tries: 0, problem: problem ?? null }),
      watch_at: new Date(now.getTime() + watchMs).toISOString(),
    }
    return put(tx, withDue(startMeter(next, now), now))
  })

const advanceTopUp = async (deps: SessionDeps, open: Channels, session: Session): Promise<Session> => {
  const { channel, channel_id, pending, deposit } = session
  const before = await open.read(channel, channel_id)
  if (!before || before.isFinalized || !pending) return watch(deps, open, { ...session, pending: null })
  if (before.deposit > BigInt(deposit)) return noteDeposit(deps, session, before)
  let refusal: Reverted | undefined
  try {
    await open.topUp(channel, channel_id, pending, rememberSent(deps, session))
  } catch (error) {
    if (!(error instanceof Reverted)) throw error
    refusal = error
  }
  const state = await open.read(channel, channel_id)
  if (state && state.deposit > BigInt(deposit)) return noteDeposit(deps, session, state)
  const isSafe = (await lastSent(deps, session.id)) === null || (await isOver(open, session))
  if (refusal && isSafe && state) return noteDeposit(deps, session, state, refusal.message)
  return postpone(deps, session, refusal?.message ?? 'The chain has not carried the top-up out yet.')
}

/** Shares out what the chain paid, once, in the transaction in which the session ends. */
const conclude = async (deps: SessionDeps, session: Session, state: ChannelState): Promise<Session> => {
  const hash = await lastSent(deps, session.id)
  return change(deps, session, async (tx, current, now) => {
    const at = now.toISOString()
    const stopped = stopMeter(current, now)
    const spent = BigInt(stopped.spent)
    const shares = shareEarnings(state.settled, {
      spent,
      rate: BigInt(stopped.rate),
      price: computeUnitPrice(stopped),
    })
    const ended: Session = {
      ...stopped,
      state: state.settled >= spent ? 'settled' : 'expired',
      ended: true,
      active_task: null,
      pending: null,
      deposit: state.deposit.toString(),
      settled: state.settled.toString(),
      refunded: (state.deposit - state.settled).toString(),
      earned: shares.earned.toString(),
      fee_taken: shares.fee.toString(),
      credited: shares.credited.toString(),
      transactions: { ...stopped.transactions, close: hash },
      problem: null,
      ended_at: at,
    }
    await bookEarnings(tx, deps.ledger, {
      session: ended.id,
      worker: ended.worker,
      publisher: ended.publisher,
      shares,
    })
    await put(tx, ended)
    const fields = {
      ...(hash !== null && { tx_hash: hash }),
      settled: state.settled.toString(),
      refunded: (state.deposit - state.settled).toString(),
    }
    await emitSessionEvent(tx, ended, 'settlement_complete', fields, at)
    return ended
  })
}

const unknownChannelError = new Reverted('transaction_reverted', 'The chain knows the channel no more.')

const advanceDraining = async (deps: SessionDeps, open: Channels, session: Session): Promise<Session> => {
  const { channel, channel_id, closing } = session
  const before = await open.read(channel, channel_id)
  if (!before)
    return open.isLocal
      ? failOpening(deps, session, unknownChannelError)
      : postpone(deps, session, unknownChannelError.message)
  if (before.isFinalized) return conclude(deps, session, before)
  if (!closing) throw new Error('a session that drains without a voucher')
  let problem = 'The chain has not closed the channel yet.'
  try {
    await open.close(channel, channel_id, closing, rememberSent(deps, session))
  } catch (error) {
    if (!(error instanceof Reverted)) throw error
    problem = error.message
  }
  const state = await open.read(channel, channel_id)
  return state?.isFinalized ? conclude(deps, session, state) : postpone(deps, session, problem)
}

/** Looks at the channel of an open session: for money that others added, and for a payer that wants its rest back. */
const watch = async (deps: SessionDeps, open: Channels, session: Session): Promise<Session> => {
  const state = await open.read(session.channel, session.channel_id)
  if (!state && open.isLocal) return failOpening(deps, session, unknownChannelError)
  if (!state) return postpone(deps, session, unknownChannelError.message)
  if (state.isFinalized) return conclude(deps, session, state)
  const noted = await noteDeposit(deps, session, state)
  if (state.closeRequestedAt === 0 || noted.state !== 'open') return noted
  const drained = await change(deps, noted, (tx, current, now) =>
    drainSession(tx, current, { now, reason: 'the payer asked the escrow for the rest' }),
  )
  return drained.state === 'draining' ? advanceDraining(deps, open, drained) : drained
}

/**
 * Takes a session as far as the chain lets it: what is written down is carried out, what was carried out is found. Any number of
 * processes may do so at once, and after any of them was killed.
 */
export const advanceSession = async (deps: SessionDeps, id: string): Promise<Session> => {
  const session = await sessionsIn(deps.store).get(id)
  if (!session) throw new Error('a session is gone')
  if (session.ended) return session
  const open = await deps.channels.open()
  try {
    if (session.state === 'opening') return await advanceOpening(deps, open, session)
    if (session.state === 'draining') return await advanceDraining(deps, open, session)
    if (session.pending) return await advanceTopUp(deps, open, session)
    return await watch(deps, open, session)
  } catch (error) {
    if (!(error instanceof ToolError)) throw error
    return postpone(deps, session, error.message)
  }
}

/** Brings the meter of an open session up to now, and closes it where nothing more is to come. */
const tickDue = (deps: SessionDeps, { id }: Session): Promise<Session | undefined> =>
  deps.store.transaction(async tx => {
    const current = await sessionsIn(tx).get(id)
    const now = deps.clock.now()
    if (current?.state !== 'open') return current
    const ticked = await tickSession(tx, current, { now, idleMs: deps.sessionIdle * 1000 })
    const { status } = await loadTask(tx, ticked.task)
    if (status !== 'in_progress')
      return drainSession(tx, ticked, { now, reason: 'work on the task has ended' })
    if (ticked.running_since === null && ticked.idle_at <= now.toISOString())
      return drainSession(tx, ticked, { now, reason: 'no voucher came' })
    return ticked
  })

/** True when a session needs the chain. */
const needsChain = (session: Session, now: Date): boolean =>
  session.state !== 'open' || session.pending !== null || session.watch_at <= now.toISOString()

/** Runs what is due of one session. */
export const runSession = async (deps: SessionDeps, session: Session): Promise<void> => {
  const ticked = await tickDue(deps, session)
  if (ticked && !ticked.ended && needsChain(ticked, deps.clock.now())) await advanceSession(deps, ticked.id)
}

/** Stops clocks that nobody pays for, settles and closes sessions that are over, and goes on with what was interrupted. */
export const runSessions = job({
  name: 'run-sessions',
  every: 5,
  timeout: 120,
  needs: ['store', 'clock', 'ledger', channels, tasksSettings.sessionIdle],
}).run(async ({ signal, ...deps }) => {
  const where = { ended: false, due: { lte: deps.clock.now().toISOString() } }
  const { rows } = await sessionsIn(deps.store).find({ index: 'due', where, limit: 100 })
  for (const row of rows) {
    if (signal.aborted) return
    await runSession(deps, row)
  }
})

/** Dependencies of sessions. */
export type SessionDeps = Pick<Ports, 'store' | 'clock' | 'ledger'> & {
  channels: { open(): Promise<Channels> }
  /** Seconds. */
  sessionIdle: number
}
