import { z } from 'zod'
import { ToolError } from '../../kernel/error.ts'
import { untrustedMark } from '../../lib/untrusted.ts'
import { formatUsd } from '../../lib/usd.ts'
import type { Tx } from '../../ports/store/port.ts'
import { executorKinds, isSameWallet } from './account.ts'
import { categories } from './category.ts'
import { reclaimTime } from './chain.ts'
import { evidenceTypes } from './evidence.ts'
import { leftOf } from './money.ts'
import { TestOut } from './qualification.ts'
import { OccurrenceOut } from './series.ts'
import {
  a2aStates,
  arbiterModes,
  escrowKinds,
  maxRounds,
  placeModes,
  type Role,
  statuses,
  type Task,
  tasksIn,
} from './task.ts'

export const taskId = z.string().max(64).describe('Id of the task')

const LocationOut = z
  .object({
    hint: z.string().nullable().describe('The place in words'),
    lat: z.number().nullable().describe('Latitude in degrees'),
    lng: z.number().nullable().describe('Longitude in degrees'),
    radius_m: z.number().describe('How far from it counts, in metres'),
    mode: z.enum(placeModes).describe('How near it must be'),
  })
  .nullable()
  .describe('Where it is done; null for anywhere')

export const PaymentOut = z.object({
  status: z
    .enum(['pending', 'escrowed', 'partial_released', 'completed', 'refunded'])
    .describe('pending: nothing is in escrow yet'),
  bounty_usd: z.string().describe('What the worker gets'),
  fee_usd: z.string().describe('Fee of the marketplace on top of the whole bounty'),
  deposited_usd: z.string().describe('Put into escrow'),
  released_usd: z.string().describe('Paid to the worker'),
  refunded_usd: z.string().describe('Given back to the publisher'),
  fee_taken_usd: z.string().describe('Fee that was taken'),
  in_escrow_usd: z.string().describe('Still in escrow'),
  escrow: z
    .enum(escrowKinds)
    .describe('Where the money waits: here, in a contract on Base, or with the publisher'),
  reclaim_after: z.iso
    .datetime()
    .nullable()
    .describe('On the chain: when the publisher can take back what is left without our help'),
})

/** A task as who may see it reads it. */
export const TaskOut = z.object({
  task_id: z.string().describe('Id of the task'),
  status: z.enum(statuses).describe('State'),
  a2a_state: z.string().describe('The state as A2A names it'),
  title: z.string().describe('Title'),
  instructions: z.string().describe('What is to be done'),
  category: z.enum(categories).describe('Kind of work'),
  publisher_id: z.string().describe('Account that published it'),
  executor_id: z.string().nullable().describe('Account it is assigned to'),
  target_executor: z.enum([...executorKinds, 'any']).describe('Who may do it'),
  evidence_required: z.array(z.enum(evidenceTypes)).describe('Evidence that must be handed in'),
  evidence_optional: z.array(z.enum(evidenceTypes)).describe('Evidence that may be handed in'),
  location: LocationOut,
  skills_required: z.array(z.string()).describe('Skills a worker must name'),
  min_reputation: z.number().describe('Reputation a worker must have, 0 to 100'),
  deadline: z.iso.datetime().describe('When it must be done'),
  arbiter_mode: z.enum(arbiterModes).describe('Who decides a dispute'),
  kill_fee_percent: z
    .number()
    .describe('What the worker gets of the bounty if it is cancelled after the assignment, in per cent'),
  due: z.iso.datetime().nullable().describe('When its state ends by itself; null for a final one'),
  payment: PaymentOut.describe('Its money'),
  submission_id: z.string().nullable().describe('The last submission'),
  dispute_id: z.string().nullable().describe('Its dispute'),
  workers: z.number().int().describe('How many may do it, each for the whole bounty'),
  workers_open: z
    .number()
    .int()
    .describe('Places that nobody has yet; each is a task of its own once it is assigned'),
  parent_id: z.string().nullable().describe('The task that this place was split off from'),
  invited_only: z.boolean().describe('Only accounts that were invited may apply'),
  badge_required: z
    .string()
    .nullable()
    .describe('Badge of the publisher that a worker must hold, or earn by the test'),
  test: TestOut,
  series: OccurrenceOut,
  rounds_left: z.number().int().describe('How often work may still be sent back'),
  created_at: z.iso.datetime().describe('When it was published'),
  untrusted: untrustedMark,
})

