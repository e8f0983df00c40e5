import { ToolError } from '../../../kernel/error.ts'
import { newId } from '../../../lib/new-id.ts'
import type { Tx } from '../../../ports/store/port.ts'
import { ensureAccount } from '../account/caller.ts'
import { parseUsd } from '../money/amount.ts'
import { type Funds, newFunds } from '../money/funds.ts'
import { toRightAnswers } from '../qualification/test.ts'
import { loadScore, scoresIn } from '../reputation/score.ts'
import { startSeries } from '../series/series.ts'
import { findTermsIssues, type PublishInput, toTaskTerms } from './input.ts'
import { beginTask } from './move-task.ts'
import { type Task, type Terms, tasksIn } from './task.ts'

/** Writes a new task. Throws `invalid_input` for fields that do not fit each other. */
export const publishTask = async (
  tx: Tx,
  input: PublishInput,
  { publisher, feeBps, now }: { publisher: string; feeBps: number; now: Date },
): Promise<Task> => {
  const issues = findTermsIssues(input)
  if (issues.length > 0)
    throw new ToolError('invalid_input', issues.map(({ message }) => message).join('; '), { issues })
  // What never passes through the house costs nothing.
  const funds = newFunds(parseUsd(input.bounty_usd), input.escrow === 'direct' ? 0 : feeBps)
  const { test, golden_answers, repeat } = input.options
  const task = await publishTerms(tx, {
    publisher,
    terms: toTaskTerms(input, now),
    funds,
    ...(test && { test_answers: toRightAnswers(test) }),
    ...(golden_answers && { golden: golden_answers }),
    now,
  })
  if (!repeat) return task
  const repeating = await startSeries(tx, task, repeat, now)
  await tasksIn(tx).put(repeating)
  return repeating
}

type NewTask = { publisher: string; terms: Terms; funds: Funds; now: Date } & Pick<
  Task,
  'test_answers' | 'golden' | 'series'
>

/** Writes a new task from terms that fit each other. */
export const publishTerms = async (tx: Tx, { now, ...task }: NewTask): Promise<Task> => {
  const { publisher, terms } = task
  await ensureAccount(tx, publisher, now)
  const score = await loadScore(tx, publisher)
  await scoresIn(tx).put({ ...score, published: score.published + 1 })
  return beginTask(
    tx,
    {
      id: newId('task', now),
      ...task,
      funded: false,
      worker: null,
      ...(terms.workers !== undefined && { spare: terms.workers - 1 }),
      work_until: terms.deadline,
      submission: null,
      dispute: null,
      rounds: 0,
      created_at: now.toISOString(),
      first_application_at: null,
      submitted_at: null,
    },
    now,
  )
}
