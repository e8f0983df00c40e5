import { z } from 'zod'
import { free, tool } from '../../kernel/tool.ts'
import { countText } from '../../lib/text/count.ts'
import { tasksSettings } from './config.ts'
import { HistoryOut, loadHistory } from './history.ts'
import { checkVisible, loadTask, taskId } from './public-task.ts'
import { toHistoryTerms } from './task.ts'

export default tool({
  name: 'get_history',
  title: 'Download the history of a task',
  keywords: ['audit', 'trail', 'log', 'export', 'happened', 'everything'],
  description:
    'Every move of a task as a chain of hashes, with the terms it begins with and a signature of the house over its head. Keep it: you can verify it offline. Free.',
  input: z.object({ task_id: taskId }),
  aliases: { task_id: ['id'] },
  output: HistoryOut,
  needs: ['store', 'sign', tasksSettings.arbiters],
  price: free,
  auth: ['erc8128', 'apiKey', 'public'],
  hints: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
  a2a: { group: 'manage-tasks' },
  rest: { routes: ['GET /api/v1/tasks/:task_id/history'] },
  needsSetup: true,
  examples: [{ task_id: 'task_0' }],
  summary: ({ entries }) => `${countText(entries.length, 'entry')}.`,
}).run(async ({ store, sign, caller, arbiters, base }, { task_id }) =>
  // One view of both: a move in between would give a head that is not of these entries.
  store.transaction(async tx => {
    const task = await loadTask(tx, task_id)
    checkVisible(task, caller?.id, arbiters)
    const { head, seq } = task
    return {
      task_id,
      terms: toHistoryTerms(task),
      entries: await loadHistory(tx, task_id),
      head,
      signature: sign.jws({ iss: base, task_id, seq, head }, 'task-history+jwt'),
      untrusted: true as const,
    }
  }),
)
