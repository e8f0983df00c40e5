import { type Html, html } from '../../../lib/text/html.ts'
import { isSameWallet } from '../account.ts'
import { type PublicTask, timeText } from './facts.ts'
import type { Visit } from './page.ts'

type Question = {
  question_id: string
  asked_by: string
  question: string
  answer: string | null
  asked_at: string
}

const questionItem = ({ forms, now, account }: Visit, row: Question, isPublisher: boolean): Html =>
  html`<li><p class="words">${row.question}</p>
<p class="facts">${row.asked_by === account ? 'You' : 'Somebody'} asked ${timeText(row.asked_at, now)}</p>
${row.answer !== null ? html`<p class="words"><strong>Answer:</strong> ${row.answer}</p>` : !isPublisher && html`<p class="facts">Not answered yet.</p>`}
${isPublisher && row.answer === null && forms.form({ operation: 'answer_question', key: row.question_id, submit: 'Answer', input: { question_id: row.question_id } }, field => field({ name: 'answer', label: 'Your answer, for all to read', kind: 'area', required: true, maxLength: 2000 }))}</li>`

/** Draws a task's questions and answers, and a way to ask; for the publisher a way to answer. */
export const questionList = async (visit: Visit, task: PublicTask): Promise<Html> => {
  const { call, forms, account } = visit
  const answer = await call('list_questions', { task_id: task.task_id, limit: 100 })
  const { questions } = answer as unknown as { questions: Question[] }
  const isPublisher = account !== undefined && isSameWallet(account, task.publisher_id)
  const canAsk = account !== undefined && !isPublisher && task.due !== null
  if (questions.length === 0 && !canAsk) return html``
  return html`<section><h2>Questions and answers</h2>
${questions.length > 0 && html`<ul class="tasks">${questions.map(row => questionItem(visit, row, isPublisher))}</ul>`}
${canAsk && forms.form({ operation: 'ask_question', submit: 'Ask', quiet: true, input: { task_id: task.task_id } }, field => field({ name: 'question', label: 'Ask the publisher', hint: 'Everybody who can read this task reads it.', kind: 'area', required: true, maxLength: 1000 }))}</section>`
}
