import { z } from 'zod'
import { free, tool } from '../../kernel/tool.ts'
import { nextCursor, pageInput, pageQuery } from '../../lib/paging.ts'
import { countText } from '../../lib/text/count.ts'
import { untrustedMark } from '../../lib/untrusted.ts'
import { TaskOut, toPublicTask } from './public-task.ts'
import { statuses, tasksIn } from './task.ts'

export default tool({
  name: 'worker_tasks',
  keywords: ['jobs', 'history', 'assignments'],
  title: 'Tasks of a worker',
  description:
    'Lists the tasks that are or were assigned to a worker, the newest first: all of your own, of somebody else those that you published. Free.',
  input: z.object({
    executor_id: z.string().max(100).describe('The account, such as eip155:8453:0x…'),
    status: z.enum(statuses).optional().describe('Only those in this state; a page may hold fewer then'),
    ...pageInput('Tasks'),
  }),
  aliases: { executor_id: ['worker_id', 'id'] },
  output: z.object({ tasks: z.array(TaskOut).describe('Tasks'), next: nextCursor, untrusted: untrustedMark }),
  needs: ['store'],
  price: free,
  auth: ['erc8128', 'apiKey'],
  hints: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
  a2a: { group: 'worker-management' },
  rest: { routes: ['GET /api/v1/executors/:executor_id/tasks'] },
  examples: [{ executor_id: 'eip155:8453:0x00000000000000000000000000000000000000b2' }],
  summary: ({ tasks }) => `${countText(tasks.length, 'task')}.`,
}).run(async ({ store, caller: { id: account } }, { executor_id, status, ...page }) => {
  const worker = executor_id.toLowerCase()
  const { rows, next } = await tasksIn(store).find({
    index: 'worker',
    where: { worker },
    order: 'desc',
    ...pageQuery(page),
  })
  const tasks = rows.filter(
    task =>
      (worker === account || task.publisher === account) && (status === undefined || task.status === status),
  )
  return { tasks: tasks.map(toPublicTask), next: next ?? null, untrusted: true }
})
