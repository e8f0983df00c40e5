import { z } from 'zod'
import { ToolError } from '../../../kernel/error.ts'
import { toAnswerKey } from './answer.ts'

/** A publisher's own test: who applies answers it, once. */
export const TestInput = z.object({
  questions: z
    .array(
      z.object({
        question: z.string().trim().min(3).max(500).describe('The question'),
        accepted: z
          .array(z.string().trim().min(1).max(200))
          .min(1)
          .max(10)
          .describe('Answers that are right; nobody reads them'),
      }),
    )
    .min(1)
    .max(10)
    .describe('1 to 10 questions'),
  pass_percent: z.number().int().min(1).max(100).default(100).describe('Right answers needed, per cent'),
})

/** The answers to each question that are right. */
export const toRightAnswers = ({ questions }: z.output<typeof TestInput>): string[][] =>
  questions.map(({ accepted }) => accepted)

/** Known right answers of a task: workers do not see them. */
export const GoldenInput = z.array(z.string().trim().min(1).max(200)).min(1).max(20)

/** The part of a test that everybody reads. */
export type TaskTest = { questions: readonly string[]; pass_percent: number }

export const TestOut = z
  .object({
    questions: z.array(z.string()).describe('Questions; apply_to_task takes an answer to each'),
    pass_percent: z.number().int().describe('Right answers needed, per cent'),
  })
  .nullable()
  .describe('Test of the publisher; null for none')

/** Right answers in per cent, rounded down. Throws `invalid_input` unless there is one for each question. */
export const gradeTest = (accepted: readonly (readonly string[])[], answers: readonly string[]): number => {
  if (answers.length !== accepted.length) {
    const message = `one answer to each of ${accepted.length} questions is needed`
    throw new ToolError('invalid_input', `answers: ${message}.`, {
      reason: 'test_required',
      issues: [{ path: 'answers', message }],
      hint: 'The task has the questions, in order. They can be answered once.',
      next: ['get_task'],
    })
  }
  const right = answers.filter((answer, at) =>
    accepted[at]?.some(one => toAnswerKey(one) === toAnswerKey(answer)),
  )
  return Math.floor((100 * right.length) / accepted.length)
}
