import { randomBytes } from 'node:crypto'
import canonicalize from 'canonicalize'
import { z } from 'zod'
import { ToolError } from '../../kernel/error.ts'
import { tool } from '../../kernel/tool.ts'
import type { Ports } from '../../ports/ports.ts'
import { proofSettings } from './config.ts'
import { transparencyLog } from './ledger/log.ts'
import { prices } from './prices.ts'
import { ActionInput, actionPrefixes, recordedActionsIn } from './proofs/action.ts'
import { enterProof, ProofSourceOutput, proofOutput, signProof } from './proofs/issue.ts'
import { hasPlainTexts } from './proofs/plain-text.ts'
import { NostrStatus, queuePublication } from './proofs/publication.ts'
import { commit, type ProofSource } from './proofs/verify/proof.ts'

const maxRecordBytes = 64_000

const Input = z.object({
  action_id: z
    .string()
    .min(6)
    .max(80)
    .regex(/^[\w.:-]+$/, { error: 'must be letters, digits and _ . : -' })
    .describe('Id of an action of this service, or your own for the action that you give'),
  agent_id: z
    .string()
    .max(120)
    .regex(/^[\w.:@/-]+$/, { error: 'must be letters, digits and _ . : @ / -' })
    .optional()
    .describe('Who acted, as it calls itself'),
  action: ActionInput.optional().describe(
    'The record of an action that was carried out elsewhere; it is marked as self-declared',
  ),
  disclose: z
    .boolean()
    .default(true)
    .describe('False publishes a commitment only, without kind, times and ids; reveal_proof opens it later'),
  nostr_publish: z
    .boolean()
    .default(false)
    .describe('Publishes the proof on the Nostr relays of this service'),
})

type ActionRecord = {
  action_id: string
  agent_id: string | null
  kind: string
  status: string
  started_at: string
  finished_at: string
  input: unknown
  output: unknown
}

/** Loads the proven record of an action, whoever made it. Throws before anything is charged where there is none. */
const loadRecord = async (
  store: Ports['store'],
  request: z.output<typeof Input>,
): Promise<{ record: ActionRecord; source: ProofSource }> => {
  const { action_id, action } = request
  const agent_id = request.agent_id ?? null
  if (action) {
    if (actionPrefixes.some(prefix => action_id.startsWith(prefix)))
      throw new ToolError('invalid_input', 'action_id: Only this service gives ids of this form.', {
        hint: 'Leave "action" out to prove an action of this service, or give yours another id.',
        issues: [
          {
            path: 'action_id',
            message: `must not begin with ${actionPrefixes.join(', ')} for a declared action`,
          },
        ],
      })
    const { input = null, output = null, ...facts } = action
    const record = { action_id, agent_id, ...facts, input, output }
    if (facts.finished_at < facts.started_at)
      throw new ToolError('invalid_input', 'action.finished_at: It ends before it begins.')
    if ((canonicalize(record) ?? '').length > maxRecordBytes)
      throw new ToolError('too_large', `action: Its record may have ${maxRecordBytes} characters of JSON.`)
    if (!hasPlainTexts(record))
      throw new ToolError(
        'invalid_input',
        'action: Its texts must not have NUL characters or half surrogate pairs.',
      )
    return { record, source: 'declared' }
  }
  const stored = await recordedActionsIn(store).get(action_id)
  if (!stored)
    throw new ToolError('not_found', 'action_id: This service has carried out no such action.', {
      hint: 'Give the record of an action that was carried out elsewhere as "action".',
    })
  const { id, input, output, ...facts } = stored
  return {
    record: { action_id: id, agent_id, ...facts, input: JSON.parse(input), output: JSON.parse(output) },
    source: 'observed',
  }
}

const sourceNotes: Readonly<Record<ProofSource, string>> = {
  observed: 'The issuer carried the action out and recorded it.',
  declared: 'Self-declared: the issuer has not seen the action, only this record of it.',
}

/** Returns the public part of an action: never input or output. */
const redact = ({ input: _in, output: _out, ...facts }: ActionRecord) => facts

export default tool({
  name: 'prove',
  title: 'Prove an action',
  description:
    'Signs a redacted proof that an action happened, enters it into the public ledger, and returns the salt that opens it. Use it after an irreversible action. Costs 100 sats.',
  keywords: ['record', 'deletion', 'evidence', 'audit', 'receipt', 'log'],
  input: Input,
  output: z.object({
    ...proofOutput,
    source: ProofSourceOutput,
    artifact_hash: z
      .string()
      .describe('The salted commitment: SHA-256 of salt, "|" and canonical JSON of the content'),
    opening: z
      .object({
        salt: z.string().describe('Keep it: nobody has it but you'),
        content: z.record(z.string(), z.unknown()).describe('The record that was committed to'),
      })
      .describe('What reveal_proof takes to make the record public'),
    nostr: NostrStatus,
  }),
  needs: ['store', 'clock', 'sign', transparencyLog],
  wants: [proofSettings.relays],
  price: prices.prove,
  settle: 'before',
  async check({ store }, input) {
    await loadRecord(store, input)
  },
  hints: { readOnly: false, destructive: false, idempotent: false, openWorld: true },
  a2a: { tags: ['proof', 'nostr'] },
  rest: { routes: ['POST /prove'] },
  examples: [
    {
      action_id: 'deploy-2031',
      agent_id: 'release-bot',
      action: {
        kind: 'deploy',
        status: 'succeeded',
        started_at: '2026-01-05T10:00:00Z',
        finished_at: '2026-01-05T10:04:00Z',
        input: { commit: '3f2a1c' },
        output: { url: 'https://app.example.org' },
      },
    },
  ],
  summary: ({ proof_id }) => `Proof ${proof_id} is in the ledger.`,
}).run(async (ctx, input) => {
  const { record, source } = await loadRecord(ctx.store, input)
  const salt = randomBytes(32).toString('hex')
  const commitment = commit(salt, record)
  const signed = await signProof(ctx, {
    schema: 'octagent.execution_proof.v1',
    artifactHash: commitment,
    payload: {
      commitment,
      ...(input.disclose && redact(record)),
      source_verification_note: sourceNotes[source],
    },
    source,
    leaf: { type: 'execution' },
  })
  return ctx.commit(async tx => ({
    ...(await enterProof(ctx, tx, ctx.base, signed)),
    source,
    artifact_hash: commitment,
    opening: { salt, content: record },
    nostr: await queuePublication(tx, signed.event, {
      relays: ctx.relays,
      isWanted: input.nostr_publish,
      now: ctx.clock.now(),
    }),
  }))
})
