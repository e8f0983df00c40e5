import { z } from 'zod'
import { untrustedMark } from '../../../lib/untrusted.ts'
import type { Dispute } from './dispute.ts'

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
