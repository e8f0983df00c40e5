import { createHash } from 'node:crypto'
import canonicalize from 'canonicalize'
import { z } from 'zod'
import { ToolError } from '../../kernel/error.ts'
import { sats, tool } from '../../kernel/tool.ts'
import { requireAccount } from './account/caller.ts'
import { transparencyLog } from './ledger/log.ts'
import { checkQuota, findNamespace, memorySettings, readUsage, writeEntry } from './memory.ts'
import { bodyText } from './message.ts'
import { prices, storePrice } from './prices.ts'
import { newActionId, recordedActionsIn } from './proofs/action.ts'
import { answerReview } from './review/answer.ts'
import { reviewOutput } from './review/answer-schema.ts'
import { artifactTypes } from './review/artifact-type.ts'
import { reviewSettings, tradingState } from './review/config.ts'
import { checkArtifact, judgeArtifact, maxArtifact } from './review/judge-artifact.ts'
import { reviewRequest } from './review/request-schema.ts'

const maxIntent = 1000

/** More than a note of an act can have: its intent, in the longest encoding, and what else stands in it. */
const maxNoteBytes = maxIntent * 6 + 4000

const maxSummary = 500

const Input = z.object({
  intent: bodyText(maxIntent).describe('What you are about to do, up to 1,000 characters'),
  artifact: z
    .string()
    .max(maxArtifact, `must have at most ${maxArtifact} characters`)
    .optional()
    .describe('What you would do it with: a command, a diff, a plan; without it the intent is reviewed'),
  artifact_type: z.enum(artifactTypes).default('general').describe('What it is; general finds out'),
  policy: z
    .object({
      max_spend_sats: z.number().int().min(0).optional().describe('Go no further if it costs more'),
      require_review: z.boolean().default(true).describe('Review it first: 200 sats'),
      remember: z
        .boolean()
        .default(false)
        .describe('Keep a note of it in the memory of your account: 50 sats'),
    })
    .default({ require_review: true, remember: false })
    .describe('What may be spent, and what is to be done'),
})

type Request = z.output<typeof Input>

const requestDefaults = z.object(reviewRequest).parse({})

const notePrice = Number(storePrice(maxNoteBytes).amount)

const costOf = ({ require_review, remember }: Request['policy']): number =>
  (require_review ? Number(prices.review.amount) : 0) + (remember ? notePrice : 0)

const toArtifact = ({ intent, artifact, artifact_type }: Request) =>
  artifact === undefined
    ? { artifact: intent, artifact_type: 'plan' as const }
    : { artifact, artifact_type, context: intent }

/** Refuses what would do nothing, and what costs more than it may. */
const checkPolicy = ({ policy }: Request): void => {
  const { max_spend_sats: limit, require_review, remember } = policy
  if (!require_review && !remember) {
    const message = 'asks for neither a review nor a note'
    throw new ToolError('invalid_input', `policy ${message}.`, {
      issues: [{ path: 'policy', message }],
      hint: 'Set require_review or remember.',
    })
  }
  const cost = costOf(policy)
  if (limit === undefined || cost <= limit) return
  throw new ToolError('conflict', `It costs ${cost} sats, more than policy.max_spend_sats of ${limit}.`, {
    reason: 'over_budget',
    params: { cost_sats: cost, max_spend_sats: limit },
  })
}

const decisions = {
  approve: 'proceed',
  approve_with_concerns: 'proceed_with_care',
  reject: 'stop',
} as const

