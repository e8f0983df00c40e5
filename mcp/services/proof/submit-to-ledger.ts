import { z } from 'zod'
import { ToolError } from '../../kernel/error.ts'
import { tool } from '../../kernel/tool.ts'
import { appendLeaf } from './ledger/leaf.ts'
import { transparencyLog } from './ledger/log.ts'
import { outcomeSchema, readSubmission } from './ledger/submission.ts'
import { prices } from './prices.ts'
import { proofsIn } from './proofs/issue.ts'
import { readTag } from './proofs/verify/event.ts'

export default tool({
  name: 'submit_to_ledger',
  title: 'Enter an event into the ledger',
  description:
    'Enters a Nostr event that you signed into the public ledger: the outcome of an earlier verdict, or any event whose existence should be provable. Costs 150 sats; what would be refused is not charged.',
  keywords: ['record', 'anchor', 'log', 'append', 'report', 'right'],
  input: z.object({
    event: z
      .record(z.string(), z.unknown())
      .describe(
        `A signed event (NIP-01). With the tag ["schema","${outcomeSchema}"] and the content {"proof_id","outcome":"harmful"|"harmless"} it reports what became of a verdict`,
      ),
  }),
  output: z.object({
    event_id: z.string().describe('Id of the event'),
    type: z.enum(['outcome', 'submission']).describe('What it was entered as'),
    leaf_hash: z.string().describe('Hash of its leaf in the ledger'),
    proof_url: z.string().describe('Where it is with its way into the ledger'),
    source_verification_note: z.string().describe('What the entry says, and what it does not'),
  }),
  needs: ['store', 'clock', transparencyLog],
  price: prices.ledgerSubmit,
  settle: 'before',
  async check(ctx, { event }) {
    await readSubmission(ctx, event)
  },
  hints: { readOnly: false, destructive: false, idempotent: false, openWorld: true },
  a2a: { tags: ['ledger'] },
  rest: { routes: ['POST /ledger/submit'] },
  examples: [{ event: { kind: 30_078, content: '{"proof_id":"…","outcome":"harmless"}' } }],
  needsSetup: true,
  summary: ({ type, event_id }) => `Entered ${event_id} as ${type}.`,
}).run(async (ctx, input) => {
  const { event, artifactHash, leaf } = await readSubmission(ctx, input.event)
  return ctx.commit(async tx => {
    const { leaf_hash } = await appendLeaf(
      tx,
      { ...leaf, event_id: event.id, artifact_hash: artifactHash },
      ctx.clock.now(),
    )
    const schema = readTag(event, 'schema') ?? ''
    if (!(await proofsIn(tx).insert({ id: event.id, event, schema, leaf_hash })))
      throw new ToolError('conflict', 'The ledger has this event already.', { reason: 'already_entered' })
    return {
      event_id: event.id,
      type: leaf.type === 'outcome' ? ('outcome' as const) : ('submission' as const),
      leaf_hash,
      proof_url: `${ctx.base}/proofs/${event.id}`,
      source_verification_note:
        'Self-declared: the ledger shows that the key signed this and when it was entered, not that it is true.',
    }
  })
})
