import { job } from '../../../kernel/job.ts'
import { dayMs } from '../../../lib/time.ts'
import type { Ports } from '../../../ports/ports.ts'
import type { Tx } from '../../../ports/store/port.ts'
import { readMailbox } from '../message.ts'
import { deleteMarks } from '../trade.ts'
import { dropWorkspace } from '../workspace.ts'
import { accountsIn, keyPrefix } from './account.ts'
import { toWalletAccount, toWalletBook, walletUnit } from './wallet.ts'

/** Days after which an account expires whose key was never used. */
export const unusedKeyDays = 90

const maxRows = 100

type Deps = Pick<Ports, 'books' | 'ledger' | 'keys'>

/** True when anybody would miss it: its key was never used, and nobody has sent it money or a message. */
const isEmpty = async (tx: Tx, { books, ledger, keys }: Deps, account: string): Promise<boolean> => {
  const ownKeys = await keys.list(tx, { prefix: keyPrefix, holder: account })
  if (ownKeys.length === 0 || ownKeys.some(({ used_on }) => used_on !== null)) return false
  if ((await books.load(tx, toWalletBook(account))).debt > 0n) return false
  if ((await readMailbox(tx, account)).messages > 0) return false
  const { lines } = await ledger.statement(tx, walletUnit, toWalletAccount(account), { limit: 1 })
  return lines.length === 0
}

/** Forgets accounts that were never used and never funded, 90 days after their registration. */
export const expireAccounts = job({
  name: 'expire-accounts',
  every: 3600,
  needs: ['store', 'clock', 'ledger', 'books', 'keys'],
}).run(async ({ store, clock, signal, ...deps }) => {
  const until = new Date(clock.now().getTime() - unusedKeyDays * dayMs).toISOString()
  for (let after: string | undefined; !signal.aborted; ) {
    const page = { limit: maxRows, ...(after !== undefined && { after }) }
    const { rows, next } = await deps.keys.listUnused(store, { prefix: keyPrefix, until, ...page })
    for (const { holder } of rows)
      await store.transaction(async tx => {
        if (!(await isEmpty(tx, deps, holder))) return
        await accountsIn(tx).delete(holder)
        await deps.keys.revoke(tx, { prefix: keyPrefix, holder })
        await deleteMarks(tx, holder)
        await dropWorkspace(tx, holder, clock.now())
      })
    if (next === undefined) return
    after = next
  }
})
