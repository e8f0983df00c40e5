import { z } from 'zod'
import { ToolError } from '../../kernel/error.ts'
import { free, tool } from '../../kernel/tool.ts'
import { transparencyLog } from './ledger/log.ts'
import { ProofId, ProofSourceOutput, proofsIn } from './proofs/issue.ts'
import { checkProof, findSource, isBundle } from './proofs/verify/proof.ts'

const maxProofLength = 200_000

const check = (text: string) => z.boolean().nullable().describe(`${text}; null where it was not checked`)

const Proof = z.union([z.record(z.string(), z.unknown()), z.string().max(maxProofLength)])

/** The event of what a caller calls a proof: an event, a bundle of get_proof, or the JSON text of either. */
const toEvent = (proof: z.output<typeof Proof>): unknown => {
  let value: unknown = proof
  if (typeof proof === 'string') {
    try {
      value = JSON.parse(proof)
    } catch {
      throw new ToolError('invalid_input', 'event: The text is not JSON. Was it cut off?', {
        hint: 'Send the event, or the whole file of get_proof, as an object or as JSON text.',
      })
    }
  }
  return isBundle(value) ? value.event : value
}

const scopeNote =
  'It says who signed what, when, and that the ledger has it. It does not say that what is proven is true, or still so.'

export default tool({
  name: 'verify_proof',
  title: 'Verify a proof',
  description:
    'Checks a proof of this service: unchanged, signed by a key that was in use then, not from the future, in the ledger, and about what you expect. The same works offline: octagent verify-proof. Free.',
  keywords: ['genuine', 'validate', 'forged', 'nostr', 'event', 'receipt'],
  input: z.object({
    event: Proof.optional().describe(
      'The signed event, or the whole file of get_proof; an object or JSON text',
    ),
    proof_id: ProofId.optional().describe('Instead of the event: its id here'),
    expect_artifact_hash: z
      .string()
      .regex(/^[0-9a-f]{64}$/, { error: 'must be 64 lower-case hexadecimal digits' })
      .optional()
      .describe('SHA-256 of what it must be about'),
    expect_max_age_seconds: z.number().int().min(1).optional().describe('How old it may be'),
  }),
  aliases: { event: ['proof_event', 'proof'], proof_id: ['event_id'] },
  output: z.object({
    valid: z.boolean().describe('True when nothing is wrong with it'),
    refusals: z
      .array(
        z.object({
          code: z.string().describe('Name of the check'),
          message: z.string().describe('What is wrong, and what that means'),
        }),
      )
      .describe('What is wrong with it; empty for a valid one'),
    checks: z
      .object({
        id_integrity: check('The id is the hash of the event'),
        signature_valid: check('The key signed the id'),
        is_proof_event: check('Kind, schema and canonical content are those of a proof'),
        not_from_the_future: check('It is not dated in the future'),
        issued_by_listed_key: check('The key is one of this service'),
        key_valid_at_the_time: check('The key was in use when it was signed'),
        expected_artifact: check('It is about what you expect'),
        young_enough: check('It is as young as you expect'),
        decision_ref_recomputes: check('decision_ref is the hash of decision_inputs'),
        in_ledger: check('The ledger has it'),
      })
      .describe('Each check by itself'),
    source: ProofSourceOutput.nullable().describe(
      'observed: this service did or saw it itself; declared: it has only the word of the caller; null where the proof does not say',
    ),
    payload: z.record(z.string(), z.unknown()).nullable().describe('What it says; null for what is no proof'),
    age_seconds: z.number().int().nullable().describe('How old it is'),
    ledger_index: z.number().int().nullable().describe('Number of its leaf; null where the ledger lacks it'),
    public_key: z.string().describe('The key that this service signs with now'),
    scope_note: z.string().describe('What a valid proof says, and what it does not'),
  }),
  needs: ['store', 'clock', transparencyLog],
  price: free,
  limits: [{ perMinute: 120, per: 'client' }],
  hints: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
  a2a: { skill: 'verify-proof', tags: ['proof', 'free'] },
  rest: { routes: ['POST /verify-proof'] },
  examples: [{ event: { id: 'not a proof' } }],
  summary: ({ valid, refusals, source }) =>
    valid
      ? `A valid proof${source === 'declared' ? ' of what a caller declared' : ''}.`
      : `Not valid: ${refusals[0]?.message ?? ''}`,
}).run(async ({ store, clock, transparencyLog }, input) => {
  if ((input.event === undefined) === (input.proof_id === undefined))
    throw new ToolError('invalid_input', 'event: Give either the event or its proof_id.')
  const stored = input.proof_id === undefined ? undefined : await proofsIn(store).get(input.proof_id)
  if (input.proof_id !== undefined && !stored)
    throw new ToolError('not_found', 'proof_id: There is no such proof here.')
  await transparencyLog.sync()
  const verdict = checkProof(
    stored?.event ?? (input.event === undefined ? undefined : toEvent(input.event)),
    {
      now: Math.floor(clock.now().getTime() / 1000),
      keys: transparencyLog.keys(),
      artifactHash: input.expect_artifact_hash,
      maxAgeSeconds: input.expect_max_age_seconds,
    },
  )
  const record = stored ?? (verdict.event && (await proofsIn(store).get(verdict.event.id)))
  const ledger_index = record ? ((await transparencyLog.find(record.leaf_hash)) ?? null) : null
  // An event that is intact and of our key but in no ledger was signed by somebody who has the key.
  const isMissing = verdict.valid && ledger_index === null
  const { checkpoint_signed: _, ...checks } = verdict.checks
  return {
    valid: verdict.valid && !isMissing,
    refusals: isMissing
      ? [
          {
            code: 'in_ledger',
            message:
              'The ledger does not have it, and every proof of this service is entered when it is signed.',
          },
        ]
      : verdict.refusals,
    checks: { ...checks, in_ledger: verdict.event ? ledger_index !== null : null },
    source: (verdict.checks.issued_by_listed_key && findSource(verdict.payload)) || null,
    payload: verdict.payload ?? null,
    age_seconds: verdict.age_seconds ?? null,
    ledger_index,
    public_key: transparencyLog.publicKeys.bip340,
    scope_note: scopeNote,
  }
})
