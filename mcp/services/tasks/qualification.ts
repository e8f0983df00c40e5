import canonicalize from 'canonicalize'
import { z } from 'zod'
import { collection } from '../../kernel/collection.ts'
import { ToolError } from '../../kernel/error.ts'
import type { Tx } from '../../ports/store/port.ts'
import { addressOf } from './account.ts'

const normalizeText = (text: string): string =>
  text
    .normalize('NFKC')
    .toLowerCase()
    .replace(/\s+/g, ' ')
    .trim()
    .replace(/[.!?,;:]+$/, '')

/** An answer as it is compared with others: text without case, space around and the mark at its end; data as canonical JSON. */
export const toAnswerKey = (answer: unknown): string =>
  typeof answer === 'string' ? normalizeText(answer) : (canonicalize(answer) ?? '')

/** Word of a publisher for a worker, by a test that was passed or by hand. */
type Badge = {
  /** `<publisher> <address of the worker> <badge>` */
  id: string
  publisher: string
  /** Address of the worker: a wallet holds it on every chain. */
  address: string
  badge: string
  at: string
}

export const badgesIn = collection<Badge>({
  name: 'tasks.badges',
  indexes: [{ name: 'address', fields: ['address', 'publisher', 'badge'] }],
  budget: {
    what: 'badges of workers',
    owner: ({ publisher }) => publisher,
    each: { rows: 5000, bytes: 2 << 20 },
    network: { rows: 5000, bytes: 2 << 20 },
    allBytes: 32 << 20,
    ends: 'They stay until their publisher takes them back.',
  },
})

export const badgeName = z
  .string()
  .trim()
  .regex(/^[\p{L}\p{N}][\p{L}\p{N} ._-]{0,39}$/u, '1 to 40 letters, digits, spaces, points or hyphens')

const badgeId = (publisher: string, worker: string, badge: string): string =>
  `${publisher} ${addressOf(worker)} ${badge.toLowerCase()}`

export const hasBadge = async (tx: Tx, publisher: string, worker: string, badge: string): Promise<boolean> =>
  (await badgesIn(tx).get(badgeId(publisher, worker, badge))) !== undefined

/** Gives a worker a badge of a publisher's; one that it holds stays as it is. */
export const grantBadge = async (
  tx: Tx,
  { publisher, worker, badge, now }: { publisher: string; worker: string; badge: string; now: Date },
): Promise<void> => {
  const id = badgeId(publisher, worker, badge)
  if (await badgesIn(tx).get(id)) return
  await badgesIn(tx).put({ id, publisher, address: addressOf(worker), badge, at: now.toISOString() })
}

export const revokeBadge = (tx: Tx, publisher: string, worker: string, badge: string) =>
  badgesIn(tx).delete(badgeId(publisher, worker, badge))

/** Names of the badges that a worker holds of a publisher, 50 at most. */
export const listBadges = async (tx: Tx, worker: string, publisher: string): Promise<string[]> => {
  const where = { address: addressOf(worker), publisher }
  return (await badgesIn(tx).find({ index: 'address', where, limit: 50 })).rows.map(({ badge }) => badge)
}

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
