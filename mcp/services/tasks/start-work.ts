import { z } from 'zod'
import { free, tool } from '../../kernel/tool.ts'
import { moveTask } from './move-task.ts'
import { loadTaskAs, TaskOut, taskId, toPublicTask } from './public-task.ts'

export default tool({
  name: 'start_work',
  title: 'Start work',
  keywords: ['begin', 'commence', 'accept', 'job'],
  description:
    'Says that you have begun a task that is assigned to you; its publisher cannot cancel it from then on. Free.',
  input: z.object({ task_id: taskId }),
  aliases: { task_id: ['id'] },
  output: TaskOut,
  needs: ['store', 'clock'],
  price: free,
  auth: ['erc8128', 'apiKey'],
  hints: { readOnly: false, destructive: false, idempotent: false, openWorld: false },
  a2a: { group: 'worker-management' },
  rest: { routes: ['POST /api/v1/tasks/:task_id/start'] },
  needsSetup: true,
  examples: [{ task_id: 'task_0' }],
  summary: ({ task_id, due }) => `${task_id} is under way; work is due at ${due}.`,
}).run(({ commit, clock, caller: { id: actor } }, { task_id }) =>
  commit(async tx => {
    const task = await loadTaskAs(tx, task_id, actor, 'assigned')
    const move = { to: 'in_progress', role: 'assigned', actor, reason: 'started' } as const
    return toPublicTask(await moveTask(tx, task, { ...move, now: clock.now() }))
  }),
)
