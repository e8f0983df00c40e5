import { z } from 'zod'
import { ToolError } from '../../kernel/error.ts'
import { free, tool } from '../../kernel/tool.ts'
import { emitEvent } from './event.ts'
import { loadTaskAs } from './public-task.ts'
import { QuestionOut, questionsIn, toPublicQuestion } from './question.ts'

export default tool({
  name: 'answer_question',
  title: 'Answer a question',
  description:
    'Answers a question about a task of yours; a second answer replaces the first. Everybody who may read the task reads it. Free.',
  keywords: ['reply', 'worker', 'clarify', 'respond'],
  input: z.object({
    question_id: z.string().max(64).describe('Id of the question'),
    answer: z.string().trim().min(1).max(2000).describe('The answer, up to 2,000 characters'),
  }),
  aliases: { question_id: ['id'] },
  output: QuestionOut,
  needs: ['store', 'clock'],
  price: free,
  limits: [{ perMinute: 30, per: 'client' }],
  auth: ['erc8128', 'apiKey'],
  hints: { readOnly: false, destructive: false, idempotent: true, openWorld: false },
  a2a: { group: 'manage-tasks' },
  rest: { routes: ['POST /api/v1/questions/:question_id/answer'] },
  needsSetup: true,
  examples: [{ question_id: 'que_0', answer: 'Yes, if the sign can be read.' }],
  summary: ({ question_id }) => `${question_id} is answered.`,
}).run(({ commit, clock, caller: { id: actor } }, { question_id, answer }) =>
  commit(async tx => {
    const row = await questionsIn(tx).get(question_id)
    if (!row) throw new ToolError('not_found', 'There is no such question.', { next: ['list_questions'] })
    const task = await loadTaskAs(tx, row.task, actor, 'publisher')
    const answered_at = clock.now().toISOString()
    const answered = { ...row, answer, answered_at }
    await questionsIn(tx).put(answered)
    await emitEvent(tx, task, { kind: 'question.answered', question_id }, answered_at)
    return toPublicQuestion(answered)
  }),
)
