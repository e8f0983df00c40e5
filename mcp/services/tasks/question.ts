import { z } from 'zod'
import { collection } from '../../kernel/collection.ts'
import { untrustedMark } from '../../lib/untrusted.ts'

/** A question about a task, and the answer of its publisher: everybody who may read the task reads both. */
export type Question = {
  /** `que_…` */
  id: string
  task: string
  asked_by: string
  question: string
  answer: string | null
  asked_at: string
  answered_at: string | null
}

export const questionsIn = collection<Question>({
  name: 'tasks.questions',
  indexes: [
    { name: 'task', fields: ['task', 'asked_at'] },
    { name: 'waiting', fields: ['task', 'asked_by', 'answered_at'] },
  ],
  archive: { afterHours: 24 },
  budget: {
    what: 'questions about tasks',
    owner: ({ asked_by }) => asked_by,
    each: { rows: 500, bytes: 1 << 20 },
    network: { rows: 2000, bytes: 4 << 20 },
    allBytes: 16 << 20,
    ends: 'They stay with their task.',
  },
})

export const QuestionOut = z.object({
  question_id: z.string().describe('Id of the question'),
  task_id: z.string().describe('The task'),
  asked_by: z.string().describe('Account that asks'),
  question: z.string().describe('What it asks'),
  answer: z.string().nullable().describe('What the publisher says; null while nobody has answered'),
  asked_at: z.iso.datetime().describe('When it was asked'),
  answered_at: z.iso.datetime().nullable().describe('When it was answered'),
  untrusted: untrustedMark,
})

export const toPublicQuestion = ({ id, task, ...rest }: Question): z.output<typeof QuestionOut> => ({
  question_id: id,
  task_id: task,
  ...rest,
  untrusted: true,
})
