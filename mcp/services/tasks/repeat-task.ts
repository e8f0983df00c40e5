import { ToolError } from '../../kernel/error.ts'
import { job } from '../../kernel/job.ts'
import { formatUsd } from '../../lib/usd.ts'
import type { Ports } from '../../ports/ports.ts'
import type { Tx } from '../../ports/store/port.ts'
import { emitEvent } from './event.ts'
import { fundTask } from './funding.ts'
import { computeTotal, loadSpendableBalance } from './money.ts'
import { nextTime, type Series, seriesIn } from './series.ts'
import { type Task, tasksIn } from './task.ts'
import { publishTerms } from './task-terms.ts'

const stop = async (tx: Tx, series: Series, reason: string, now: Date): Promise<void> => {
  await seriesIn(tx).put({ ...series, state: 'stopped', next_at: null, reason })
  const last = await tasksIn(tx).get(series.last_task)
  if (last) await emitEvent(tx, last, { kind: 'series.stopped', reason }, now.toISOString())
}

/** Stops the series of a task. Throws `conflict` where none runs. */
export const stopSeries = async (tx: Tx, task: Task, now: Date): Promise<void> => {
  const series = task.series && (await seriesIn(tx).get(task.series.id))
  if (series?.state !== 'running')
    throw new ToolError('conflict', 'This task does not repeat any more.', { reason: 'not_repeating' })
  await stop(tx, series, 'stopped by its publisher', now)
}

/** Publishes the next of a series with its money in escrow, or stops the series: in one transaction, so that none comes twice. */
const publishNext = async (tx: Tx, ledger: Ports['ledger'], id: string, now: Date): Promise<void> => {
  const series = await seriesIn(tx).get(id)
  if (!series || series.next_at === null || series.next_at > now.toISOString()) return
  const { publisher, count, every_hours, next_at, time_ms } = series
  const last = await tasksIn(tx).get(series.last_task)
  if (!last) return stop(tx, series, 'the task before it was dropped: nobody had funded it', now)
  const { bounty, fee } = last.funds
  const spare = (last.terms.workers ?? 1) - 1
  const total = computeTotal({ funds: { bounty, fee }, spare })
  const available = await loadSpendableBalance(tx, ledger, publisher)
  if (available < total) {
    const [there, needed] = [formatUsd(available), formatUsd(total)]
    return stop(tx, series, `the balance of ${there} USD does not cover ${needed} USD`, now)
  }
  const number = series.published + 1
  const deadline = new Date(now.getTime() + time_ms).toISOString()
  const task = await publishTerms(tx, {
    publisher,
    terms: { ...last.terms, deadline },
    funds: { bounty, fee, deposited: '0', released: '0', refunded: '0', taken: '0' },
    ...(last.golden && { golden: last.golden }),
    ...(last.test_answers && { test_answers: last.test_answers }),
    series: { id, number, count },
    now,
  })
  await fundTask(tx, ledger, task, { receipt: undefined, now })
  const isLast = number >= count
  await seriesIn(tx).put({
    ...series,
    published: number,
    last_task: task.id,
    state: isLast ? 'done' : 'running',
    next_at: isLast ? null : nextTime(next_at, every_hours, now),
  })
}

/** Publishes what is due of tasks that repeat. */
export const repeatTasks = job({ name: 'repeat-tasks', every: 30, needs: ['store', 'clock', 'ledger'] }).run(
  async ({ store, clock, ledger, signal }) => {
    while (!signal.aborted) {
      const where = { state: 'running', next_at: { gt: '', lte: clock.now().toISOString() } }
      const { rows } = await seriesIn(store).find({ index: 'due', where, limit: 50 })
      if (rows.length === 0) return
      for (const { id } of rows) {
        if (signal.aborted) return
        try {
          await store.transaction(tx => publishNext(tx, ledger, id, clock.now()))
        } catch (error) {
          // What is refused for one series, as where the store is full, holds up no other.
          if (!(error instanceof ToolError)) throw error
          await store.transaction(async tx => {
            const series = await seriesIn(tx).get(id)
            if (series?.state === 'running') await stop(tx, series, error.message, clock.now())
          })
        }
      }
    }
  },
)
