import { z } from 'zod'
import { collection } from '../../kernel/collection.ts'
import { ToolError } from '../../kernel/error.ts'
import { untrustedMark } from '../../lib/untrusted.ts'
import type { Tx } from '../../ports/store/port.ts'
import type { Escrow } from './money.ts'
import { endTask } from './move-task.ts'
import { roleIn } from './public-task.ts'
import { type Submission, submissionsIn } from './submission.ts'
import type { Task } from './task.ts'

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

/** A dispute for its parties and for arbiters who are none; anybody else's is as unknown as none. */
export const loadDispute = async (
  tx: Tx,
  id: string,
  account: string,
  arbiters: readonly string[],
): Promise<{ dispute: Dispute; role: 'publisher' | 'assigned' | 'arbiter' }> => {
  const dispute = await disputesIn(tx).get(id)
  const role = dispute && roleIn(dispute, account, arbiters)
  if (dispute && role && role !== 'other') return { dispute, role }
  throw new ToolError('not_found', 'You have no such dispute.')
}

export const disputeId = z.string().max(64).describe('Id of the dispute')

export const DisputeOut = z.object({
  dispute_id: z.string().describe('Id of the dispute'),
  task_id: z.string().describe('The task'),
  submission_id: z.string().describe('The submission that was rejected'),
  publisher_id: z.string().describe('Who published the task'),
  executor_id: z.string().describe('Who did the work'),
  opened_by: z.string().describe('Which of the two opened it'),
  reason: z.string().describe('The statement of who opened it'),
  file_ids: z.array(z.string()).describe('Files that support it: presign_download gives them'),
  state: z.enum(['open', 'resolved']).describe('Whether it is decided'),
  verdict: z.enum(['release', 'refund', 'split']).nullable().describe('Who gets the money'),
  split_percent: z.number().nullable().describe('What the worker gets of it, in per cent'),
  resolved_by: z.string().nullable().describe('Arbiter; system when nobody decided in time'),
  resolution: z.string().nullable().describe('Why'),
  opened_at: z.iso.datetime().describe('When it was opened'),
  due: z.iso
    .datetime()
    .describe(
      'Undecided by then, the money is split evenly, or by the checks of the evidence (arbiter_mode)',
    ),
  resolved_at: z.iso.datetime().nullable().describe('When it was decided'),
  untrusted: untrustedMark,
})

export const toPublicDispute = (dispute: Dispute): z.output<typeof DisputeOut> => ({
  dispute_id: dispute.id,
  task_id: dispute.task,
  submission_id: dispute.submission,
  publisher_id: dispute.publisher,
  executor_id: dispute.worker,
  opened_by: dispute.opened_by ?? dispute.worker,
  reason: dispute.reason,
  file_ids: [...(dispute.files ?? [])],
  state: dispute.state,
  verdict: dispute.verdict,
  split_percent: dispute.split_percent,
  resolved_by: dispute.resolved_by,
  resolution: dispute.resolution,
  opened_at: dispute.opened_at,
  due: dispute.due,
  resolved_at: dispute.resolved_at,
  untrusted: true,
})

type Verdict = {
  verdict: 'release' | 'refund' | 'split'
  /** The worker's share of a split, in per cent. */
  splitPercent: number
  role: 'arbiter' | 'system'
  actor: string
  reason: string
  now: Date
}

const percentFor = ({ verdict, splitPercent }: Verdict): number => {
  if (verdict === 'release') return 100
  return verdict === 'refund' ? 0 : splitPercent
}

/** Ends a dispute and its task, and pays as the verdict says: all in the caller's transaction. */
export const resolveDispute = async (
  tx: Tx,
  escrow: Escrow,
  { task, dispute }: { task: Task; dispute: Dispute },
  decision: Verdict,
): Promise<{ task: Task; dispute: Dispute }> => {
  const { verdict, role, actor, reason, now } = decision
  const workerPercent = percentFor(decision)
  const ended = await endTask(tx, escrow, task, {
    to: verdict === 'refund' ? 'cancelled' : 'completed',
    role,
    actor,
    reason,
    now,
    workerPercent,
    event: { kind: 'dispute.resolved', dispute_id: dispute.id, verdict },
  })
  const resolved: Dispute = {
    ...dispute,
    state: 'resolved',
    verdict,
    split_percent: workerPercent,
    resolved_by: actor,
    resolution: reason,
    resolved_at: now.toISOString(),
  }
  await disputesIn(tx).put(resolved)
  const verdicts = { release: 'accepted', refund: 'rejected', split: 'partial' } as const
  await submissionsIn(tx).update(dispute.submission, row => ({ ...row, verdict: verdicts[verdict] }))
  return { task: ended, dispute: resolved }
}

/**
 * What the worker gets of a dispute that the checks of the evidence decide, in per cent: of the pieces that a check said something of,
 * the share without a failed one; half where none did. Only for tasks that were published with it.
 */
export const percentByFindings = ({ findings }: Pick<Submission, 'findings'>): number => {
  const checked = new Set(
    findings.filter(({ result }) => result !== 'unknown').map(({ evidence }) => evidence),
  )
  if (checked.size === 0) return 50
  const failed = new Set(findings.filter(({ result }) => result === 'fail').map(({ evidence }) => evidence))
  return Math.floor(((checked.size - failed.size) * 100) / checked.size)
}
