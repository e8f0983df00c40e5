import { collection } from '../../../kernel/collection.ts'

/** A rejection that the worker does not accept. */
export type Dispute = {
  /** `dsp_…` */
  id: string
  task: string
  submission: string
  publisher: string
  worker: string
  reason: string
  state: 'open' | 'resolved'
  verdict: 'release' | 'refund' | 'split' | null
  /** What the worker gets of what was unpaid, in per cent. */
  split_percent: number | null
  resolved_by: string | null
  resolution: string | null
  opened_at: string
  due: string
  resolved_at: string | null
}

const table = {
  name: 'tasks.disputes',
  indexes: [
    { name: 'state', fields: ['state', 'opened_at'] },
    { name: 'publisher', fields: ['publisher', 'opened_at'] },
    { name: 'worker', fields: ['worker', 'opened_at'] },
  ],
} as const

export const disputesIn = collection<Dispute>({
  name: table.name,
  indexes: table.indexes,
  bounded: 'One for each submission.',
})
