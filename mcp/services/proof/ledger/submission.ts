import { z } from 'zod'
import { ToolError } from '../../../kernel/error.ts'
import type { Ports } from '../../../ports/ports.ts'
import { proofsIn } from '../proofs/issue.ts'
import { hasPlainTexts } from '../proofs/plain-text.ts'
import { checkEvent, type NostrEvent, readEvent, readTag } from '../proofs/verify/event.ts'
import type { LeafFacts } from './leaf.ts'
import type { TransparencyLog } from './log.ts'

/** The schema of an event that reports what became of a verdict. */
export const outcomeSchema = 'octagent.outcome.v1'

const Outcome = z.object({
  proof_id: z.string().regex(/^[0-9a-f]{64}$/),
  outcome: z.enum(['harmful', 'harmless']),
  evidence: z.json().optional(),
})

/** A submission that may be entered: the event, and its leaf but for the ids that every leaf has. */
export type LedgerSubmission = { event: NostrEvent; artifactHash: string; leaf: LeafFacts }

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
export const readSubmission = async (
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
