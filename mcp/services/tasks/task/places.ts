import { newId } from '../../../lib/new-id.ts'
import type { Ports } from '../../../ports/ports.ts'
import type { Tx } from '../../../ports/store/port.ts'
import { emitEvent } from '../event/event.ts'
import { moveEscrow } from '../money/escrow.ts'
import { splitFunds } from '../money/funds.ts'
import { loadScore, scoresIn } from '../reputation/score.ts'
import { beginTask } from './move-task.ts'
import { type Task, tasksIn } from './task.ts'

/**
 * The task that a worker is assigned to: of one for several workers a place that is split off, with its bounty, its fee and a history
 * of its own, while the task stays open for the others; its last place is the task itself.
 */
export const takePlace = async (tx: Tx, ledger: Ports['ledger'], task: Task, now: Date): Promise<Task> => {
  const { spare = 0 } = task
  if (spare === 0) return task
  const { rest, part, amount } = splitFunds(task.funds, task.funded)
  const left: Task = { ...task, spare: spare - 1, funds: rest }
  await tasksIn(tx).put(left)
  const { workers: _, ...terms } = task.terms
  const id = newId('task', now)
  const { publisher, funded, test_answers, golden, series, created_at, first_application_at, work_until } =
    task
  const place = await beginTask(
    tx,
    {
      id,
      publisher,
      terms,
      funds: part,
      funded,
      worker: null,
      ...(series && { series }),
      ...(golden && { golden }),
      ...(test_answers && { test_answers }),
      parent: task.id,
      work_until,
      submission: null,
      dispute: null,
      rounds: 0,
      created_at,
      first_application_at,
      submitted_at: null,
    },
    now,
  )
  await moveEscrow(tx, ledger, { from: task.id, to: id, amount })
  const score = await loadScore(tx, publisher)
  await scoresIn(tx).put({ ...score, published: score.published + 1 })
  await emitEvent(tx, left, { kind: 'task.assigned', place_id: id }, now.toISOString())
  return place
}
