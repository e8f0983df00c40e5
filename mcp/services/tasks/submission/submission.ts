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
}

const table = {
  name: 'tasks.submissions',
  indexes: [{ name: 'task', fields: ['task', 'created_at'] }],
} as const

export const submissionsIn = (tx: Tx) => tx.collection<Submission>(table.name, table.indexes)

/** Hashes of evidence that was handed in before, by whom and for what. */
export type SeenEvidence = { id: string; task: string; worker: string; at: string }

export const seenEvidenceIn = (tx: Tx) => tx.collection<SeenEvidence>('tasks.seen_evidence')
