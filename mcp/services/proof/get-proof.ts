import { z } from 'zod'
import { ToolError } from '../../kernel/error.ts'
import { free, tool } from '../../kernel/tool.ts'
import { type TransparencyLog, transparencyLog } from './ledger/log.ts'
import { EventOutput, ProofId, proofsIn, revealsIn, type StoredProof } from './proofs/issue.ts'
import { bundleSchema, type ProofBundle } from './proofs/verify/proof.ts'

/** A proof with its way to a checkpoint that counts its leaf. Undefined where the log does not have it. */
const buildBundle = async (
  log: TransparencyLog,
  { event, leaf_hash }: Pick<StoredProof, 'event' | 'leaf_hash'>,
): Promise<ProofBundle | undefined> => {
  const index = await log.find(leaf_hash)
  if (index === undefined) return undefined
  const [leaf, { size, note }] = await Promise.all([log.leaf(index), log.checkpoint(index + 1)])
  if (leaf === undefined) return undefined
  return {
    schema: bundleSchema,
    event,
    leaf,
    index,
    inclusion: log.inclusion(index, size),
    checkpoint: note,
  }
}

export default tool({
  name: 'get_proof',
  title: 'Get a proof',
  description:
    'Returns a proof with its leaf, its way to the root of a signed checkpoint, and what was revealed of it. Saved as a file, it verifies offline for good. Free.',
  keywords: ['download', 'bundle', 'inclusion', 'certificate'],
  input: z.object({ proof_id: ProofId.describe('Id of the proof') }),
  aliases: { proof_id: ['event_id', 'id'] },
  output: z.object({
    schema: z.literal('octagent.proof_bundle.v1').describe('What the file is'),
    event: EventOutput,
    leaf: z.string().describe('Its leaf in the ledger: canonical JSON'),
    index: z.number().int().describe('Number of the leaf'),
    inclusion: z
      .array(z.string())
      .describe('Hashes from the leaf to the root, hexadecimal (RFC 9162 §2.1.3)'),
    checkpoint: z.string().describe('Signed note with size and root of the ledger (C2SP tlog-checkpoint)'),
    reveal: z
      .object({
        salt: z.string().describe('Salt of the commitment'),
        content: z
          .record(z.string(), z.unknown())
          .describe('What was committed to; written by who asked for the proof'),
        revealed_at: z.string().describe('When it was revealed, ISO 8601'),
        untrusted: z.literal(true).describe('The content is text of a stranger'),
      })
      .nullable()
      .describe('What opened its commitment; null while nobody has revealed it'),
  }),
  needs: ['store', transparencyLog],
  price: free,
  limits: [{ perMinute: 300, per: 'client' }],
  hints: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
  a2a: { tags: ['proof', 'free'] },
  rest: { routes: ['GET /proofs/:proof_id'] },
  examples: [{ proof_id: '0'.repeat(64) }],
  needsSetup: true,
  summary: ({ index }) => `Leaf ${index} of the ledger.`,
}).run(async ({ store, transparencyLog }, { proof_id }) => {
  const proof = await proofsIn(store).get(proof_id)
  const bundle = proof && (await buildBundle(transparencyLog, proof))
  if (!bundle) throw new ToolError('not_found', 'proof_id: There is no such proof here.')
  const reveal = await revealsIn(store).get(proof_id)
  return {
    ...bundle,
    reveal: reveal
      ? {
          salt: reveal.salt,
          content: JSON.parse(reveal.content) as Record<string, unknown>,
          revealed_at: reveal.revealed_at,
          untrusted: true as const,
        }
      : null,
  }
})
