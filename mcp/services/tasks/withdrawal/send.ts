import { ToolError } from '../../../kernel/error.ts'
import { job } from '../../../kernel/job.ts'
import type { Ports } from '../../../ports/index.ts'
import { settleWithdrawal } from '../money/escrow.ts'
import { type Withdrawal, withdrawalsIn } from './withdrawal.ts'

type Deps = Pick<Ports, 'store' | 'clock' | 'ledger' | 'payouts'>

/** The wallet is written down before anything is signed, so that no other one is ever asked to pay the same. */
const begin = async ({ store, payouts }: Deps, { id }: Withdrawal): Promise<Withdrawal | undefined> => {
  const wallet = await payouts.wallet()
  return withdrawalsIn(store).update(id, row => ({ ...row, from: row.from ?? wallet }))
}

/** Sends one withdrawal, or finds that it was sent: as often as it is called, by however many at once, the money goes once. */
const sendWithdrawal = async (deps: Deps, queued: Withdrawal): Promise<void> => {
  const { store, clock, ledger, payouts } = deps
  try {
    const withdrawal = await begin(deps, queued)
    if (!withdrawal || withdrawal.from === null || withdrawal.state !== 'queued') return
    const { id, from, to, amount } = withdrawal
    const payout = await payouts.send({ id, from, to, amount: BigInt(amount) })
    if (payout.state === 'pending') return
    await store.transaction(async tx => {
      await settleWithdrawal(tx, ledger, { id, amount: BigInt(amount) })
      await withdrawalsIn(tx).update(id, row => ({
        ...row,
        state: 'sent',
        transaction: payout.transaction ?? row.transaction,
        problem: null,
        sent_at: row.sent_at ?? clock.now().toISOString(),
      }))
    })
  } catch (error) {
    if (!(error instanceof ToolError)) throw error
    const { message: problem } = error
    await withdrawalsIn(store).update(queued.id, row => (row.state === 'queued' ? { ...row, problem } : row))
  }
}

/** Sends what waits, the oldest first. One that does not go keeps none of the others waiting. */
export const sendWithdrawals = job({
  name: 'send-withdrawals',
  every: 10,
  timeout: 300,
  needs: ['store', 'clock', 'ledger', 'payouts'],
}).run(async ({ signal, ...deps }) => {
  for (let after: string | undefined; ; ) {
    const query = { index: 'state', where: { state: 'queued' }, limit: 50, ...(after && { after }) }
    const { rows, next } = await withdrawalsIn(deps.store).find(query)
    for (const row of rows) {
      if (signal.aborted) return
      await sendWithdrawal(deps, row)
    }
    if (!next) return
    after = next
  }
})
