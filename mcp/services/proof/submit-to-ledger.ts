import { z } from 'zod'
import { ToolError } from '../../kernel/error.ts'
import { tool } from '../../kernel/tool.ts'
import type { Ports } from '../../ports/ports.ts'
import { appendLeaf, type LeafFacts } from './ledger/leaf.ts'
import { type TransparencyLog, transparencyLog } from './ledger/log.ts'
import { prices } from './prices.ts'
import { proofsIn } from './proofs/issue.ts'
import { hasPlainTexts } from './proofs/plain-text.ts'
import { checkEvent, type NostrEvent, readEvent, readTag } from './proofs/verify/event.ts'

/** The schema of an event that reports what became of a verdict. */
const outcomeSchema = 'octagent.outcome.v1'

const Outcome = z.object({
  proof_id: z.string().regex(/^[0-9a-f]{64}$/),
  outcome: z.enum(['harmful', 'harmless']),
  evidence: z.json().optional(),
})

/** A submission that may be entered: the event, and its leaf but for the ids that every leaf has. */
type LedgerSubmission = { event: NostrEvent; artifactHash: string; leaf: LeafFacts }

const refuse = (message: string, hint?: string): ToolError =>
  new ToolError('invalid_input', `event${message}`, {
    hint,
    issues: [{ path: 'event', message: message.replace(/^[.:] ?/, '') }],
  })

const maxContentLength = 20_000
const maxEventLength = 40_000

/** Seconds that an event may be ahead of our clock. */
const clockSkewSec = 60

type Deps = Pick<Ports, 'store' | 'clock'> & { transparencyLog: TransparencyLog }

const readOutcome = (event: NostrEvent): z.output<typeof Outcome> => {
  let content: unknown
  try {
    content = JSON.parse(event.content)
  } catch {
    throw refuse('.content: An outcome is JSON.')
  }
  const parsed = Outcome.safeParse(content)
  if (parsed.success) return parsed.data
  throw refuse(
    '.content: An outcome says proof_id, and outcome as harmful or harmless.',
    `Its tag is ["schema", "${outcomeSchema}"], its content {"proof_id": "…", "outcome": "harmful", "evidence": …}.`,
  )
}

/** Checks an event that somebody else signed, before it is charged for: its form, id, signature and time, and what it cites. */
const readSubmission = async (
  { store, clock, transparencyLog }: Deps,
  value: unknown,
): Promise<LedgerSubmission> => {
  const reading = readEvent(value)
  if ('fault' in reading) {
    const [field, message] = reading.fault
    throw refuse(`${field === '' ? '' : `.${field}`}: ${message}`)
  }
  const { event } = reading
  if (event.content.length > maxContentLength || JSON.stringify(event).length > maxEventLength)
    throw new ToolError('too_large', `event: Its content may have ${maxContentLength} characters.`)
  if (!hasPlainTexts(event)) throw refuse(': Its texts must not have NUL characters.')
  const { id_integrity, signature_valid } = checkEvent(event)
  if (!id_integrity) throw refuse('.id: It is not the hash of the event (NIP-01).')
  if (!signature_valid) throw refuse('.sig: It is not a signature of the key over the id (BIP-340).')
  if (event.created_at > clock.now().getTime() / 1000 + clockSkewSec)
    throw refuse('.created_at: It is in the future.')
  if (await proofsIn(store).get(event.id))
    throw new ToolError('conflict', 'The ledger has this event already.', { reason: 'already_entered' })
  if (readTag(event, 'schema') !== outcomeSchema)
    return { event, artifactHash: event.id, leaf: { type: 'submission', public_key: event.pubkey } }
  const { proof_id, outcome } = readOutcome(event)
  const cited = await proofsIn(store).get(proof_id)
  const index = cited && (await transparencyLog.find(cited.leaf_hash))
  const leaf = index === undefined ? undefined : await transparencyLog.leaf(index)
  if (!cited || leaf === undefined || !leaf.includes('"verdict":'))
    throw new ToolError('not_found', 'event.content.proof_id: The ledger has no verdict of this id.')
  return {
    event,
    artifactHash: event.id,
    leaf: { type: 'outcome', outcome, cites: cited.leaf_hash, public_key: event.pubkey },
  }
}

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