export const toPayment = (task: Task): z.output<typeof PaymentOut> => {
  const { funds, funded, ended, terms } = task
  const status = () => {
    if (terms.escrow === 'direct' && funds.released !== '0')
      return funds.released === funds.bounty ? 'completed' : 'partial_released'
    if (!funded) return 'pending'
    if (ended) return funds.released === '0' ? 'refunded' : 'completed'
    return funds.released === '0' ? 'escrowed' : 'partial_released'
  }
  return {
    status: status(),
    bounty_usd: formatUsd(funds.bounty),
    fee_usd: formatUsd(funds.fee),
    deposited_usd: formatUsd(funds.deposited),
    released_usd: formatUsd(funds.released),
    refunded_usd: formatUsd(funds.refunded),
    fee_taken_usd: formatUsd(funds.taken),
    in_escrow_usd: formatUsd(leftOf(funds)),
    escrow: terms.escrow,
    reclaim_after: terms.escrow === 'onchain' ? reclaimTime(task).toISOString() : null,
  }
}

export const toPublicTask = (task: Task): z.output<typeof TaskOut> => {
  const { terms, ended } = task
  return {
    task_id: task.id,
    status: task.status,
    a2a_state: a2aStates[task.status],
    title: terms.title,
    instructions: terms.instructions,
    category: terms.category,
    publisher_id: task.publisher,
    executor_id: task.worker,
    target_executor: terms.target_executor,
    evidence_required: [...terms.evidence_required],
    evidence_optional: [...terms.evidence_optional],
    location: terms.place,
    skills_required: [...terms.skills_required],
    min_reputation: terms.min_reputation,
    deadline: terms.deadline,
    arbiter_mode: terms.arbiter_mode,
    kill_fee_percent: terms.kill_fee_percent,
    due: ended ? null : task.due,
    payment: toPayment(task),
    submission_id: task.submission,
    dispute_id: task.dispute,
    workers: terms.workers ?? 1,
    workers_open: task.status === 'published' ? 1 + (task.spare ?? 0) : 0,
    parent_id: task.parent ?? null,
    invited_only: terms.invited !== undefined,
    badge_required: terms.badge ?? null,
    test: terms.test ? { ...terms.test, questions: [...terms.test.questions] } : null,
    series: task.series
      ? { series_id: task.series.id, number: task.series.number, count: task.series.count }
      : null,
    rounds_left: maxRounds - task.rounds,
    created_at: task.created_at,
    untrusted: true,
  }
}

/** Throws `not_found` where there is none. */
export const loadTask = async (tx: Tx, id: string): Promise<Task> => {
  const task = await tasksIn(tx).get(id)
  if (task) return task
  throw new ToolError('not_found', 'There is no such task.', { next: ['search_tasks'] })
}

export type Parties = Pick<Task, 'publisher' | 'worker'>

/** True when somebody is one of the two sides of a task, under this account or another one of the same wallet. */
export const isParty = ({ publisher, worker }: Parties, account: string): boolean =>
  isSameWallet(publisher, account) || (worker !== null && isSameWallet(worker, account))

/** Role of a caller in a task. A party is never its arbiter. */
export const roleIn = (
  task: Parties,
  account: string,
  arbiters: readonly string[],
): Exclude<Role, 'system'> => {
  if (task.publisher === account) return 'publisher'
  if (task.worker === account) return 'assigned'
  return arbiters.includes(account) && !isParty(task, account) ? 'arbiter' : 'other'
}

/** A task of the caller's. Throws `not_found` for none, `forbidden` for one of somebody else. */
export const loadTaskAs = async (
  tx: Tx,
  id: string,
  account: string,
  role: 'publisher' | 'assigned',
): Promise<Task> => {
  const task = await loadTask(tx, id)
  if (roleIn(task, account, []) === role) return task
  const who = role === 'publisher' ? 'Only its publisher' : 'Only who it is assigned to'
  throw new ToolError('forbidden', `${who} may do this.`, { reason: 'not_a_party' })
}

/**
 * Refuses to show a task to who has no business with it: open ones are everybody's, ended ones are `gone` for strangers, what is
 * under way belongs to its parties, and a dispute to arbiters besides.
 */
export const checkVisible = (task: Task, account: string | undefined, arbiters: readonly string[]): void => {
  if (task.status === 'published') return
  const role = account === undefined ? 'other' : roleIn(task, account, arbiters)
  if (role === 'publisher' || role === 'assigned') return
  if (role === 'arbiter' && task.dispute !== null) return
  if (task.ended) throw new ToolError('gone', 'This task is over; only its parties can read it.')
  throw new ToolError('forbidden', 'This task is under way; only its parties can read it.', {
    reason: 'not_a_party',
  })
}

/** A task for its parties, and for who may decide its dispute; `forbidden` for anybody else, also while it is open. */
export const checkMember = async (
  tx: Tx,
  id: string,
  account: string,
  arbiters: readonly string[],
): Promise<Task> => {
  const task = await loadTask(tx, id)
  const role = roleIn(task, account, arbiters)
  if (role === 'other' || (role === 'arbiter' && task.dispute === null))
    throw new ToolError('forbidden', 'You are no party to this task.', { reason: 'not_a_party' })
  return task
}
