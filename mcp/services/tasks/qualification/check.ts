import { ToolError } from '../../../kernel/error.ts'
import type { Tx } from '../../../ports/store/port.ts'
import type { Task } from '../task/task.ts'
import { grantBadge, hasBadge } from './badge.ts'
import { gradeTest } from './test.ts'

/** Result of a worker's test; `percent` is null where none had to be answered. */
export type TestResult = { percent: number | null; hasPassed: boolean }

/**
 * Grades who applies by badge or test. Who holds the badge that a task asks for answers nothing; who passes its test gets it. Throws
 * `forbidden` where only the badge would do.
 */
export const checkQualified = async (
  tx: Tx,
  { publisher, terms, test_answers }: Task,
  worker: string,
  { answers, now }: { answers: readonly string[]; now: Date },
): Promise<TestResult> => {
  const { badge, test } = terms
  if (badge !== undefined && (await hasBadge(tx, publisher, worker, badge)))
    return { percent: null, hasPassed: true }
  if (!test || !test_answers) {
    if (badge === undefined) return { percent: null, hasPassed: true }
    throw new ToolError('forbidden', `This task is for who holds the badge ${badge} of its publisher.`, {
      reason: 'badge_missing',
      params: { badge },
    })
  }
  const percent = gradeTest(test_answers, answers)
  const hasPassed = percent >= test.pass_percent
  if (hasPassed && badge !== undefined) await grantBadge(tx, { publisher, worker, badge, now })
  return { percent, hasPassed }
}
