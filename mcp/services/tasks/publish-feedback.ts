import { z } from 'zod'
import { ToolError } from '../../kernel/error.ts'
import { free, tool } from '../../kernel/tool.ts'
import type { Tx } from '../../ports/store/port.ts'
import { accountsIn } from './account.ts'
import { type Feedback, feedbackIn, toRatingEvidence } from './feedback.ts'
import { agentRegistries, CallOut } from './identity.ts'
import { loadTask, roleIn, taskId } from './public-task.ts'
import { type Rating, ratingsIn } from './reputation.ts'
import type { Task } from './task.ts'

type Rated = { task: Task; rating: Rating; agentId: string }

/** A rating of the caller's, and the agent that it is about. Throws what stands against making it known. */
const loadRated = async (tx: Tx, id: string, account: string): Promise<Rated> => {
  const task = await loadTask(tx, id)
  const role = roleIn(task, account, [])
  if (role !== 'publisher' && role !== 'assigned')
    throw new ToolError('forbidden', 'You are no party to this task.', { reason: 'not_a_party' })
  const side = role === 'publisher' ? 'worker' : 'publisher'
  const rating = await ratingsIn(tx).get(`${id}.${side}`)
  if (!rating)
    throw new ToolError('conflict', `Rate the ${side} first.`, {
      reason: 'not_rated',
      next: [`rate_${side}`],
    })
  const about = await accountsIn(tx).get(rating.about)
  if (!about?.agent_id)
    throw new ToolError('conflict', `The ${side} has no agent in the identity registry.`, {
      reason: 'no_agent',
      hint: 'It is for the other side to link one.',
    })
  return { task, rating, agentId: about.agent_id }
}

export default tool({
  name: 'publish_feedback',
  title: 'Publish a rating on the chain',
  description:
    'Makes your rating of a task known in the reputation registry (ERC-8004, Base), with signed evidence that anybody can verify. sender: me returns the transaction for your wallet; house has the house send it. Once for each side of a task. Free.',
  keywords: ['onchain', 'review', 'post'],
  input: z.object({
    task_id: taskId,
    sender: z.enum(['me', 'house']).default('me').describe('Whose wallet says it'),
  }),
  aliases: { task_id: ['id'] },
  output: z.object({
    task_id: z.string().describe('The task'),
    agent_id: z.string().describe('Agent that it is about'),
    score: z.number().int().describe('0 to 100'),
    feedback_uri: z.string().describe('Where the evidence is'),
    feedback_hash: z.string().describe('Keccak-256 of the evidence, to the byte'),
    state: z
      .enum(['shown', 'queued', 'done', 'refused'])
      .describe('shown: send the transaction; queued: the house sends it; done: it is on the chain'),
    sent: z.string().nullable().describe('Transaction of the house'),
    transaction: CallOut.describe('For your wallet; null where the house sends it'),
  }),
  needs: ['store', 'clock', 'sign', agentRegistries],
  price: free,
  limits: [{ perMinute: 10, per: 'client' }],
  auth: ['erc8128', 'apiKey'],
  hints: { readOnly: false, destructive: false, idempotent: true, openWorld: true },
  a2a: { group: 'worker-management' },
  rest: { routes: ['POST /api/v1/reputation/feedback/:task_id'], status: 201 },
  needsSetup: true,
  examples: [{ task_id: 'task_0' }],
  summary: ({ agent_id, score, state }) => `${score} for agent ${agent_id}: ${state}.`,
}).run(async (ctx, { task_id, sender }) => {
  const { store, commit, clock, sign, caller, base, agentRegistries: registries } = ctx
  const account = caller.id
  await loadRated(store, task_id, account)
  const place = await registries.place()
  if (sender === 'house') await registries.operator()
  return commit(async tx => {
    const now = clock.now()
    const { task, rating, agentId } = await loadRated(tx, task_id, account)
    const before = await feedbackIn(tx).get(rating.id)
    const document = before?.document ?? toRatingEvidence({ task, rating, agentId, place, base, now }, sign)
    const { keccak256, stringToBytes } = await import('viem')
    const fresh: Feedback = {
      id: rating.id,
      task: task_id,
      agent_id: agentId,
      score: rating.score,
      document,
      hash: keccak256(stringToBytes(document)),
      uri: `${base}/api/v1/reputation/documents/${rating.id}`,
      endpoint: base,
      state: 'shown',
      open: false,
      due: now.toISOString(),
      tries: 0,
      transaction: null,
      problem: null,
      created_at: now.toISOString(),
    }
    const row = before ?? fresh
    const isAsked = sender === 'house' && row.state === 'shown'
    const next: Feedback = isAsked ? { ...row, state: 'queued', open: true, due: now.toISOString() } : row
    await feedbackIn(tx).put(next)
    const { agent_id: shownAgent, score, uri, hash, endpoint, state } = next
    const terms = { agentId: shownAgent, score, task: task_id, endpoint, uri, hash }
    const data = state === 'shown' ? await registries.feedbackCall(terms) : undefined
    return {
      task_id,
      agent_id: shownAgent,
      score,
      feedback_uri: uri,
      feedback_hash: hash,
      state,
      sent: next.transaction,
      transaction: data ? { chain_id: place.chainId, to: place.reputation, data, value: '0' as const } : null,
    }
  })
})
