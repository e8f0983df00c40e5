import { z } from 'zod'
import { ToolError } from '../../kernel/error.ts'
import { free, tool } from '../../kernel/tool.ts'
import type { Tx } from '../../ports/index.ts'
import { requireCaller } from './account/caller.ts'
import { type Evidence, EvidenceInput, findEvidenceIssues, toEvidence } from './evidence/evidence.ts'
import { type Finding, findInEvidence } from './evidence/findings.ts'
import { hashJson } from './history/entry.ts'
import { newId } from './id.ts'
import { loadScore, scoresIn } from './reputation/score.ts'
import { SubmissionOut, toPublicSubmission } from './submission/public-submission.ts'
import { type Submission, seenEvidenceIn, submissionsIn } from './submission/submission.ts'
import { checkMove } from './task/check-move.ts'
import { loadTaskAs } from './task/load.ts'
import { moveTask } from './task/move-task.ts'
import { taskId } from './task/public-task.ts'
import type { Task } from './task/task.ts'

/** What shows that a piece of evidence came before: its file, or its words where they are long enough to be its own. */
const fingerprintOf = ({ sha256, value }: Evidence): string | undefined => {
  if (sha256 !== null) return sha256
  return value !== null && value.length >= 40 ? hashJson(value) : undefined
}

/** Notes each piece as handed in for this task, and finds those that were handed in for another one before. */
const findDuplicates = async (
  tx: Tx,
  evidence: readonly Evidence[],
  { id, worker }: Task,
  now: Date,
): Promise<Finding[]> => {
  const findings: Finding[] = []
  for (const [at, piece] of evidence.entries()) {
    const fingerprint = fingerprintOf(piece)
    if (fingerprint === undefined) continue
    const before = await seenEvidenceIn(tx).get(fingerprint)
    if (!before)
      await seenEvidenceIn(tx).insert({
        id: fingerprint,
        task: id,
        worker: worker ?? '',
        at: now.toISOString(),
      })
    if (!before || before.task === id) continue
    const who = before.worker === worker ? 'the same worker' : 'somebody else'
    const detail = `The same was handed in by ${who} for another task at ${before.at}.`
    findings.push({ evidence: at, check: 'duplicate', result: 'fail', detail })
  }
  return findings
}

export default tool({
  name: 'submit_work',
  title: 'Submit work',
  description:
    'Hands in the evidence for a task that is assigned to you: every required type, each with what its type needs (evidence_types tells). Unreviewed, it counts as accepted after 48 hours. Free.',
  input: z.object({
    task_id: taskId,
    evidence: z.array(EvidenceInput).min(1).max(20).describe('The pieces of evidence'),
    notes: z.string().trim().max(2000).default('').describe('A word to the reviewer'),
  }),
  aliases: { task_id: ['id'] },
  output: SubmissionOut,
  needs: ['store', 'clock', 'sign'],
  price: free,
  limits: [{ perMinute: 20, per: 'client' }],
  hints: { readOnly: false, destructive: false, idempotent: false, openWorld: false },
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
}).run(({ commit, clock, sign, caller }, { task_id, evidence: items, notes }) =>
  commit(async tx => {
    const now = clock.now()
    const worker = requireCaller(caller)
    const task = await loadTaskAs(tx, task_id, worker, 'assigned')
    checkMove(task, 'submitted', 'assigned', now)
    const issues = findEvidenceIssues(items, task.terms.evidence_required)
    if (issues.length > 0)
      throw new ToolError('invalid_input', issues.map(({ message }) => message).join('; '), {
        reason: 'evidence_incomplete',
        issues,
        next: ['evidence_types'],
      })
    const evidence = items.map(toEvidence)
    const findings = [
      ...findInEvidence(evidence, task, { sign, now }),
      ...(await findDuplicates(tx, evidence, task, now)),
    ]
    const submission: Submission = {
      id: newId('sub', now),
      task: task_id,
      worker,
      publisher: task.publisher,
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
  }),
)
