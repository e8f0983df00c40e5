import { z } from 'zod'
import { free, tool } from '../../kernel/tool.ts'
import { tasksSettings } from './config.ts'
import { checkVisible, loadTask, TaskOut, taskId, toPublicTask } from './public-task.ts'
import { SeriesOut, seriesIn } from './series.ts'

export default tool({
  name: 'get_task',
  title: 'Read a task',
  keywords: ['job', 'details', 'status', 'description', 'deadline', 'view'],
  description:
    'Reads one task: state, terms, money and when its state ends by itself. Anybody may read a task that is open; later only its parties. Free.',
  input: z.object({ task_id: taskId }),
  aliases: { task_id: ['id'] },
  output: TaskOut.extend({ repeats: SeriesOut }),
  needs: ['store', tasksSettings.arbiters],
  price: free,
  auth: ['erc8128', 'apiKey', 'public'],
  hints: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
  a2a: { group: 'manage-tasks' },
  rest: { routes: ['GET /api/v1/tasks/:task_id'] },
  needsSetup: true,
  examples: [{ task_id: 'task_0' }],
  summary: ({ title, status }) => `${title}: ${status}.`,
}).run(async ({ store, caller, arbiters }, { task_id }) => {
  const task = await loadTask(store, task_id)
  checkVisible(task, caller?.id, arbiters)
  const isOwn = task.series !== undefined && task.publisher === caller?.id
  const series = isOwn ? await seriesIn(store).get(task.series?.id ?? '') : undefined
  const repeats = series
    ? { state: series.state, published: series.published, next_at: series.next_at, reason: series.reason }
    : null
  return { ...toPublicTask(task), repeats }
})
