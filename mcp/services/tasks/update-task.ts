import { z } from 'zod'
import { ToolError } from '../../kernel/error.ts'
import { free, tool } from '../../kernel/tool.ts'
import { emitEvent } from './event.ts'
import { appendHistory, hashJson, nextEntry } from './history.ts'
import { loadTaskAs, TaskOut, taskId, toPublicTask } from './public-task.ts'
import { badgeName, GoldenInput, TestInput, toRightAnswers } from './qualification.ts'
import { stopSeries } from './repeat-task.ts'
import { RepeatInput, startSeries } from './series.ts'
import { canChange, dueIn, openFields, type Task, type Terms, tasksIn } from './task.ts'
import { publishFields, toQualification } from './task-terms.ts'

const { title, instructions, evidence_required, skills_required, min_reputation } = publishFields

const maxHours = 720
const hourMs = 3_600_000

const termFields = z.object({
  title: title.optional(),
  instructions: instructions.optional(),
  evidence_required: evidence_required.optional(),
  skills_required: skills_required.removeDefault().optional().describe('Skills a worker must name'),
  min_reputation: min_reputation.removeDefault().optional().describe('Reputation a worker must have'),
  badge_required: badgeName
    .optional()
    .describe('Badge of yours that a worker must hold; who passes the test gets it'),
  test: TestInput.optional().describe('Test that who applies must pass, in one try'),
})

const refuse = (reason: string, detail: string, hint?: string) =>
  new ToolError('conflict', detail, { reason, ...(hint && { hint }) })

type Changed = Pick<Task, 'terms' | 'test_answers'>

/** The terms with what was changed, and the right answers of a test. Throws where somebody relies on them already. */
const withChanges = (task: Task, changes: z.output<typeof termFields>): Changed => {
  const given = Object.fromEntries(Object.entries(changes).filter(([, value]) => value !== undefined))
  if (Object.keys(given).length === 0) return { terms: task.terms }
  if (task.status !== 'published' || task.first_application_at !== null)
    throw refuse(
      'applied_to',
      'Somebody has applied to this task as it is.',
      'Its time can still be extended. For other terms, cancel it and publish anew.',
    )
  const { badge_required, test, ...plain } = given as typeof changes
  const terms = {
    ...task.terms,
    ...plain,
    ...toQualification({ badge_required, test }),
  } as Terms
  return { terms, ...(test && { test_answers: toRightAnswers(test) }) }
}

/** The deadline with so many hours more. Throws where that is too far away, or money on the chain is bound to the old one. */
const extendDeadline = (task: Task, terms: Terms, hours: number, now: Date): Terms => {
  if (hours === 0) return terms
  if (terms.escrow === 'onchain' && task.funded)
    throw refuse('bound_on_chain', 'The contract holds the money until the deadline that was published.')
  const at = Date.parse(terms.deadline) + Math.round(hours * hourMs)
  if (at > now.getTime() + maxHours * hourMs)
    throw new ToolError('invalid_input', `extend_hours: the deadline may be ${maxHours} hours away.`, {
      issues: [{ path: 'extend_hours', message: `the deadline may be ${maxHours} hours away` }],
    })
  return { ...terms, deadline: new Date(at).toISOString() }
}

export default tool({
  name: 'update_task',
  title: 'Change a task',
  description:
    'Extends the time of a task of yours until work is handed in, and changes its terms while nobody has applied: who may apply, by test, badge or reputation, too. The bounty stays. Lets it repeat, or stops that. The history keeps the first terms and notes the change. Free.',
  keywords: ['edit', 'longer', 'correct', 'requirements', 'postpone'],
  input: z.object({
    task_id: taskId,
    extend_hours: z.number().min(0).max(maxHours).default(0).describe('Hours more until it must be done'),
    repeat: RepeatInput.optional().describe(
      'Publishes it again and again, paid from your balance; stops when that is too small',
    ),
    golden_answers: GoldenInput.optional().describe(
      'Known right answers, hidden: task_analytics counts who gives them',
    ),
    stop_repeating: z.boolean().default(false).describe('true: no more of it; this one stays'),
    ...termFields.shape,
  }),
  aliases: { task_id: ['id'] },
  output: TaskOut,
  needs: ['store', 'clock'],
  price: free,
  limits: [{ perMinute: 30, per: 'client' }],
  auth: ['erc8128', 'apiKey'],
  hints: { readOnly: false, destructive: false, idempotent: false, openWorld: false },
  a2a: { group: 'manage-tasks' },
  rest: { routes: ['POST /api/v1/tasks/:task_id/update'] },
  needsSetup: true,
  examples: [{ task_id: 'task_0', extend_hours: 24 }],
  summary: ({ task_id, deadline }) => `${task_id} is to be done by ${deadline}.`,
}).run(
  (
    { commit, clock, caller },
    { task_id, extend_hours, repeat, golden_answers, stop_repeating, ...changes },
  ) =>
    commit(async tx => {
      const now = clock.now()
      const at = now.toISOString()
      const actor = caller.id
      const before = await loadTaskAs(tx, task_id, actor, 'publisher')
      if (stop_repeating) await stopSeries(tx, before, now)
      const hasTerms = extend_hours > 0 || Object.values(changes).some(value => value !== undefined)
      if (stop_repeating && !repeat && !golden_answers && !hasTerms) return toPublicTask(before)
      if (!canChange(before.status) || before.due === null || before.due <= at)
        throw refuse('illegal_transition', `A task that is ${before.status} cannot be changed any more.`)
      const repeating = repeat ? await startSeries(tx, before, repeat, now) : before
      // Golden answers are no terms: a change that the history notes would tell workers which tasks have some.
      const task = golden_answers ? { ...repeating, golden: golden_answers } : repeating
      if (task !== before && !hasTerms) {
        await tasksIn(tx).put(task)
        return toPublicTask(task)
      }
      const { terms: wanted, ...more } = withChanges(task, changes)
      const terms = extendDeadline(task, wanted, extend_hours, now)
      if (terms === task.terms) throw refuse('nothing_changed', 'Nothing of the task would change.')
      const entry = nextEntry(task.head, task.seq + 1, {
        from: task.status,
        to: task.status,
        actor,
        role: 'publisher',
        at,
        reason: `terms changed ${hashJson(terms)}`,
      })
      const changed: Task = {
        ...task,
        ...more,
        terms,
        first_terms: task.first_terms ?? task.terms,
        work_until: task.work_until > terms.deadline ? task.work_until : terms.deadline,
        seq: entry.seq,
        head: hashJson(entry),
      }
      const next: Task = {
        ...changed,
        ...openFields(task.status, changed),
        due: dueIn(task.status, changed, now),
      }
      await appendHistory(tx, task_id, entry)
      await tasksIn(tx).put(next)
      await emitEvent(tx, next, { kind: 'task.updated' }, at)
      return toPublicTask(next)
    }),
)
