import { z } from 'zod'
import { free, tool } from '../../kernel/tool.ts'
import { nextCursor, pageInput, pageQuery } from '../../lib/paging.ts'
import { countText } from '../../lib/text/count.ts'
import { untrustedMark } from '../../lib/untrusted.ts'
import { ApplicationOut, applicationsIn, toPublicApplication } from './application.ts'
import { loadTaskAs, taskId } from './public-task.ts'

export default tool({
  name: 'list_applications',
  title: 'List applications',
  keywords: ['candidates', 'applicants', 'interested', 'people', 'job', 'received'],
  description:
    'Lists who has applied to a task of yours, each with name, skills, rates, reputation, badges of yours and the result of your test. Use it before you assign. Free.',
  input: z.object({ task_id: taskId, ...pageInput('Applications') }),
  aliases: { task_id: ['id'] },
  output: z.object({
    applications: z.array(ApplicationOut).describe('Applications'),
    next: nextCursor,
    untrusted: untrustedMark,
  }),
  needs: ['store', 'clock'],
  price: free,
  auth: ['erc8128', 'apiKey'],
  hints: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
  a2a: { group: 'manage-tasks' },
  rest: { routes: ['GET /api/v1/tasks/:task_id/applications'] },
  needsSetup: true,
  examples: [{ task_id: 'task_0' }],
  summary: ({ applications }) => `${countText(applications.length, 'application')}.`,
}).run(async ({ store, clock, caller }, { task_id, ...page }) => {
  const task = await loadTaskAs(store, task_id, caller.id, 'publisher')
  const { rows, next } = await applicationsIn(store).find({
    index: 'task',
    where: { task: task_id },
    ...pageQuery(page),
  })
  const applications = await Promise.all(rows.map(row => toPublicApplication(store, row, task, clock.now())))
  return { applications, next: next ?? null, untrusted: true as const }
})
