import { z } from 'zod'
import { collection } from '../../kernel/collection.ts'
import { ToolError } from '../../kernel/error.ts'
import { untrustedMark } from '../../lib/untrusted.ts'
import { formatUsd } from '../../lib/usd.ts'
import type { Tx } from '../../ports/store/port.ts'
import { evidenceTypes, type TaskEvidence } from './evidence.ts'
import { type EvidenceFinding, FindingOut } from './findings.ts'
import { moveTask } from './move-task.ts'
import { roleIn } from './public-task.ts'
import { allowedMoves, maxRounds, reworkMs, type Task, tasksIn } from './task.ts'

const verdicts = ['pending', 'accepted', 'rejected', 'partial', 'disputed', 'more_info_requested'] as const

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
type SubmissionPayment = {
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

export const submissionId = z.string().max(64).describe('Id of the submission')

const EvidenceOut = z.object({
  type: z.enum(evidenceTypes).describe('Kind'),
  value: z.unknown().describe('The evidence itself; null for a file'),
  file_id: z.string().nullable().describe('The file, where it was uploaded here: presign_download gives it'),
  url: z.string().nullable().describe('Where the file is'),
  sha256: z.string().nullable().describe('SHA-256 of the file'),
  content_type: z.string().nullable().describe('Media type'),
  bytes: z.number().nullable().describe('Size'),
  captured_at: z.string().nullable().describe('When it is claimed to be made'),
  geo: z
    .object({
      lat: z.number().describe('Latitude'),
      lng: z.number().describe('Longitude'),
      accuracy_m: z.number().nullable().describe('Within so many metres'),
    })
    .nullable()
    .describe('Where it is claimed to be made'),
  note: z.string().nullable().describe('What it shows'),
})

export const SubmissionOut = z.object({
  submission_id: z.string().describe('Id of the submission'),
  task_id: z.string().describe('The task'),
  executor_id: z.string().describe('Who handed it in'),
  round: z.number().int().describe('How often it had been sent back'),
  verdict: z.enum(verdicts).describe('What became of it'),
  notes: z.string().describe('Words of the worker'),
  evidence: z.array(EvidenceOut).describe('What was handed in: claims of the worker'),
  findings: z.array(FindingOut).describe('What a look at the evidence shows; it decides nothing'),
  review_notes: z.string().nullable().describe('Words of the publisher'),
  severity: z.enum(['minor', 'major']).nullable().describe('Of a rejection'),
  payments: z
    .array(
      z.object({
        receipt_id: z.string().describe('Receipt of the payment'),
        amount_usd: z.string().describe('How much'),
        bonus_usd: z.string().describe('What of it was beyond the bounty'),
        transaction: z.string().describe('Transaction on Base'),
        payer: z.string().describe('Wallet that paid'),
        at: z.iso.datetime().describe('When'),
      }),
    )
    .describe("What was paid for it straight to the worker's wallet"),
  created_at: z.iso.datetime().describe('When it was handed in'),
  reviewed_at: z.iso.datetime().nullable().describe('When it was reviewed'),
  untrusted: untrustedMark,
})

export const toPublicSubmission = (submission: Submission): z.output<typeof SubmissionOut> => ({
  submission_id: submission.id,
  task_id: submission.task,
  executor_id: submission.worker,
  round: submission.round,
  verdict: submission.verdict,
  notes: submission.notes,
  evidence: submission.evidence.map(({ value, file, ...piece }) => ({
    ...piece,
    file_id: file ?? null,
    value: value === null ? null : JSON.parse(value),
  })),
  findings: [...submission.findings],
  review_notes: submission.review_notes,
  severity: submission.severity,
  payments: (submission.payments ?? []).map(({ receipt, amount, beyond, transaction, payer, at }) => ({
    receipt_id: receipt,
    amount_usd: formatUsd(amount),
    bonus_usd: formatUsd(beyond),
    transaction,
    payer,
    at,
  })),
  created_at: submission.created_at,
  reviewed_at: submission.reviewed_at,
  untrusted: true,
})

/** A submission and its task, for who is a party to it or may decide its dispute. Anybody else's is as unknown as none. */
export const loadSubmission = async (
  tx: Tx,
  id: string,
  account: string,
  arbiters: readonly string[] = [],
): Promise<{ submission: Submission; task: Task }> => {
  const submission = await submissionsIn(tx).get(id)
  const task = submission && (await tasksIn(tx).get(submission.task))
  const role = task && roleIn(task, account, arbiters)
  if (
    submission &&
    task &&
    (role === 'publisher' ||
      (role === 'assigned' && submission.worker === account) ||
      (role === 'arbiter' && task.dispute))
  )
    return { submission, task }
  throw new ToolError('not_found', 'You have no such submission.')
}

/** A submission that its publisher may review now: the last one of the task. */
export const loadForReview = async (tx: Tx, id: string, account: string) => {
  const { submission, task } = await loadSubmission(tx, id, account)
  if (task.publisher !== account)
    throw new ToolError('forbidden', 'Only the publisher of the task may review it.', {
      reason: 'not_a_party',
    })
  if (task.submission !== id)
    throw new ToolError('conflict', 'There is a newer submission.', {
      reason: 'superseded',
      params: { submission_id: task.submission },
    })
  return { submission, task }
}

type Review = { verdict: Submission['verdict']; notes: string; severity?: 'minor' | 'major'; now: Date }

/** Writes a verdict on a submission. */
export const judge = async (
  tx: Tx,
  submission: Submission,
  { verdict, notes, severity, now }: Review,
): Promise<Submission> => {
  const reviewed: Submission = {
    ...submission,
    verdict,
    review_notes: notes,
    severity: severity ?? null,
    reviewed_at: now.toISOString(),
  }
  await submissionsIn(tx).put(reviewed)
  return reviewed
}

/** Sends work back to be done again, with a day at least to do it. Throws `conflict` when that was done three times. */
export const sendBack = async (
  tx: Tx,
  task: Task,
  { actor, reason, now, submission }: { actor: string; reason: string; now: Date; submission: string },
): Promise<Task> => {
  if (task.rounds >= maxRounds)
    throw new ToolError(
      'conflict',
      `Work can be sent back ${maxRounds} times; approve or reject it for good.`,
      {
        reason: 'no_rounds_left',
        params: {
          from: task.status,
          to: 'in_progress',
          allowed: allowedMoves(task.status, 'publisher').filter(to => to !== 'in_progress'),
        },
      },
    )
  const soonest = new Date(now.getTime() + reworkMs).toISOString()
  return moveTask(tx, task, {
    to: 'in_progress',
    role: 'publisher',
    actor,
    reason,
    now,
    changes: {
      rounds: task.rounds + 1,
      submitted_at: null,
      work_until: task.work_until > soonest ? task.work_until : soonest,
    },
    event: { kind: 'submission.reviewed', submission_id: submission },
  })
}
