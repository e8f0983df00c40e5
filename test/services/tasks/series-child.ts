import { writeSync } from 'node:fs'
import { join } from 'node:path'
import { repeatTasks } from '../../../mcp/services/tasks/series/repeat.ts'
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
  /** Ends after one line instead of running jobs until it is killed. */
  isLast: boolean
}

export type SeriesLine = {
  aheadMs: number
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

const readLine = async (aheadMs: number): Promise<SeriesLine> => {
  const { tasks } = await town.ask(publisher, 'list_tasks', { role: 'publisher', limit: 100 })
  const listed: SeriesLine['tasks'] = []
  for (const { task_id, series } of tasks as Listed[])
    listed.push({ task_id, ...series, escrow: String(await town.escrow(task_id)) })
  return { aheadMs, balance: String(await town.balance(publisher)), tasks: listed }
}

let { aheadMs } = orders
town.later(aheadMs)
for (let turn = 0; ; turn++) {
  const line = orders.isLast ? await readLine(aheadMs) : { aheadMs, balance: '', tasks: [] }
  writeSync(1, `${JSON.stringify(line)}\n`)
  if (orders.isLast) process.exit(0)
  if (turn > 0 || orders.begin === 0) {
    town.later(3_600_000)
    aheadMs += 3_600_000
  }
  await repeatTasks.run({ store, clock, ledger, signal: AbortSignal.timeout(30_000) })
}
