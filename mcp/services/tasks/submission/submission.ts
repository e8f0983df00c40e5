import { collection } from '../../../kernel/collection.ts'
import type { TaskEvidence } from '../evidence/evidence.ts'
import type { EvidenceFinding } from '../evidence/findings.ts'

export const verdicts = [
  'pending',
  'accepted',
  'rejected',
  'partial',
  'disputed',
  'more_info_requested',
] as const

/** Work that was handed in: the evidence, what was found in it, and what became of it. */
export type Submission = {
  /** `sub_…` */
  id: string
  task: string
  worker: string
  publisher: string
  /** True when the task had its money when the work was handed in; absent in older rows. */
  is_funded?: boolean
  round: number
  notes: string
  evidence: readonly TaskEvidence[]
  findings: readonly EvidenceFinding[]
  verdict: (typeof verdicts)[number]
  review_notes: string | null
  severity: 'minor' | 'major' | null
  created_at: string
  reviewed_at: string | null
  /** Publisher's direct payments for it to the worker's wallet. */
  payments?: readonly SubmissionPayment[]
}

/** A payment by x402 to the wallet of the worker. Amounts in millionths of a dollar; `beyond` is what of it was more than unpaid. */
export type SubmissionPayment = {
  receipt: string
  transaction: string
  payer: string
  amount: string
  beyond: string
  at: string
}

export const submissionsIn = collection<Submission>({
  name: 'tasks.submissions',
  indexes: [{ name: 'task', fields: ['task', 'created_at'] }],
  archive: { afterHours: 24 },
  budget: {
    what: 'unpaid submissions',
    owner: ({ worker }) => worker,
    counts: ({ is_funded, payments = [] }) => !is_funded && payments.length === 0,
    each: { rows: 200, bytes: 4 << 20 },
    network: { rows: 800, bytes: 16 << 20 },
    allBytes: 64 << 20,
    ends: 'They stay until the publisher pays for them.',
  },
})
