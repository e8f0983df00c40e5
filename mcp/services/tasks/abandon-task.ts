import { z } from 'zod'
import { free, tool } from '../../kernel/tool.ts'
import { applicationOf, applicationsIn } from './application.ts'
import { openEscrow } from './funding.ts'
import { endTask, moveTask } from './move-task.ts'
import { loadTaskAs, TaskOut, taskId, toPublicTask } from './public-task.ts'
import { countEnd } from './reputation.ts'
import type { Task } from './task.ts'

/** True where somebody else can still do all of it, for the same money: what the chain holds is bound to one worker. */
const canReopen = ({ terms, funds, funded }: Task, now: Date): boolean =>
  funded && terms.escrow === 'ledger' && funds.released === '0' && terms.deadline > now.toISOString()

export default tool({
  name: 'abandon_task',
  title: 'Give up a task',
  keywords: ['drop', 'job', 'out', 'quit', 'unassign', 'leave'],
  description:
    'Gives up a task that is assigned to you, before it is reviewed. It opens again for others while there is time, with its money in escrow; else the publisher gets that back. Your reputation falls. Free.',
  input: z.object({
    task_id: taskId,
    reason: z.string().trim().max(500).default('').describe('Why'),
  }),
  aliases: { task_id: ['id'] },
  output: TaskOut,
  needs: ['store', 'clock', 'ledger'],
  price: free,
  auth: ['erc8128', 'apiKey'],
  hints: { readOnly: false, destructive: true, idempotent: false, openWorld: false },
  a2a: { group: 'worker-management' },
  rest: { routes: ['POST /api/v1/tasks/:task_id/abandon'] },
  needsSetup: true,
  examples: [{ task_id: 'task_0', reason: 'The road is closed.' }],
  summary: ({ task_id }) => `${task_id} is given up.`,
}).run(({ commit, clock, ledger, caller: { id: actor } }, { task_id, reason: given }) =>
  commit(async tx => {
    const now = clock.now()
    const task = await loadTaskAs(tx, task_id, actor, 'assigned')
    const reason = given || 'given up by its worker'
    const move = { role: 'assigned', actor, reason, now } as const
    if (!canReopen(task, now))
      return toPublicTask(
        await endTask(tx, openEscrow(ledger), task, { ...move, to: 'cancelled', workerPercent: 0 }),
      )
    const reopened = await moveTask(tx, task, {
      ...move,
      to: 'published',
      changes: {
        worker: null,
        submission: null,
        submitted_at: null,
        rounds: 0,
        work_until: task.terms.deadline,
      },
      event: { kind: 'task.reopened' },
    })
    await countEnd(tx, task, reopened, { to: 'cancelled', role: 'assigned', workerPercent: 0, now })
    const application = await applicationOf(tx, task_id, actor)
    if (application) await applicationsIn(tx).put({ ...application, state: 'declined' })
    return toPublicTask(reopened)
  }),
)
