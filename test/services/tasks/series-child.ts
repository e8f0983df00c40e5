import { writeSync } from 'node:fs'
import { join } from 'node:path'
import type { Store } from '../../../mcp/ports/store/port.ts'
import { repeatTasks } from '../../../mcp/services/tasks/repeat-task.ts'
import { openEmbedded } from '../../../store/embedded/open.ts'
import { openPostgres } from '../../../store/postgres/open.ts'
import { newTask, startTown } from './town.ts'

/** What the parent tells this process. */
export type SeriesOrders = {
  dir: string
  database?: { url: string; schema: string }
  publisher: string
  /** Tasks to publish and to let repeat, each so often, where this is the first process. */
  begin: number
  count: number
  aheadMs: number
  /** Kills itself with -9 around the nth transaction of its job: before it, or once it is written. Without it, the job runs to its end. */
  kill?: { nth: number; when: 'before' | 'after' }
}

export type SeriesLine = {
  balance: string
  tasks: { task_id: string; series_id: string; number: number; escrow: string }[]
}

const orders = JSON.parse(process.env.SERIES_CHILD ?? '{}') as SeriesOrders
const { publisher } = orders
const store = orders.database
  ? await openPostgres(orders.database)
  : await openEmbedded({ dir: join(orders.dir, 'store') })
const town = await startTown({ store })
const { clock, ledger } = town
if (orders.begin > 0) await town.fund(publisher, 1_000_000_000n)
for (let n = 0; n < orders.begin; n++) {
  const { task_id } = await town.ask(publisher, 'publish_task', {
    ...newTask,
    deadline_hours: 700,
    deposit: 'now',
  })
  await town.ask(publisher, 'update_task', { task_id, repeat: { every_hours: 1, count: orders.count } })
}

type Listed = { task_id: string; series: { series_id: string; number: number } }

let transactions = 0
const { kill } = orders
const die = (when: 'before' | 'after') => {
  if (kill?.nth === transactions && kill.when === when) process.kill(process.pid, 'SIGKILL')
}
const mortal: Store = Object.assign(Object.create(store), {
  async transaction(...args: Parameters<Store['transaction']>) {
    transactions += 1
    die('before')
    const answer = await store.transaction(...args)
    die('after')
    return answer
  },
})
town.later(orders.aheadMs)
await repeatTasks.run({ store: mortal, clock, ledger, signal: AbortSignal.timeout(30_000) })

const { tasks: listed } = await town.ask(publisher, 'list_tasks', { role: 'publisher', limit: 100 })
const tasks: SeriesLine['tasks'] = []
for (const { task_id, series } of listed as Listed[])
  tasks.push({ task_id, ...series, escrow: String(await town.escrow(task_id)) })
const line: SeriesLine = { balance: String(await town.balance(publisher)), tasks }
writeSync(1, `${JSON.stringify(line)}\n`)
process.exit(0)
