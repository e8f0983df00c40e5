import type { Collection } from '../../store/index.ts'
import { openPostgres } from '../../store/postgres/open.ts'
import { contest } from '../contestant.ts'

/** One replica: our store on PostgreSQL, in a process of its own. */
type Counter = { id: string; group: number; count: number; text: string }

let store: Awaited<ReturnType<typeof openPostgres>> | undefined

const counters = (): Collection<Counter> => {
  if (!store) throw new Error('no store is open')
  return store.collection<Counter>('counters', [{ name: 'group', fields: ['group', 'count'] }])
}

type Load = { workers: number; rows: number; ms: number }

/** Lets `workers` work on rows taken in turn, for `ms`; how many did, in which time, for how much processor time. */
const workFor = async (work: (at: number) => Promise<unknown>, { workers, rows, ms }: Load) => {
  const start = performance.now()
  const cpu = process.cpuUsage()
  let done = 0
  let at = Math.floor(Math.random() * rows)
  const worker = async () => {
    while (performance.now() - start < ms) {
      await work(at++ % rows)
      done++
    }
  }
  await Promise.all(Array.from({ length: workers }, worker))
  const { user, system } = process.cpuUsage(cpu)
  return { done, seconds: (performance.now() - start) / 1000, cpu: user + system }
}

export type Worked = Awaited<ReturnType<typeof workFor>>

contest(
  undefined,
  {
    open: async ({ url }: { url: string }) => {
      store = await openPostgres({ url })
      await counters().count()
    },
    seed: async ({ rows }: { rows: number }) => {
      for (let n = 0; n < rows; n += 100)
        await Promise.all(
          Array.from({ length: Math.min(100, rows - n) }, (_, at) =>
            counters().put({ id: `row-${n + at}`, group: (n + at) % 50, count: 0, text: 'x'.repeat(150) }),
          ),
        )
    },
    /** Reads by id, and every tenth time a page of twenty by an index. */
    read: (load: Load) => {
      let nth = 0
      return workFor(
        at =>
          nth++ % 10 === 9
            ? counters().find({ index: 'group', where: { group: at % 50 }, limit: 20 })
            : counters().get(`row-${at}`),
        load,
      )
    },
    /** Counts one up in one atomic step. */
    update: (load: Load) =>
      workFor(at => counters().update(`row-${at}`, row => ({ ...row, count: row.count + 1 })), load),
    /** The same in a transaction that also claims something: two verbs and a commit. */
    transact: (load: Load) =>
      workFor(
        at =>
          store?.transaction(async tx => {
            const rows = tx.collection<Counter>('counters')
            const row = await rows.get(`row-${at}`)
            if (row) await rows.put({ ...row, count: row.count + 1 })
          }) ?? Promise.resolve(),
        load,
      ),
    total: async () => {
      let sum = 0
      let after: string | undefined
      do {
        const page = await counters().find({ index: 'group', limit: 1000, ...(after && { after }) })
        for (const { count } of page.rows) sum += count
        after = page.next
      } while (after !== undefined)
      return sum
    },
  },
  () => store?.close(),
)
