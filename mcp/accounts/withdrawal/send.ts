import { ToolError } from '../../kernel/error.ts'
import { inboxEvents, tellPeople } from '../../kernel/inbox.ts'
import { job } from '../../kernel/job.ts'
import type { Clock } from '../../ports/clock/port.ts'
import type { Lightning } from '../../ports/lightning/port.ts'
import type { Ledger } from '../../ports/payment/port.ts'
import type { Payouts } from '../../ports/payouts/port.ts'
import type { Store, Tx } from '../../ports/store/port.ts'
import { formatMoney } from '../amount.ts'
import { bookKind, moveOut, personKind } from '../books.ts'
import { paidOut, type WithdrawalRow, withdrawalFees, withdrawalsIn } from './withdrawal.ts'

type Deps = { store: Store; clock: Clock; ledger: Ledger }
type Ways = { lightning?: Lightning; payouts?: Payouts }

type Outcome = { state: 'sent'; proof: string | null } | { state: 'failed'; detail: string }

/** Longer than any node is waited for. */
const leaseMs = 180_000

/** Before its end an invoice is left alone, so that no clock that is ahead calls a payment too late that is under way. */
const marginMs = 60_000

/** After this time beyond its end no node pays an invoice any more, whatever its clock. */
const graceMs = 600_000

const maxPauseMs = 600_000
const firstPauseMs = 10_000

const pauseMs = (tries: number): number => Math.min(maxPauseMs, firstPauseMs * 2 ** Math.min(tries, 10))

const lastTry = ({ expires_at }: WithdrawalRow): number =>
  expires_at === null ? Number.POSITIVE_INFINITY : Date.parse(expires_at) - marginMs

/** Takes a withdrawal that nobody works on. That it may be asked for, and of which wallet, is written down before it is. */
const begin = async (
  { store, clock }: Deps,
  { payouts }: Ways,
  id: string,
): Promise<WithdrawalRow | undefined> => {
  // One that cannot be named just now is asked for again, when this one is put off.
  const wallet = (await payouts?.wallet().catch(() => undefined)) ?? null
  const now = clock.now()
  const at = now.toISOString()
  const lease = new Date(now.getTime() + leaseMs).toISOString()
  return store.transaction(async tx => {
    const queued = await withdrawalsIn(tx).get(id)
    if (queued?.state !== 'queued' || (queued.lease !== null && queued.lease > at)) return undefined
    const isTooLate = now.getTime() >= lastTry(queued)
    const from = queued.way === 'usdc' ? (queued.from ?? wallet) : null
    const next = { ...queued, from, lease, begun_at: queued.begun_at ?? (isTooLate ? null : at) }
    await withdrawalsIn(tx).put(next)
    return next
  })
}

/**
 * Asks the node. Until shortly before the invoice ends it is asked to pay: it pays an invoice once. After that some refuse it as too old
 * without a look at what they paid before, so they are only asked what became of it.
 */
const askNode = async (
  { clock }: Deps,
  lightning: Lightning,
  withdrawal: WithdrawalRow,
): Promise<Outcome | undefined> => {
  const { to, begun_at } = withdrawal
  if (begun_at === null) return { state: 'failed', detail: 'the invoice expired before it could be paid' }
  const now = clock.now().getTime()
  const result = await (now < lastTry(withdrawal)
    ? lightning.pay(to)
    : now < lastTry(withdrawal) + marginMs + graceMs
      ? undefined
      : lightning.find(to))
  return result?.state === 'paid' ? { state: 'sent', proof: result.preimage || null } : result
}

const askWallet = async (
  payouts: Payouts,
  { id, from, to, value }: WithdrawalRow,
): Promise<Outcome | undefined> => {
  if (from === null) return undefined
  const payout = await payouts.send({ id, from, to, amount: BigInt(value) })
  return payout.state === 'pending' ? undefined : { state: 'sent', proof: payout.transaction }
}

const ask = async (
  deps: Deps,
  { lightning, payouts }: Ways,
  row: WithdrawalRow,
): Promise<Outcome | undefined> => {
  // A store that took minutes to write the lease down leaves too little of it: somebody else may be asking by the time that we do.
  if (row.lease === null || deps.clock.now().getTime() > Date.parse(row.lease) - leaseMs / 2) return undefined
  if (row.way === 'lightning') return lightning && askNode(deps, lightning, row)
  return payouts && askWallet(payouts, row)
}

