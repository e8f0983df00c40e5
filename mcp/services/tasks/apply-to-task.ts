import { z } from 'zod'
import { ToolError } from '../../kernel/error.ts'
import { free, tool } from '../../kernel/tool.ts'
import { newId } from '../../lib/new-id.ts'
import type { Tx } from '../../ports/store/port.ts'
import { type Account, accountsIn, ensureAccount, isSameWallet, refuseSelf } from './account.ts'
import { countFirstApplication } from './analytics.ts'
import {
  ApplicationOut,
  applicationOf,
  applicationsIn,
  maxApplications,
  toPublicApplication,
} from './application.ts'
import { emitEvent } from './event.ts'
import { loadTask, taskId } from './public-task.ts'
import { gradeTest, grantBadge, hasBadge } from './qualification.ts'
import { loadScore, type ReputationScore, toReputation } from './reputation.ts'
import { type Task, tasksIn } from './task.ts'

/** Result of a worker's test; `percent` is null where none had to be answered. */
type TestResult = { percent: number | null; hasPassed: boolean }

/**
 * Grades who applies by badge or test. Who holds the badge that a task asks for answers nothing; who passes its test gets it. Throws
 * `forbidden` where only the badge would do.
 */
const checkQualified = async (
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

const refuse = (reason: string, detail: string, params: object = {}) =>
  new ToolError('forbidden', detail, { reason, params: { ...params } })

/** Refuses who may not do a task: the wrong kind, a reputation or skills that do not reach. */
const checkWorker = ({ terms }: Task, worker: Account, score: ReputationScore, now: Date): void => {
  if (worker.kind === null)
    throw new ToolError('precondition_required', 'Register as a worker first.', {
      reason: 'not_registered',
      next: ['register_worker'],
    })
  if (terms.target_executor !== 'any' && terms.target_executor !== worker.kind)
    throw refuse(
      'wrong_kind',
      `This task is for a ${terms.target_executor}; you registered as ${worker.kind}.`,
    )
  const reputation = toReputation(score, now).score
  if (reputation < terms.min_reputation)
    throw refuse('reputation_too_low', `This task asks for a reputation of ${terms.min_reputation}.`, {
      reputation,
      min_reputation: terms.min_reputation,
    })
  const skills = worker.skills.map(skill => skill.toLowerCase())
  const missing = terms.skills_required.filter(skill => !skills.includes(skill.toLowerCase()))
  if (missing.length > 0)
    throw refuse('skills_missing', 'You have not named every skill it asks for.', { missing })
}

/** Refuses who was not invited, where somebody was, and who is blocked by the publisher. */
const checkWanted = async (tx: Tx, { terms, publisher }: Task, worker: string): Promise<void> => {
  const isOf = (account: string) => isSameWallet(account, worker)
  if (terms.invited && !terms.invited.some(isOf))
    throw refuse('not_invited', 'Only accounts that the publisher has invited may apply to this task.')
  const account = await accountsIn(tx).get(publisher)
  if (account?.blocked?.some(isOf))
    throw refuse('blocked', 'The publisher of this task takes no applications of yours.')
}

const checkOpen = async (tx: Tx, task: Task, now: Date): Promise<void> => {
  if (task.status !== 'published' || task.terms.deadline <= now.toISOString())
    throw new ToolError('conflict', 'This task cannot be applied to any more.', {
      reason: 'not_open',
      params: { status: task.status },
    })
  const waiting = await applicationsIn(tx).count({
    index: 'task',
    where: { task: task.id, state: 'pending' },
  })
  if (waiting >= maxApplications)
    throw new ToolError('conflict', `${maxApplications} applications wait already.`, { reason: 'full' })
}

export default tool({
  name: 'apply_to_task',
  title: 'Apply to a task',
  description:
    'Applies to an open task, once. Register as a worker first. Where the task has a test, send your answers with it: they count once. The publisher picks one of the applications and assigns the task. Free.',
  keywords: ['job', 'candidate', 'bid'],
  input: z.object({
    task_id: taskId,
    answers: z
      .array(z.string().trim().min(1).max(200))
      .max(10)
      .default([])
      .describe('One to each question of its test, in order'),
    message: z.string().trim().max(1000).default('').describe('Why you, up to 1,000 characters'),
  }),
  aliases: { task_id: ['id'] },
  output: ApplicationOut,
  needs: ['store', 'clock'],
  price: free,
  limits: [{ perMinute: 30, per: 'client' }],
  auth: ['erc8128', 'apiKey'],
  hints: { readOnly: false, destructive: false, idempotent: false, openWorld: false },
  a2a: { group: 'worker-management' },
  rest: { routes: ['POST /api/v1/tasks/:task_id/apply'], status: 201 },
  needsSetup: true,
  examples: [{ task_id: 'task_0', message: 'I am there within the hour.' }],
  summary: ({ application_id, state, test_percent }) =>
    state === 'failed'
      ? `The test was not passed: ${test_percent} per cent were right.`
      : `Applied: ${application_id}.`,
}).run(({ commit, clock, caller: { id } }, { task_id, message, answers }) =>
  commit(async tx => {
    const now = clock.now()
    const at = now.toISOString()
    const task = await loadTask(tx, task_id)
    const worker = await ensureAccount(tx, id, now)
    const score = await loadScore(tx, id)
    await checkWanted(tx, task, id)
    await refuseSelf(tx, task.publisher, id, 'Nobody can work on a task of their own.')
    checkWorker(task, worker, score, now)
    await checkOpen(tx, task, now)
    const before = await applicationOf(tx, task_id, id)
    if (before && before.state !== 'withdrawn')
      throw new ToolError('conflict', 'You have applied already.', {
        reason: 'already_applied',
        params: { application_id: before.id, state: before.state },
      })
    const { percent, hasPassed } = await checkQualified(tx, task, id, { answers, now })
    const application = {
      id: before?.id ?? newId('app', now),
      task: task_id,
      worker: id,
      message,
      state: hasPassed ? ('pending' as const) : ('failed' as const),
      ...(percent !== null && { test_percent: percent }),
      created_at: at,
    }
    await applicationsIn(tx).put(application)
    if (!hasPassed) return toPublicApplication(tx, application, task, now)
    if (task.first_application_at === null) {
      await tasksIn(tx).put({ ...task, first_application_at: at })
      await countFirstApplication(tx, task, now)
    }
    const event = { kind: 'application.received', application_id: application.id } as const
    await emitEvent(tx, task, event, at, { executor_id: id })
    return toPublicApplication(tx, application, task, now)
  }),
)
