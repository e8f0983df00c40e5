import type { Json } from '../../store/index.ts'
import { openPostgres } from '../../store/postgres/open.ts'

/** One server process of `replicas.test.ts`: `node replica.js <url>`, told what to do over IPC. */
type Account = { id: string; balance: number }

const store = await openPostgres({ url: process.argv[2] ?? '' })
const accounts = store.collection<Account>('accounts')
const payloads: Json[] = []
store.subscribe('debits', ({ payload }) => payloads.push(payload))

const debit = (nth: number, amount: number): Promise<boolean> =>
  store.transaction(async tx => {
    const inside = tx.collection<Account>('accounts')
    const account = await inside.get('shared')
    if (!account || account.balance < amount) return false
    await inside.put({ id: 'shared', balance: account.balance - amount })
    await tx.append('debits', { pid: process.pid, nth })
    return true
  })

const tasks: Record<string, () => Promise<unknown>> = {
  debit: () => Promise.all(Array.from({ length: 25 }, (_, nth) => debit(nth, 10))),
  update: () =>
    Promise.all(
      Array.from({ length: 25 }, () =>
        accounts.update('counter', row => ({ ...row, balance: row.balance + 1 })),
      ),
    ),
  payloads: async () => payloads,
  close: () => store.close(),
}

process.on('message', async (task: string) => {
  process.send?.((await tasks[task]?.()) ?? null)
  if (task === 'close') process.disconnect()
})
await store.read('debits', 0, 1)
process.send?.('ready')
