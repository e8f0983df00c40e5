import canonicalize from 'canonicalize'
import { z } from 'zod'
import { ToolError } from '../../kernel/error.ts'
import { free, tool } from '../../kernel/tool.ts'
import { appendLeaf } from './ledger/leaf.ts'
import { transparencyLog } from './ledger/log.ts'
import { ProofId, proofsIn, revealsIn, textDigest } from './proofs/issue.ts'
import { opensCommitment } from './proofs/verify/proof.ts'

const maxContentLength = 70_000

export default tool({
  name: 'reveal_proof',
  title: 'Reveal what a proof committed to',
  description:
    'Makes public what a proof of prove committed to, after checking that salt and content open it. Use it when somebody must see the record. It cannot be taken back. Free.',
  keywords: ['disclose', 'commitment', 'publish'],
  input: z.object({
    proof_id: ProofId.describe('Id of the proof'),
    salt: z
      .string()
      .regex(/^[0-9a-f]{64}$/, { error: 'must be 64 lower-case hexadecimal digits' })
      .describe('The salt of the opening that prove answered with'),
    content: z.record(z.string(), z.json()).describe('The content of that opening, unchanged'),
  }),
  output: z.object({
    proof_id: z.string().describe('Id of the proof'),
    revealed_at: z.string().describe('When it was revealed first, ISO 8601'),
    commitment: z.string().describe('The commitment that salt and content open'),
  }),
  needs: ['store', 'clock', transparencyLog],
  price: free,
  limits: [{ perMinute: 10, per: 'client' }],
  hints: { readOnly: false, destructive: false, idempotent: true, openWorld: false },
  a2a: { tags: ['proof', 'free'] },
  rest: { routes: ['POST /prove/:proof_id/reveal'] },
  examples: [{ proof_id: '0'.repeat(64), salt: '0'.repeat(64), content: { action_id: 'deploy-2031' } }],
  needsSetup: true,
  summary: ({ proof_id }) => `Proof ${proof_id} is revealed.`,
}).run(async ({ store, clock, commit }, { proof_id, salt, content }) => {
  const proof = await proofsIn(store).get(proof_id)
  if (!proof) throw new ToolError('not_found', 'proof_id: There is no such proof here.')
  const { commitment } = JSON.parse(proof.event.content) as { commitment?: unknown }
  if (typeof commitment !== 'string')
    throw new ToolError('conflict', 'This proof commits to nothing: what it is about is public already.')
  const text = canonicalize(content) ?? ''
  if (text.length > maxContentLength)
    throw new ToolError('too_large', `content: It may have ${maxContentLength} characters of JSON.`)
  if (!opensCommitment(commitment, salt, content))
    throw new ToolError('conflict', 'Salt and content do not open this commitment.', {
      reason: 'commitment_mismatch',
      hint: 'Send both as prove answered them, with nothing added, left out or changed.',
    })
  return commit(async tx => {
    const revealed_at = clock.now().toISOString()
    const isFirst = await revealsIn(tx).insert({ id: proof_id, salt, content: text, revealed_at })
    if (!isFirst) {
      const earlier = await revealsIn(tx).get(proof_id)
      return { proof_id, revealed_at: earlier?.revealed_at ?? revealed_at, commitment }
    }
    const facts = { type: 'reveal', cites: proof.leaf_hash, artifact_hash: textDigest(text) } as const
    await appendLeaf(tx, facts, clock.now())
    return { proof_id, revealed_at, commitment }
  })
})
