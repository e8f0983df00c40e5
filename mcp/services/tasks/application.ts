import { z } from 'zod'
import { collection } from '../../kernel/collection.ts'
import type { Tx } from '../../ports/store/port.ts'
import { accountsIn } from './account.ts'
import { listBadges } from './qualification.ts'
import { loadScore, ReputationOut, toReputation } from './reputation.ts'
import type { Task } from './task.ts'
import { toPublicWorker, WorkerOut } from './worker.ts'

/** Somebody who wants to do a task. */
export type Application = {
  /** `app_…` */
  id: string
  task: string
  worker: string
  message: string
  /** `failed`: its test was not passed. */
  state: 'pending' | 'accepted' | 'declined' | 'withdrawn' | 'failed'
  /** Right answers in the test, per cent; absent without one. */
  test_percent?: number
  created_at: string
}

export const applicationsIn = collection<Application>({
  name: 'tasks.applications',
  indexes: [
    { name: 'task', fields: ['task', 'state', 'created_at'] },
    { name: 'once', fields: ['task', 'worker'], unique: true },
    { name: 'worker', fields: ['worker', 'created_at'] },
  ],
  archive: { afterHours: 24 },
  budget: {
    what: 'applications',
    owner: ({ worker }) => worker,
    counts: ({ state }) => state !== 'accepted',
    each: { rows: 10_000, bytes: 10 << 20 },
    network: { rows: 40_000, bytes: 40 << 20 },
    allBytes: 256 << 20,
    ends: 'One counts unless it was accepted; it stays with its task.',
  },
})

/** How many may wait on one task. */
export const maxApplications = 200

/** The application of a worker to a task. */
export const applicationOf = async (tx: Tx, task: string, worker: string): Promise<Application | undefined> =>
  (await applicationsIn(tx).find({ index: 'once', where: { task, worker }, limit: 1 })).rows[0]

const ProfileOut = WorkerOut.pick({
  name: true,
  kind: true,
  bio: true,
  skills: true,
  completed: true,
  approval_rate: true,
  on_time_rate: true,
  avg_rating: true,
})

export const ApplicationOut = z.object({
  application_id: z.string().describe('Id of the application'),
  task_id: z.string().describe('The task'),
  executor_id: z.string().describe('Account that applied'),
  message: z.string().describe('What it says'),
  state: z
    .enum(['pending', 'accepted', 'declined', 'withdrawn', 'failed'])
    .describe('What became of it; failed: its test was not passed'),
  reputation: ReputationOut.describe('Reputation of who applied'),
  worker: ProfileOut.describe('Who applied, as everybody may read it'),
  test_percent: z
    .number()
    .int()
    .nullable()
    .describe('Right answers in the test of the task, per cent; null where none had to be answered'),
  badges: z.array(z.string()).describe('Badges of the publisher that who applied holds'),
  created_at: z.iso.datetime().describe('When'),
})

/** An application; one that waits for a task that somebody else has got is declined. */
export const toPublicApplication = async (
  tx: Tx,
  { id, task: task_id, worker, message, state, test_percent, created_at }: Application,
  task: Pick<Task, 'status' | 'publisher'>,
  now: Date,
): Promise<z.output<typeof ApplicationOut>> => {
  const score = await loadScore(tx, worker)
  const account = (await accountsIn(tx).get(worker)) ?? {
    id: worker,
    kind: null,
    name: null,
    bio: null,
    skills: [],
  }
  return {
    application_id: id,
    task_id,
    executor_id: worker,
    message,
    state: state === 'pending' && task.status !== 'published' ? 'declined' : state,
    reputation: toReputation(score, now),
    worker: ProfileOut.parse(toPublicWorker(account, score, now)),
    test_percent: test_percent ?? null,
    badges: await listBadges(tx, worker, task.publisher),
    created_at,
  }
}
