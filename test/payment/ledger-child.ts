import { writeSync } from 'node:fs'
import { credits } from '../../mcp/payment/ledger/amount.ts'
import { openLedger } from '../../mcp/payment/ledger/index.ts'
import { openEmbedded } from '../../store/embedded/open.ts'

/** Sells until it is killed, and says what was acknowledged: each sale is a document and an entry, in one transaction. */
const [dir = '', life = '0'] = process.argv.slice(2)
const store = await openEmbedded({ dir, checkpointAt: 300_000 })
const ledger = openLedger()
const until = new Date('2999-01-01')

const sell = async (seller: number, n: number): Promise<void> => {
  const id = `sale-${life}-${seller}-${n}`
  await store.transaction(async tx => {
    await tx.collection('sales').put({ id })
    await ledger.post(tx, {
      id,
      unit: 'credit',
      memo: 'a sale',
      postings: [
        { account: 'world:in', amount: credits(-3n) },
        { account: `agent:${seller}`, amount: credits(2n) },
        { account: 'house:fees', amount: credits(1n) },
      ],
    })
    await ledger.hold(tx, { id, unit: 'credit', account: `agent:${seller}`, amount: credits(2n), until })
    if (n % 2) await ledger.capture(tx, id, { to: 'escrow:deals' })
  })
  writeSync(1, `${id}\n`)
}
const seller = async (name: number): Promise<never> => {
  for (let n = 0; ; n += 1) await sell(name, n)
}
await Promise.all(Array.from({ length: 8 }, (_, name) => seller(name)))
