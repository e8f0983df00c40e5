import type { Tx } from '../../../ports/store/port.ts'
import type { Escrow } from '../money/escrow.ts'
import { submissionsIn } from '../submission/submission.ts'
import { endTask } from '../task/end-task.ts'
import type { Task } from '../task/task.ts'
import { type Dispute, disputesIn } from './dispute.ts'

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
