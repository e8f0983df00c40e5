import { job } from '../../../kernel/job.ts'
import type { Lightning, Ports } from '../../../ports/index.ts'
import { bookSent, giveBack } from './money.ts'
import { type Withdrawal, withdrawalsIn } from './withdrawal.ts'

type Deps = Pick<Ports, 'store' | 'clock' | 'ledger' | 'books' | 'lightning'>

type Outcome = Awaited<ReturnType<Lightning['pay']>>

/** Longer than any node is waited for. */
const leaseMs = 180_000

/** Before its end an invoice is left alone, so that no clock that is ahead calls a payment too late that is under way. */
const marginMs = 60_000

/** After this time beyond its end no node pays an invoice any more, whatever its clock. */
const graceMs = 600_000

const maxPauseMs = 600_000
const firstPauseMs = 10_000

const pauseMs = (tries: number): number => Math.min(maxPauseMs, firstPauseMs * 2 ** Math.min(tries, 10))

const lastTry = ({ expires_at }: Withdrawal): number => Date.parse(expires_at) - marginMs

/** Takes a withdrawal that nobody works on. It is written down that the node may be asked before it is. */
const begin = async ({ store, clock }: Deps, id: string): Promise<Withdrawal | undefined> => {
  const now = clock.now()
  const at = now.toISOString()
  const lease = new Date(now.getTime() + leaseMs).toISOString()
  return store.transaction(async tx => {
    const queued = await withdrawalsIn(tx).get(id)
    if (queued?.state !== 'queued' || (queued.lease !== null && queued.lease > at)) return undefined
    const isTooLate = now.getTime() >= lastTry(queued)
    const next = { ...queued, lease, begun_at: queued.begun_at ?? (isTooLate ? null : at) }
    await withdrawalsIn(tx).put(next)
    return next
  })
}

/**
 * Asks the node. Until shortly before the invoice ends it is asked to pay: it pays an invoice once. After that some refuse it as too old without a look at
 * what they paid before, so they are only asked what became of it.
 */
const ask = async ({ lightning, clock }: Deps, withdrawal: Withdrawal): Promise<Outcome | undefined> => {
  const { invoice, begun_at, expires_at, lease } = withdrawal
  if (begun_at === null) return { state: 'failed', detail: 'the invoice expired before it could be paid' }
  const now = clock.now().getTime()
  // A store that took minutes to write the lease down leaves too little of it: somebody else may be asking by the time that we do.
  if (lease === null || now > Date.parse(lease) - leaseMs / 2) return undefined
  if (now < lastTry(withdrawal)) return lightning.pay(invoice)
  return now < Date.parse(expires_at) + graceMs ? undefined : lightning.find(invoice)
}

const settle = ({ store, clock, ledger, books }: Deps, { id }: Withdrawal, outcome: Outcome): Promise<void> =>
  store.transaction(async tx => {
    const row = await withdrawalsIn(tx).get(id)
    if (row?.state !== 'queued') return
    if (outcome.state === 'paid') await bookSent(tx, ledger, row)
    else await giveBack(tx, books, row)
    const isPaid = outcome.state === 'paid'
    await withdrawalsIn(tx).put({
      ...row,
      state: isPaid ? 'sent' : 'failed',
      lease: null,
      preimage: outcome.state === 'paid' && outcome.preimage !== '' ? outcome.preimage : null,
      problem: outcome.state === 'failed' ? outcome.detail.slice(0, 200) : null,
      ended_at: clock.now().toISOString(),
    })
  })

/** Puts it off: nobody knows yet. Whatever the node says of itself is not told. */
const putOff = async ({ store, clock }: Deps, { id }: Withdrawal): Promise<void> => {
  await withdrawalsIn(store).update(id, row => {
    if (row.state !== 'queued') return row
    const next = clock.now().getTime() + pauseMs(row.tries)
    return {
      ...row,
      lease: null,
      tries: row.tries + 1,
      next_at: new Date(next).toISOString(),
      problem: 'It is not known yet whether it was paid; the node is asked again.',
    }
  })
}

/** Pays a withdrawal, or finds out what became of it: as often as it is called, by however many at once, the money goes once. */
export const sendWithdrawal = async (deps: Deps, id: string): Promise<void> => {
  const withdrawal = await begin(deps, id)
  if (!withdrawal) return
  const outcome = await ask(deps, withdrawal).catch(() => undefined)
  if (outcome) await settle(deps, withdrawal, outcome)
  else await putOff(deps, withdrawal)
}

/** Sends what is due, the oldest first. One that does not go keeps none of the others waiting. */
export const sendWithdrawals = job({
  name: 'send-withdrawals',
  every: 10,
  timeout: 300,
  needs: ['store', 'clock', 'ledger', 'books', 'lightning'],
}).run(async ({ signal, ...deps }) => {
  for (let after: string | undefined; ; ) {
    const lte = deps.clock.now().toISOString()
    const { rows, next } = await withdrawalsIn(deps.store).find({
      index: 'due',
      where: { state: 'queued', next_at: { lte } },
      limit: 50,
      ...(after !== undefined && { after }),
    })
    for (const { id } of rows) {
      if (signal.aborted) return
      await sendWithdrawal(deps, id)
    }
    if (next === undefined) return
    after = next
  }
})
