import { z } from 'zod'
import { untrustedMark } from '../../../lib/untrusted.ts'
import { formatUsd } from '../../../lib/usd.ts'
import { FindingOut } from '../evidence/findings.ts'
import { evidenceTypes } from '../evidence/types.ts'
import { type Submission, verdicts } from './submission.ts'

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
