import { z } from 'zod'
import { free, tool } from '../../kernel/tool.ts'
import { nextCursor, pageInput, pageQuery } from '../../lib/paging.ts'
import { countText } from '../../lib/text/count.ts'
import { tasksSettings } from './config.ts'
import { checkMember, taskId } from './public-task.ts'
import { SubmissionOut, submissionsIn, toPublicSubmission } from './submission.ts'

export default tool({
  name: 'list_submissions',
  title: 'List submissions',
  keywords: ['deliveries', 'work', 'results', 'received', 'waiting', 'anybody'],
  description: 'Lists what was handed in for a task of yours, the newest first. Free.',
  input: z.object({ task_id: taskId, ...pageInput('Submissions', { max: 20, preset: 5 }) }),
  aliases: { task_id: ['id'] },
  output: z.object({ submissions: z.array(SubmissionOut).describe('Submissions'), next: nextCursor }),
  needs: ['store', tasksSettings.arbiters],
  price: free,
  auth: ['erc8128', 'apiKey'],
  hints: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
  a2a: { group: 'review-submissions' },
  rest: { routes: ['GET /api/v1/tasks/:task_id/submissions'] },
  needsSetup: true,
  examples: [{ task_id: 'task_0' }],
  summary: ({ submissions }) => `${countText(submissions.length, 'submission')}.`,
}).run(async ({ store, caller: { id: account }, arbiters }, { task_id, ...page }) => {
  const task = await checkMember(store, task_id, account, arbiters)
  const { rows, next } = await submissionsIn(store).find({
    index: 'task',
    where: { task: task_id },
    order: 'desc',
    ...pageQuery(page),
  })
  // Of a task that opened again, a worker reads its own work only.
  const own = task.worker === account ? rows.filter(({ worker }) => worker === account) : rows
  return { submissions: own.map(toPublicSubmission), next: next ?? null }
})
