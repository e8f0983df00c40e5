import { z } from 'zod'
import { ToolError } from '../../kernel/error.ts'
import { free, tool } from '../../kernel/tool.ts'
import { newId } from '../../lib/new-id.ts'
import { type Dispute, DisputeOut, disputesIn, toPublicDispute } from './dispute.ts'
import { fileId, loadOwnFiles, markUsed, settleFiles } from './file.ts'
import { moveTask } from './move-task.ts'
import { roleIn } from './public-task.ts'
import { loadSubmission, submissionId, submissionsIn } from './submission.ts'

export default tool({
  name: 'open_dispute',
  title: 'Open a dispute',
  description:
    'Brings work before an arbiter, who pays the worker, refunds the publisher or splits: as the worker after a rejection, as the publisher instead of a review. Undecided in time, the money is split evenly, or as its arbiter_mode says. Free.',
  keywords: ['refused', 'paid', 'not', 'appeal', 'contest', 'challenge'],
  input: z.object({
    submission_id: submissionId,
    reason: z.string().trim().min(20).max(2000).describe('Your statement, 20 to 2,000 characters'),
    file_ids: z
      .array(fileId)
      .max(10)
      .default([])
      .describe('Files of the worker that support it, as presign_upload named them'),
  }),
  aliases: { submission_id: ['id'] },
  output: DisputeOut,
  needs: ['store', 'clock', 'files', 'workers'],
  price: free,
  auth: ['erc8128', 'apiKey'],
  hints: { readOnly: false, destructive: false, idempotent: false, openWorld: false },
  a2a: { group: 'review-submissions' },
  rest: { routes: ['POST /api/v1/disputes'], status: 201 },
  needsSetup: true,
  examples: [{ submission_id: 'sub_0', reason: 'The photo shows the door and its number.' }],
  summary: ({ dispute_id }) => `Disputed as ${dispute_id}.`,
}).run(async ({ commit, store, clock, files, workers, caller }, { submission_id, reason, file_ids }) => {
  await settleFiles({ store, files, workers, now: clock.now() }, file_ids, caller?.id)
  return commit(async tx => {
    const now = clock.now()
    const actor = caller.id
    const { submission, task } = await loadSubmission(tx, submission_id, actor)
    if (task.submission !== submission_id)
      throw new ToolError('conflict', 'There is a newer submission.', {
        reason: 'superseded',
        params: { submission_id: task.submission },
      })
    const role = roleIn(task, actor, [])
    const { worker } = submission
    const statement = await loadOwnFiles(tx, file_ids, { task: task.id, worker: actor })
    await markUsed(tx, statement)
    const id = newId('dsp', now)
    const moved = await moveTask(tx, task, {
      to: 'disputed',
      role,
      actor,
      reason,
      now,
      changes: { dispute: id },
      event: { kind: 'dispute.opened', dispute_id: id },
    })
    const dispute: Dispute = {
      id,
      task: task.id,
      submission: submission_id,
      publisher: task.publisher,
      worker,
      opened_by: actor,
      reason,
      files: [...statement.keys()],
      state: 'open',
      verdict: null,
      split_percent: null,
      resolved_by: null,
      resolution: null,
      opened_at: now.toISOString(),
      due: moved.due ?? now.toISOString(),
      resolved_at: null,
    }
    await disputesIn(tx).insert(dispute)
    await submissionsIn(tx).put({ ...submission, verdict: 'disputed' })
    return toPublicDispute(dispute)
  })
})
