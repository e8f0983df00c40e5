import { createHash } from 'node:crypto'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { setTimeout as sleep } from 'node:timers/promises'
import { type PaymentRow, paymentIndexes } from '../../mcp/payment/gate/record.ts'
import { openEmbedded } from '../../store/embedded/open.ts'
import type { Store } from '../../store/index.ts'
import { contest } from '../contestant.ts'

const digest = (text: string): string => createHash('sha256').update(text).digest('hex')

/** A payment of a day ago, as the gate leaves it once its work is done. */
const toPayment = (n: number): PaymentRow => ({
  id: digest(`payload ${n}`),
  receipt: digest(`receipt ${n}`).slice(0, 32),
  state: 'done',
  claim: digest(`claim ${n}`),
  request: digest(`request ${n}`),
  service: 'cat',
  tool: 'feed',
  settle: 'before',
  method: 'x402-evm',
  dialect: 'x402',
  form: 'v2',
  sender: null,
  network: 'eip155:8453',
  asset: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913',
  payTo: `0x${digest('payee').slice(0, 40)}`,
  amount: '100000',
  payer: `0x${digest(`payer ${n % 1000}`).slice(0, 40)}`,
  transaction: `0x${digest(`transaction ${n}`)}`,
  log: `eip155:8453:0x${digest(`transaction ${n}`)}:1`,
  spentElsewhere: false,
  reverted: null,
  watch: null,
  watchEnd: null,
  offer: JSON.stringify({ scheme: 'exact', network: 'eip155:8453', amount: '100000', maxTimeoutSeconds: 60 }),
  sealed: null,
  answer: JSON.stringify({ purr: 'prrr'.repeat(40), bowl: 90 }),
  runner: null,
  lease: null,
  rate: null,
  refund: null,
  created: new Date(1.7e12 + n * 1000).toISOString(),
  updated: new Date(1.7e12 + n * 1000 + 500).toISOString(),
})

/** What the process holds: in the heap of V8 and in buffers beside it. */
const held = (): number => {
  global.gc?.()
  global.gc?.()
  const { heapUsed, arrayBuffers } = process.memoryUsage()
  return heapUsed + arrayBuffers
}

type Fill = { dir: string; count: number; names: readonly string[] }

const batch = 500
const reads = 20_000
const stores: Store[] = []

type Payments = ReturnType<typeof paymentsIn>

const paymentsIn = (store: Pick<Store, 'collection'>, names: readonly string[]) =>
  store.collection<PaymentRow>(
    'payment.records',
    paymentIndexes.filter(({ name }) => names.includes(name)),
    { afterHours: 0 },
  )

/** Microseconds of processor time for one read, of all over the collection. */
const measureRead = async (payments: Payments, count: number): Promise<number> => {
  const ids = Array.from({ length: reads }, (_, n) => digest(`payload ${(n * 7919) % count}`))
  const start = process.cpuUsage()
  for (const id of ids) if (!(await payments.get(id))) throw new Error('a record is lost')
  const { user, system } = process.cpuUsage(start)
  return (user + system) / reads
}

/** Writes beside the records until a checkpoint has archived all of them. */
const archive = async (store: Store, count: number): Promise<void> => {
  const filler = store.collection<{ id: string; text: string }>('filler')
  while (store.use()?.archived.documents !== count) {
    await filler.put({ id: 'filler', text: ' '.repeat(256 << 10) })
  }
}

contest(
  undefined,
  {
    /** Bytes that each of so many payment records takes while it is in memory, and what a read of one costs. */
    fill: async ({ dir, count, names }: Fill) => {
      // No checkpoint comes before the folder is opened again.
      const store = await openEmbedded({ dir, checkpointAt: 1 << 40, maxBytes: 8e9 })
      stores.push(store)
      const payments = paymentsIn(store, names)
      await payments.count()
      const empty = held()
      for (let from = 0; from < count; from += batch)
        await store.transaction(async tx => {
          const rows = paymentsIn(tx, names)
          for (let at = from; at < Math.min(from + batch, count); at++) await rows.insert(toPayment(at))
        })
      return { bytes: (held() - empty) / count, read: await measureRead(payments, count) }
    },
    /** The same once all of them were archived, and what else that does. */
    archive: async ({ dir, count, names }: Fill) => {
      const empty = held()
      const store = await openEmbedded({ dir, checkpointAt: 1, maxBytes: 8e9 })
      stores.push(store)
      const payments = paymentsIn(store, names)
      await archive(store, count)
      const delay = monitorEventLoopDelay({ resolution: 1 })
      delay.enable()
      await payments.update(digest('payload 1'), row => ({ ...row, state: 'refunded' }))
      await archive(store, count)
      delay.disable()
      await store.collection('filler').delete('filler')
      await sleep(50)
      const bytes = (held() - empty) / count
      const onDisk = (store.use()?.archived.bytes ?? 0) / count
      return { bytes, onDisk, read: await measureRead(payments, count), stallMs: delay.max / 1e6 }
    },
  },
  () => Promise.all(stores.map(store => store.close())),
)
