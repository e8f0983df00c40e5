import { A2aError } from '../wire/failure.ts'
import { change, isOver, settleTask, type TaskRow, toTimestamps } from './row.ts'
import type { TaskStore } from './store.ts'

const notCancelable = (row: TaskRow | undefined) => {
  const reason = row?.paying ? 'is being paid for and' : `is ${row?.state ?? 'gone'}; it`
  return new A2aError('taskNotCancelable', `The task ${reason} cannot be canceled.`, {
    ...(row && { info: { taskId: row.id } }),
  })
}

/**
 * Cancels a task atomically: its run, here or in another process, cannot complete it any more. A canceled task stays as
 * it is. Throws -32002 when it is over or being paid for.
 */
export const cancelTask = async (taskStore: TaskStore, id: string): Promise<TaskRow> => {
  const { row, won } = await change(
    taskStore.store,
    id,
    before => !isOver(settleTask(before, taskStore.now())) && !before.paying,
    before => ({
      ...before,
      ...toTimestamps(taskStore.now()),
      state: 'canceled',
      deadline: null,
      message: null,
    }),
  )
  if (won) taskStore.running.get(id)?.abort()
  if (!row || (!won && row.state !== 'canceled')) throw notCancelable(row)
  return row
}
