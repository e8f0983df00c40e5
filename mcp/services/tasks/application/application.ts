import { collection } from '../../../kernel/collection.ts'
import type { Tx } from '../../../ports/store/port.ts'

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
