import { z } from 'zod'
import { ToolError } from '../../kernel/error.ts'
import { free, tool } from '../../kernel/tool.ts'
import { newId } from '../../lib/new-id.ts'
import type { Tx } from '../../ports/store/port.ts'
import { isSameWallet } from './account.ts'
import { emitEvent } from './event.ts'
import { checkVisible, loadTask, taskId } from './public-task.ts'
import { type Question, QuestionOut, questionsIn, toPublicQuestion } from './question.ts'
import type { Task } from './task.ts'

/** How many questions one task takes, and how many of one person may wait for an answer. */
const maxQuestions = 100
const maxWaiting = 5

const checkRoom = async (tx: Tx, task: Task, asker: string): Promise<void> => {
  const all = await questionsIn(tx).count({ index: 'task', where: { task: task.id } })
  if (all >= maxQuestions)
    throw new ToolError('conflict', `A task takes ${maxQuestions} questions.`, { reason: 'full' })
  const where = { task: task.id, asked_by: asker, answered_at: null }
  if ((await questionsIn(tx).count({ index: 'waiting', where })) >= maxWaiting)
    throw new ToolError('conflict', `${maxWaiting} questions of yours wait for an answer already.`, {
      reason: 'too_many_waiting',
    })
}

export default tool({
  name: 'ask_question',
  title: 'Ask about a task',
  description:
    'Asks the publisher of an open task something before you apply, or of your own task while you work on it. Question and answer are read by everybody who may read the task. Free.',
  keywords: ['clarify', 'message', 'contact', 'client', 'instructions'],
  input: z.object({
    task_id: taskId,
    question: z.string().trim().min(5).max(1000).describe('The question, 5 to 1,000 characters'),
  }),
  output: QuestionOut,
  needs: ['store', 'clock'],
  price: free,
  limits: [{ perMinute: 10, per: 'client' }],
  auth: ['erc8128', 'apiKey'],
  hints: { readOnly: false, destructive: false, idempotent: false, openWorld: false },
  a2a: { group: 'worker-management' },
  rest: { routes: ['POST /api/v1/tasks/:task_id/questions'], status: 201 },
  needsSetup: true,
  examples: [{ task_id: 'task_0', question: 'Is a photo from across the street enough?' }],
  summary: ({ question_id }) => `Asked as ${question_id}.`,
}).run(({ commit, clock, caller: { id: asker } }, { task_id, question }) =>
  commit(async tx => {
    const asked_at = clock.now().toISOString()
    const task = await loadTask(tx, task_id)
    checkVisible(task, asker, [])
    if (task.ended)
      throw new ToolError('conflict', 'This task is over.', {
        reason: 'not_open',
        params: { status: task.status },
      })
    if (isSameWallet(task.publisher, asker))
      throw new ToolError('forbidden', 'A publisher answers questions about its own task.', {
        reason: 'own_task',
      })
    await checkRoom(tx, task, asker)
    const row: Question = {
      id: newId('que', clock.now()),
      task: task_id,
      asked_by: asker,
      question,
      answer: null,
      asked_at,
      answered_at: null,
    }
    await questionsIn(tx).insert(row)
    await emitEvent(tx, task, { kind: 'question.asked', question_id: row.id }, asked_at)
    return toPublicQuestion(row)
  }),
)
