import { randomBytes } from 'node:crypto'
import { z } from 'zod'
import { ToolError } from '../../kernel/error.ts'
import { free, tool } from '../../kernel/tool.ts'
import type { Ports } from '../../ports/ports.ts'
import { type Action, ActionOut, actionsIn, toPublicAction } from './action/action.ts'
import { requireActionRoom } from './action/purge.ts'
import { type FailureClass, probesIn } from './callability/history.ts'
import type { Candidate } from './candidate/candidate.ts'
import { CandidateIdentifier, NeedInput } from './candidate/input.ts'
import { candidatesFor, toTarget } from './candidate/resolve.ts'
import { registrySettings } from './config.ts'
import { hashOrigin } from './origin.ts'
import { type ProbeReport, probe } from './probe/probe.ts'

const ends = {
  callable: 'completed',
  callable_with_payment: 'completed',
  callable_with_auth: 'completed',
  not_callable: 'failed',
  ambiguous: 'ambiguous',
} as const

/** The action after a probe. */
const endAction = (
  action: Action,
  { status, failure_class, protocols, attempts, proof_digest }: ProbeReport,
): Action => ({
  ...action,
  state: ends[status],
  status,
  failure_class,
  protocols: Object.fromEntries(
    Object.entries(protocols).map(([name, result]) => [
      name,
      { status: result.status, failure: result.failure, ...result.detail },
    ]),
  ),
  attempts,
  proof_digest,
})

const failAction = (action: Action, failure_class: FailureClass): Action => ({
  ...action,
  state: 'failed',
  status: 'not_callable',
  failure_class,
})

const isAddressed = ({ interaction_url, agent_card_url, identifier }: Candidate): boolean =>
  /^https?:/.test(interaction_url ?? agent_card_url ?? identifier)

const keep = async ({ store, clock }: Pick<Ports, 'store' | 'clock'>, action: Action): Promise<Action> => {
  const finished = { ...action, updated_at: clock.now().toISOString() }
  await actionsIn(store).put(finished)
  return finished
}

export default tool({
  name: 'verify_external_callability',
  title: 'Verify that a candidate can be called',
  description:
    'Contacts a candidate once per protocol (A2A message with a nonce, MCP initialize and tools/list, x402 quote) and says whether it is callable, with a proof digest. Needs a Bearer agent key and your authorization of the contact. Free.',
  keywords: ['remote', 'endpoint', 'answers', 'reachable', 'test', 'health'],
  input: z.object({
    query: NeedInput.describe('What you look for, 1 to 128 characters'),
    candidate_identifier: CandidateIdentifier.optional().describe(
      'Whom to probe; left out, the first one found',
    ),
    authorize_external_contact: z
      .literal(true, 'must be true: the candidate is contacted in your name')
      .describe('Must be true: a stranger is contacted'),
  }),
  output: ActionOut,
  needs: ['fetch', 'store', 'clock', 'cache', 'keys', ...registrySettings],
  price: free,
  auth: ['bearer'],
  limits: [
    { perMinute: 20, per: 'client' },
    {
      perMinute: 30,
      per: ({ candidate_identifier, query }: { candidate_identifier?: string; query: string }) =>
        toTarget(candidate_identifier ?? query),
    },
  ],
  hints: { readOnly: false, destructive: false, idempotent: false, openWorld: true },
  a2a: { tags: ['callability', 'verification'] },
  rest: { routes: ['POST /actions/verify-callability'] },
  needsSetup: true,
  examples: [
    { query: 'translation', candidate_identifier: 'https://example.com/', authorize_external_contact: true },
  ],
  summary: ({ status, failure_class, candidate_identifier }) =>
    `${candidate_identifier ?? 'Nobody'}: ${status ?? ''} ${failure_class ?? ''}`.trim(),
  timeoutMs: 40_000,
}).run(async (ctx, { query, candidate_identifier }) => {
  const { store, clock, keys, caller, client, base, commit } = ctx
  if (!caller) throw new ToolError('unauthenticated', 'This needs an agent key.')
  const origin = hashOrigin(keys, client)
  await requireActionRoom(store, origin, clock.now())
  const now = clock.now().toISOString()
  const action_id = `act_${randomBytes(12).toString('hex')}`
  let action: Action = {
    id: action_id,
    caller: caller.id,
    origin,
    action_id,
    state: 'claimed',
    query,
    candidate_identifier: candidate_identifier ?? null,
    source: null,
    status: null,
    failure_class: null,
    protocols: {},
    attempts: [],
    proof_digest: null,
    capability_verified: false,
    created_at: now,
    updated_at: now,
  }
  await actionsIn(store).put(action)
  const candidateQuery = { need: query, identifier: candidate_identifier }
  const { candidates, partial } = await candidatesFor(ctx, candidateQuery, base)
  const [candidate] = candidates
  if (!candidate && partial) {
    action = { ...action, state: 'ambiguous', status: 'ambiguous', failure_class: 'unavailable' }
  } else if (!candidate || !isAddressed(candidate)) {
    action = failAction(action, 'capability_not_found')
  } else {
    const { identifier, source } = candidate
    action = await keep(ctx, { ...action, state: 'selected', candidate_identifier: identifier, source })
    action = await keep(ctx, { ...action, state: 'invoking' })
    const probed = await probe(ctx, candidate, AbortSignal.timeout(30_000))
    action = endAction(action, probed)
    for (const one of probed.probes) await probesIn(store).put(one)
  }
  return commit(async tx => {
    const done = { ...action, updated_at: clock.now().toISOString() }
    await actionsIn(tx).put(done)
    return toPublicAction(done)
  })
})
