import { z } from 'zod'
import { free, tool } from '../../kernel/tool.ts'
import { nextCursor, pageInput, pageQuery } from '../../lib/paging.ts'
import { countText } from '../../lib/text/count.ts'
import { untrustedMark } from '../../lib/untrusted.ts'
import { TaskOut, toPublicTask } from './public-task.ts'
import { statuses, tasksIn } from './task.ts'

export default tool({
  name: 'list_tasks',
  title: 'List your tasks',
  keywords: ['jobs', 'posted', 'status', 'assignments'],
  description:
    'Lists the tasks that you published, or that are assigned to you, the newest first, of one state or all. Free.',
  input: z.object({
    role: z.enum(['publisher', 'worker']).default('publisher').describe('Which side you are on'),
    status: z.enum(statuses).optional().describe('Only those in this state; a page may hold fewer then'),
    ...pageInput('Tasks'),
  }),
  output: z.object({ tasks: z.array(TaskOut).describe('Tasks'), next: nextCursor, untrusted: untrustedMark }),
  needs: ['store'],
  price: free,
  auth: ['erc8128', 'apiKey'],
  hints: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
  a2a: { group: 'manage-tasks' },
  rest: { routes: ['GET /api/v1/tasks'] },
  examples: [{ role: 'publisher' }],
  summary: ({ tasks }) => `${countText(tasks.length, 'task')}.`,
}).run(async ({ store, caller: { id: account } }, { role, status, ...page }) => {
  const where = role === 'publisher' ? { publisher: account } : { worker: account }
  const { rows, next } = await tasksIn(store).find({ index: role, where, order: 'desc', ...pageQuery(page) })
  const tasks = rows.filter(task => status === undefined || task.status === status)
  return { tasks: tasks.map(toPublicTask), next: next ?? null, untrusted: true }
})
