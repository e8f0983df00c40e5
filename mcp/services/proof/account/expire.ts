import { job } from '../../../kernel/job.ts'
import { dayMs } from '../../../lib/time.ts'
import type { Books, Ledger, Tx } from '../../../ports/index.ts'
import { readMailbox } from '../messages/direct.ts'
import { deleteMarks } from '../residence/owner-mark.ts'
import { dropWorkspace } from '../workspace/workspace.ts'
import { type Account, accountsIn } from './account.ts'
import { balanceUnit, toBook, toWallet } from './wallet.ts'

/** Days after which an account expires whose key was never used. */
export const unusedDays = 90

const maxRows = 100

/** Whether anybody would miss it: its key was never used, and nobody has sent it money or a message. */
const isEmpty = async (
  tx: Tx,
  { books, ledger }: { books: Books; ledger: Ledger },
  account: Account | undefined,
): Promise<boolean> => {
  if (!account || account.used_on !== null) return false
  if ((await books.load(tx, toBook(account.id))).debt > 0n) return false
  if ((await readMailbox(tx, account.id)).messages > 0) return false
  const { lines } = await ledger.statement(tx, balanceUnit, toWallet(account.id), { limit: 1 })
  return lines.length === 0
}

/** Forgets accounts that were never used and never funded, 90 days after their registration. */
export const expireAccounts = job({
  name: 'expire-accounts',
  every: 3600,
  needs: ['store', 'clock', 'ledger', 'books'],
}).run(async ({ store, clock, ledger, books, signal }) => {
  const lte = new Date(clock.now().getTime() - unusedDays * dayMs).toISOString()
  const where = { used_on: null, created_at: { lte } }
  for (let after: string | undefined; !signal.aborted; ) {
    const { rows, next } = await accountsIn(store).find({
      index: 'use',
      where,
      limit: maxRows,
      ...(after !== undefined && { after }),
    })
    for (const { id } of rows)
      await store.transaction(async tx => {
        if (!(await isEmpty(tx, { books, ledger }, await accountsIn(tx).get(id)))) return
        await accountsIn(tx).delete(id)
        await deleteMarks(tx, id)
        await dropWorkspace(tx, id, clock.now())
      })
    if (next === undefined) return
    after = next
  }
})