/** Books what was paid, or gives back what was not, fee and all: once. */
const book = async (tx: Tx, ledger: Ledger, row: WithdrawalRow, outcome: Outcome): Promise<void> => {
  const { id, held } = row
  const [value, fee] = [BigInt(row.value), BigInt(row.fee)]
  const memo = `withdrawal ${id}`
  if (outcome.state === 'failed')
    return moveOut(tx, ledger, { id: `returned:${id}`, book: row.book, to: held, value: -value - fee, memo })
  const { unit } = row.book
  const postings = [
    { account: held, amount: { unit, value: -value - fee } },
    { account: paidOut, amount: { unit, value } },
    { account: withdrawalFees, amount: { unit, value: fee } },
  ].filter(({ amount }) => amount.value !== 0n)
  await ledger.post(tx, { id: `withdrawn:${id}`, unit, memo, postings })
}

/** The prefix of the keys of a service's accounts, for those whose books pay out. */
const prefixes: Readonly<Record<string, string>> = { proof: 'prf', tasks: 'tsk' }

/** Tells the person whose money it was. */
const tell = async (tx: Tx, row: WithdrawalRow, outcome: Outcome): Promise<void> => {
  const kind = bookKind(row.book)
  const holder = row.account.slice(`agent:${kind}:`.length)
  const event = {
    service: kind,
    type: `withdrawal_${outcome.state}`,
    subject: row.id,
    data: { amount: formatMoney(row.book.unit, BigInt(row.value)) },
  }
  const prefix = prefixes[kind]
  if (kind === personKind) await inboxEvents.append(tx, holder, event)
  else if (prefix !== undefined) await tellPeople(tx, [{ prefix, holder }], event)
}

const settle = ({ store, clock, ledger }: Deps, id: string, outcome: Outcome): Promise<void> =>
  store.transaction(async tx => {
    const row = await withdrawalsIn(tx).get(id)
    if (row?.state !== 'queued') return
    await book(tx, ledger, row, outcome)
    await tell(tx, row, outcome)
    await withdrawalsIn(tx).put({
      ...row,
      state: outcome.state,
      lease: null,
      proof: outcome.state === 'sent' ? outcome.proof : null,
      problem: outcome.state === 'failed' ? outcome.detail.slice(0, 200) : null,
      ended_at: clock.now().toISOString(),
    })
  })

/** Puts it off: nobody knows yet, or it cannot be sent just now. Whatever a Lightning node says of itself is not told. */
const putOff = async ({ store, clock }: Deps, id: string, cause: unknown): Promise<void> => {
  await withdrawalsIn(store).update(id, row => {
    if (row.state !== 'queued') return row
    const next = clock.now().getTime() + pauseMs(row.tries)
    const waits = 'It is not known yet whether it was paid; the node is asked again.'
    const detail = cause instanceof ToolError ? cause.message : null
    return {
      ...row,
      lease: null,
      tries: row.tries + 1,
      next_at: new Date(next).toISOString(),
      problem: row.way === 'usdc' ? detail : waits,
    }
  })
}

/** Pays a withdrawal, or finds out what became of it: as often as it is called, by however many at once, the money goes once. */
export const sendWithdrawal = async (deps: Deps, ways: Ways, id: string): Promise<void> => {
  const withdrawal = await begin(deps, ways, id)
  if (!withdrawal) return
  let problem: unknown
  const outcome = await ask(deps, ways, withdrawal).catch((cause: unknown) => {
    problem = cause
    return undefined
  })
  if (outcome) await settle(deps, id, outcome)
  else await putOff(deps, id, problem)
  if (problem !== undefined && withdrawal.way === 'usdc' && !(problem instanceof ToolError)) throw problem
}

/** Sends what is due over one way, the oldest first. One that does not go keeps none of the others waiting. */
const sendDue = async (
  deps: Deps,
  ways: Ways,
  { way, signal }: { way: WithdrawalRow['way']; signal: AbortSignal },
): Promise<void> => {
  for (let after: string | undefined; ; ) {
    const { rows, next } = await withdrawalsIn(deps.store).find({
      index: 'due',
      where: { way, state: 'queued', next_at: { lte: deps.clock.now().toISOString() } },
      limit: 50,
      ...(after !== undefined && { after }),
    })
    for (const { id } of rows) {
      if (signal.aborted) return
      await sendWithdrawal(deps, ways, id)
    }
    if (next === undefined) return
    after = next
  }
}

const times = { every: 10, timeout: 300 } as const

export const sendSats = job({
  name: 'send-sats',
  ...times,
  needs: ['store', 'clock', 'ledger', 'lightning'],
}).run(({ signal, lightning, ...deps }) => sendDue(deps, { lightning }, { way: 'lightning', signal }))

export const sendUsdc = job({
  name: 'send-usdc',
  ...times,
  needs: ['store', 'clock', 'ledger', 'payouts'],
}).run(({ signal, payouts, ...deps }) => sendDue(deps, { payouts }, { way: 'usdc', signal }))
