import { collection } from '../../../kernel/collection.ts'

/** Work that an arbiter decides about: a rejection that the worker does not accept, or what the publisher does not want to decide. */
export type Dispute = {
  /** `dsp_…` */
  id: string
  task: string
  submission: string
  publisher: string
  worker: string
  /** Absent in older rows: the worker. */
  opened_by?: string
  reason: string
  /** Ids of files that support the statement. */
  files?: readonly string[]
  state: 'open' | 'resolved'
  verdict: 'release' | 'refund' | 'split' | null
  /** The worker's share of what was unpaid, in per cent. */
  split_percent: number | null
  resolved_by: string | null
  resolution: string | null
  opened_at: string
  due: string
  resolved_at: string | null
}

export const disputesIn = collection<Dispute>({
  name: 'tasks.disputes',
  indexes: [
    { name: 'state', fields: ['state', 'opened_at'] },
    { name: 'publisher', fields: ['publisher', 'opened_at'] },
    { name: 'worker', fields: ['worker', 'opened_at'] },
  ],
  bounded: 'One for each submission.',
})