export default tool({
  name: 'residence_act',
  title: 'Act by a policy',
  description:
    'Takes what you are about to do, reviews it, keeps a note of it in your memory, and tells whether to go on: one call instead of three, within a budget that you set. It does nothing by itself. 200 sats with a review, 50 with a note.',
  keywords: ['guarded', 'flight', 'check', 'permitted', 'allowed'],
  input: Input,
  output: z.object({
    action_id: z.string().describe('Id of this record; prove signs a proof of it'),
    decision: z
      .enum(['proceed', 'proceed_with_care', 'stop', 'unreviewed'])
      .describe('What the review comes to; unreviewed where none was wanted'),
    review: z.object(reviewOutput).nullable().describe('The review; null where none was wanted'),
    memory_key: z.string().nullable().describe('Key of the note; null where none was wanted'),
    cost_sats: z.int().describe('What it costs by the list, free first calls apart'),
    recorded_at: z.string().describe('When it was recorded'),
  }),
  needs: [
    'store',
    'clock',
    'sign',
    'workers',
    reviewSettings.knownBad,
    transparencyLog,
    memorySettings.memoryMegabytes,
    memorySettings.memoryEntries,
  ],
  wants: [tradingState, 'evm', 'llm'],
  price: prices.review,
  settle: 'before',
  reserves: 'workers',
  async check({ store, clock, caller, memoryMegabytes, memoryEntries }, request) {
    checkPolicy(request)
    if (request.policy.require_review) await checkArtifact(toArtifact(request), clock.now())
    if (request.policy.remember) {
      await requireAccount(store, caller)
      const usage = await readUsage(store, findNamespace({ caller }))
      const quota = { bytes: memoryMegabytes * 1_000_000, keys: memoryEntries }
      checkQuota(usage, undefined, maxNoteBytes, quota)
    }
  },
  quote: (_, { policy }) => sats(String(costOf(policy))),
  limits: [{ perMinute: 30, per: 'client' }],
  hints: { readOnly: false, destructive: false, idempotent: false, openWorld: true },
  a2a: { tags: ['residence', 'review'] },
  rest: { routes: ['POST /residence/act'] },
  examples: [
    {
      intent: 'Tidy up the build folder',
      artifact: 'rm -rf build/tmp',
      artifact_type: 'shell_command',
      policy: { max_spend_sats: 250 },
    },
  ],
  summary: ({ decision, review }) => `${decision.replaceAll('_', ' ')}${review ? `: ${review.summary}` : ''}`,
}).run(async (ctx, request) => {
  checkPolicy(request)
  const { policy } = request
  const { store, clock, sign, transparencyLog, caller, client, base, receipt } = ctx
  const judged = policy.require_review ? await judgeArtifact(ctx, toArtifact(request)) : undefined
  const now = clock.now()
  const recorded_at = now.toISOString()
  const action_id = newActionId('act_')
  const artifact_sha256 =
    request.artifact === undefined ? null : createHash('sha256').update(request.artifact).digest('hex')
  return ctx.commit(async tx => {
    if (policy.remember) await requireAccount(tx, caller)
    const deps = { store, clock, sign, transparencyLog, caller, client, base, receipt }
    const review = judged
      ? await answerReview({ ...deps, commit: work => work(tx) }, requestDefaults, requestDefaults, judged)
      : null
    const decision = review ? decisions[review.verdict] : ('unreviewed' as const)
    const facts = {
      action_id,
      intent: request.intent,
      artifact_type: request.artifact === undefined ? null : request.artifact_type,
      artifact_sha256,
      decision,
      decision_ref: review?.decision_ref ?? null,
      proof_id: review?.proof?.proof_id ?? null,
      summary: review?.summary.slice(0, maxSummary).replace(/[\ud800-\udbff]$/, '') ?? null,
      recorded_at,
    }
    const memory_key = policy.remember ? `acts/${recorded_at}/${action_id}` : null
    if (memory_key !== null)
      await writeEntry(tx, {
        namespace: findNamespace({ caller }),
        key: memory_key,
        value: JSON.stringify(facts),
        quota: { bytes: ctx.memoryMegabytes * 1_000_000, keys: ctx.memoryEntries },
        now,
      })
    const { intent, artifact_type, decision_ref } = facts
    await recordedActionsIn(tx).insert({
      id: action_id,
      kind: 'residence.act',
      status: 'succeeded',
      started_at: recorded_at,
      finished_at: recorded_at,
      input: canonicalize({ intent, artifact_type, artifact_sha256 }) ?? 'null',
      output: canonicalize({ decision, decision_ref }) ?? 'null',
    })
    return { action_id, decision, review, memory_key, cost_sats: costOf(policy), recorded_at }
  })
})
