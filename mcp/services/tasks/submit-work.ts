import { z } from 'zod'
import { ToolError } from '../../kernel/error.ts'
import { free, tool } from '../../kernel/tool.ts'
import { newId } from '../../lib/new-id.ts'
import { EvidenceInput, findEvidenceIssues, toTaskEvidence } from './evidence.ts'
import { attachFiles, markUsed, settleFiles } from './file.ts'
import { findDuplicates, findInEvidence } from './findings.ts'
import { hashJson } from './history.ts'
import { checkMove, moveTask } from './move-task.ts'
import { loadTaskAs, taskId } from './public-task.ts'
import { loadScore, scoresIn } from './reputation.ts'
import { type Submission, SubmissionOut, submissionsIn, toPublicSubmission } from './submission.ts'

export default tool({
  name: 'submit_work',
  title: 'Submit work',
  keywords: ['job', 'proof', 'deliver', 'upload', 'finish', 'complete'],
  description:
    'Hands in the evidence for a task that is assigned to you: every required type, each with what its type needs (evidence_types tells). Unreviewed, it counts as accepted after 48 hours. Free.',
  input: z.object({
    task_id: taskId,
    evidence: z.array(EvidenceInput).min(1).max(20).describe('The pieces of evidence'),
    notes: z.string().trim().max(2000).default('').describe('A word to the reviewer'),
  }),
  aliases: { task_id: ['id'] },
  output: SubmissionOut,
  needs: ['store', 'clock', 'sign', 'files', 'workers'],
  timeoutMs: 120_000,
  price: free,
  limits: [{ perMinute: 20, per: 'client' }],
  auth: ['erc8128', 'apiKey'],
  hints: { readOnly: false, destructive: false, idempotent: false, openWorld: false },
  a2a: { group: 'worker-management' },
  rest: { routes: ['POST /api/v1/tasks/:task_id/submit'], status: 201 },
  needsSetup: true,
  examples: [
    {
      task_id: 'task_0',
      evidence: [
        {
          type: 'photo_geo',
          url: 'https://files.example.org/door.jpg',
          sha256: 'a'.repeat(64),
          content_type: 'image/jpeg',
          geo: { lat: 39.7817, lng: -89.6501 },
        },
        { type: 'text_response', value: 'It is open.' },
      ],
    },
  ],
  summary: ({ submission_id }) => `Handed in as ${submission_id}.`,
}).run(
  async ({ commit, store, clock, sign, files, workers, caller }, { task_id, evidence: items, notes }) => {
    const ids = items.map(({ file_id }) => file_id)
    await settleFiles({ store, files, workers, now: clock.now() }, ids, caller?.id)
    return commit(async tx => {
      const now = clock.now()
      const worker = caller.id
      const task = await loadTaskAs(tx, task_id, worker, 'assigned')
      checkMove(task, 'submitted', 'assigned', now)
      const attached = await attachFiles(tx, items, task)
      const issues = [...attached.issues, ...findEvidenceIssues(attached.items, task.terms.evidence_required)]
      if (issues.length > 0)
        throw new ToolError('invalid_input', issues.map(({ message }) => message).join('; '), {
          reason: 'evidence_incomplete',
          issues,
          next: ['evidence_types'],
        })
      const evidence = attached.items.map(toTaskEvidence)
      const findings = [
        ...findInEvidence(evidence, task, { sign, now, files: attached.files }),
        ...(await findDuplicates(tx, evidence, attached.files, { task, now })),
      ]
      await markUsed(tx, attached.files)
      const submission: Submission = {
        id: newId('sub', now),
        task: task_id,
        worker,
        publisher: task.publisher,
        is_funded: task.funded,
        round: task.rounds,
        notes,
        evidence,
        findings,
        verdict: 'pending',
        review_notes: null,
        severity: null,
        created_at: now.toISOString(),
        reviewed_at: null,
      }
      await submissionsIn(tx).insert(submission)
      const score = await loadScore(tx, worker)
      const onTime = now.toISOString() <= task.terms.deadline ? 1 : 0
      await scoresIn(tx).put({ ...score, submitted: score.submitted + 1, on_time: score.on_time + onTime })
      await moveTask(tx, task, {
        to: 'submitted',
        role: 'assigned',
        actor: worker,
        reason: `submitted ${hashJson(evidence)}`,
        now,
        changes: { submission: submission.id, submitted_at: submission.created_at },
        event: { kind: 'submission.received', submission_id: submission.id },
      })
      return toPublicSubmission(submission)
    })
  },
)
