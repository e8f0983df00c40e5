import type { Tx } from '../../../ports/index.ts'
import type { Evidence } from '../evidence/evidence.ts'
import type { Finding } from '../evidence/findings.ts'

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
  round: number
  notes: string
  evidence: readonly Evidence[]
  findings: readonly Finding[]
  verdict: (typeof verdicts)[number]
  review_notes: string | null
  severity: 'minor' | 'major' | null
  created_at: string
  reviewed_at: string | null
  /** What the publisher paid for it straight to the worker's wallet. */
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

const table = {
  name: 'tasks.submissions',
  indexes: [{ name: 'task', fields: ['task', 'created_at'] }],
} as const

export const submissionsIn = (tx: Tx) =>
  tx.collection<Submission>(table.name, table.indexes, { afterHours: 24 })
