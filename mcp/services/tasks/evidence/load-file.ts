import { ToolError } from '../../../kernel/error.ts'
import type { Tx } from '../../../ports/store/port.ts'
import { roleIn } from '../task/load.ts'
import { tasksIn } from '../task/task.ts'
import { type EvidenceFile, filesIn } from './file.ts'

/** A file of a task, for its parties and for who may decide its dispute; anybody else's is as unknown as none. */
export const loadFile = async (
  tx: Tx,
  id: string,
  account: string,
  arbiters: readonly string[],
): Promise<EvidenceFile> => {
  const file = await filesIn(tx).get(id)
  const task = file && (await tasksIn(tx).get(file.task))
  const role = task && roleIn(task, account, arbiters)
  // A publisher sees what was handed in, not what the worker has not decided on.
  const isVisible =
    (role === 'assigned' && file?.worker === account) ||
    (role === 'publisher' && file?.state === 'used') ||
    (role === 'arbiter' && file?.state === 'used' && task?.dispute !== null)
  if (file && isVisible) return file
  throw new ToolError('not_found', 'You have no such file.')
}
