import { z } from 'zod'
import { isWellFormed } from '../proofs/verify/event.ts'

const plain = (max: number) =>
  z
    .string()
    .min(1)
    .max(max)
    .refine(text => isWellFormed(text) && !/\p{Cc}/u.test(text), {
      error: 'must be one line without control characters',
    })

const name = plain(256)
const thresholds = ['blocker', 'high', 'medium', 'all'] as const

export type Threshold = (typeof thresholds)[number]

const confidentialityTiers = ['hash_only', 'partial_disclosure', 'full_disclosure'] as const

const sourceFields = {
  repo: plain(300),
  base_sha: plain(64),
  head_sha: plain(64),
  chain_id: z.number().int().positive(),
  block_number: z.number().int().min(0),
  contract_address: z.string().regex(/^0x[0-9a-fA-F]{40}$/, { error: 'must be an address' }),
  calldata: z
    .string()
    .max(20_000)
    .regex(/^0x[0-9a-fA-F]*$/, { error: 'must be hex' }),
  tx_hash: z.string().regex(/^0x[0-9a-fA-F]{64}$/, { error: 'must be 32 bytes in hex' }),
}

export type ArtifactSource = Partial<{
  [name in keyof typeof sourceFields]: z.output<(typeof sourceFields)[name]>
}>

const CheckedSource = z.strictObject(sourceFields).partial()

/** Listed as an open object, and checked field by field: what a model reads of a tool is bounded. */
const Source = z.record(z.string(), z.union([z.string(), z.number()])).superRefine((source, context) => {
  for (const { path, message } of CheckedSource.safeParse(source).error?.issues ?? [])
    context.addIssue({ code: 'custom', path: [...path], message })
})

/** Input of every review beside what is reviewed. */
export const reviewRequest = {
  context: z.string().max(4000).optional().describe('What it is for'),
  concerns: z.string().max(2000).optional().describe('What you worry about; part of the decision'),
  severity_threshold: z
    .enum(thresholds)
    .default('all')
    .describe('Issues below it are not listed; the verdict is the same'),
  list_checks: z.boolean().optional().describe('List each check, not families'),
  operation_id: z
    .string()
    .min(1)
    .max(128)
    .optional()
    .describe('Your own name for it: for a day the same one is answered the same, free'),
  state_hash: plain(128).optional().describe('Hash of the state that the action starts from'),
  intended_audience: name.optional().describe('Whom the decision is for'),
  intended_verifier: name.optional().describe('Who will verify it, such as a CAIP-10 account'),
  request_capture_ref: name.optional().describe('Where the request is recorded'),
  action_binding: z
    .object({
      tool: plain(200).describe('Tool that would be called'),
      agent_id: plain(200).optional().describe('Who would call it'),
      args: z.record(z.string(), z.json()).optional().describe('Its arguments, up to 8 KB of JSON'),
      args_hash: plain(128).optional().describe('SHA-256 of its arguments as canonical JSON'),
    })
    .optional()
    .describe('The one call that the decision holds for'),
  artifact_source: Source.optional().describe(
    `Where the artifact comes from: ${Object.keys(sourceFields).join(', ')}`,
  ),
  external_evidence: z
    .array(z.record(z.string(), z.string().max(1000)))
    .max(20)
    .optional()
    .describe('What others say of it: source, hash, note; part of the decision, not weighed'),
  related_proof_event: z
    .string()
    .regex(/^[0-9a-f]{64}$/, { error: 'must be 64 lower-case hexadecimal digits' })
    .optional()
    .describe('Id of an earlier proof that it belongs to'),
  confidentiality_tier: z
    .enum(confidentialityTiers)
    .default('hash_only')
    .describe(
      'What the proof makes public: hashes and the verdict; rules that hit and disclosed_summary too; or also the artifact',
    ),
  disclosed_summary: z
    .string()
    .min(1)
    .max(2000)
    .refine(text => isWellFormed(text) && !text.includes('\0'), { error: 'must be plain text' })
    .optional()
    .describe('Text that the proof makes public, unless hash_only'),
  sign: z.boolean().default(true).describe('False makes no proof; nothing becomes public'),
  dry_run: z.boolean().default(false).describe('The verdict alone: nothing is signed or remembered'),
}

/** Request of a review beside what is reviewed. */
export type ReviewRequest = z.output<z.ZodObject<typeof reviewRequest>>
