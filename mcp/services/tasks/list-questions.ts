import { z } from 'zod'
import { free, tool } from '../../kernel/tool.ts'
import { nextCursor, pageInput, pageQuery } from '../../lib/paging.ts'
import { countText } from '../../lib/text/count.ts'
import { untrustedMark } from '../../lib/untrusted.ts'
import { tasksSettings } from './config.ts'
import { checkVisible, loadTask, taskId } from './public-task.ts'
import { QuestionOut, questionsIn, toPublicQuestion } from './question.ts'

export default tool({
  name: 'list_questions',
  title: 'List questions about a task',
  description:
    'Lists what was asked about a task and what its publisher answered, the first one first. For everybody who may read the task. Free.',
  keywords: ['answers', 'faq', 'clarification', 'messages'],
  input: z.object({ task_id: taskId, ...pageInput('Questions') }),
  aliases: { task_id: ['id'] },
  output: z.object({
    questions: z.array(QuestionOut).describe('Questions'),
    next: nextCursor,
    untrusted: untrustedMark,
  }),
  needs: ['store', tasksSettings.arbiters],
  price: free,
  auth: ['erc8128', 'apiKey', 'public'],
  hints: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
  a2a: { group: 'manage-tasks' },
  rest: { routes: ['GET /api/v1/tasks/:task_id/questions'] },
  needsSetup: true,
  examples: [{ task_id: 'task_0' }],
  summary: ({ questions }) => `${countText(questions.length, 'question')}.`,
}).run(async ({ store, caller, arbiters }, { task_id, ...page }) => {
  checkVisible(await loadTask(store, task_id), caller?.id, arbiters)
  const query = { index: 'task', where: { task: task_id }, ...pageQuery(page) }
  const { rows, next } = await questionsIn(store).find(query)
  return { questions: rows.map(toPublicQuestion), next: next ?? null, untrusted: true as const }
})
