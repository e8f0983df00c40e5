import { createHash, randomBytes } from 'node:crypto'
import { z } from 'zod'
import { collection } from '../../../kernel/collection.ts'
import type { Call } from '../../../kernel/tool.ts'
import type { Ports } from '../../../ports/ports.ts'
import type { Tx } from '../../../ports/store/port.ts'
import { appendLeaf, type LeafFacts } from '../ledger/leaf.ts'
import { requireCurrentKeys, type TransparencyLog } from '../ledger/log.ts'
import { countActs } from '../residence.ts'
import { computeEventId, type NostrEvent } from './verify/event.ts'
import { type ProofSource, proofKind, proofSources } from './verify/proof.ts'

/** A signed event in the output of a tool (NIP-01). */
export const EventOutput = z
  .object({
    id: z.string().describe('SHA-256 of the event as NIP-01 writes it'),
    pubkey: z.string().describe('Key of the signer, x-only, hexadecimal'),
    created_at: z.number().int().describe('Unix seconds'),
    kind: z.number().int().describe('30078'),
    tags: z.array(z.array(z.string())).describe('Tags of Nostr'),
    content: z.string().describe('What is proven: canonical JSON (RFC 8785)'),
    sig: z.string().describe('BIP-340 signature over the id, hexadecimal'),
  })
  .describe('The proof: a Nostr event, which anybody verifies without this service')

/** Output of every tool that issues a proof. */
export const proofOutput = {
  proof_id: z.string().describe('Id of the proof: that of its event'),
  event: EventOutput,
  leaf_hash: z.string().describe('Hash of its leaf in the ledger (RFC 9162)'),
  proof_url: z.string().describe('Where the proof is with its way into the ledger, as a file to keep'),
}

/** The signed field that tells what the issuer saw from what it was told. */
export const ProofSourceOutput = z
  .enum(proofSources)
  .describe('observed: this service did or saw it itself; declared: it has only the word of the caller')

export const ProofId = z
  .string()
  .regex(/^[0-9a-f]{64}$/, { error: 'must be 64 lower-case hexadecimal digits' })

/** Opening of a commitment: the salt, and the content as canonical JSON. */
type CommitmentOpening = { id: string; salt: string; content: string; revealed_at: string }

export const revealsIn = collection<CommitmentOpening>({
  name: 'proof.reveals',
  budget: {
    what: 'revealed contents',
    network: { rows: 1000, bytes: 16 << 20 },
    allBytes: 64 << 20,
    ends: 'They stay. Sign in and pay to reveal more.',
  },
})

import canonicalize from 'canonicalize'

/** A proof as it is kept: the event, and the hash of its leaf in the ledger. */
export type StoredProof = { id: string; event: NostrEvent; schema: string; leaf_hash: string }

export const proofsIn = collection<StoredProof>({
  name: 'proof.events',
  archive: { afterHours: 24 },
  budget: {
    what: 'proofs',
    network: { rows: 4000, bytes: 16 << 20 },
    allBytes: 128 << 20,
    ends: 'A proof stays; a paid one does not count.',
  },
})

type Deps = Pick<Ports, 'sign' | 'clock'> &
  Partial<Pick<Call, 'caller' | 'receipt'>> & { transparencyLog: TransparencyLog }

/** Proven facts. The payload becomes public; whoever calls this has redacted it. */
type ProofFacts = {
  /** Such as `octagent.witness.v1`. */
  schema: string
  /** SHA-256 of what it is about, in hexadecimal. */
  artifactHash: string
  payload: Readonly<Record<string, unknown>>
  source: ProofSource
  leaf: Omit<LeafFacts, 'event_id' | 'artifact_hash'>
}

type SignedProof = { event: NostrEvent; facts: ProofFacts }

/** SHA-256 of the UTF-8 bytes of a text, in hexadecimal. */
export const textDigest = (text: string): string => createHash('sha256').update(text).digest('hex')

/** A Nostr event (NIP-01) of the key of this installation. */
export const signProofEvent = async (
  { sign, clock }: Pick<Ports, 'sign' | 'clock'>,
  { kind, tags, content }: Pick<NostrEvent, 'kind' | 'tags' | 'content'>,
): Promise<NostrEvent> => {
  const signer = await sign.bip340()
  const created_at = Math.floor(clock.now().getTime() / 1000)
  const unsigned = { pubkey: signer.publicKey, created_at, kind, tags, content }
  const id = computeEventId(unsigned)
  return { id, ...unsigned, sig: signer.sign(id) }
}

const verifyHow =
  'NIP-01: id = SHA-256 of [0,pubkey,created_at,kind,tags,content]; sig = BIP-340 over id by verifier_pubkey.'

/** Signs a proof: an event of kind 30078 whose content is canonical JSON. It counts once `enterProof` has written it. */
export const signProof = async (deps: Deps, facts: ProofFacts): Promise<SignedProof> => {
  const { schema, artifactHash, payload, source } = facts
  const { publicKeys, origin } = deps.transparencyLog
  const content = {
    ...payload,
    source,
    schema,
    artifact_hash: artifactHash,
    ledger: origin,
    verifier_pubkey: publicKeys.bip340,
    verify_how: verifyHow,
  }
  const now = deps.clock.now().getTime()
  const tags = [
    ['d', `octagent-proof-${artifactHash}-${Math.floor(now / 1000)}-${randomBytes(4).toString('hex')}`],
    ['t', 'octagent'],
    ['t', 'proof'],
    ['schema', schema],
  ]
  const event = await signProofEvent(deps, { kind: proofKind, tags, content: canonicalize(content) ?? '' })
  return { event, facts }
}

type EnteredProof = { proof_id: string; event: NostrEvent; leaf_hash: string; proof_url: string }

/** Writes a signed proof and its leaf, in the transaction of the call that it is for. `base` is the address of the service. */
export const enterProof = async (
  { clock, transparencyLog, caller, receipt }: Deps,
  tx: Tx,
  base: string,
  { event, facts }: SignedProof,
): Promise<EnteredProof> => {
  await requireCurrentKeys(tx, transparencyLog.publicKeys)
  const { leaf_hash } = await appendLeaf(
    tx,
    { ...facts.leaf, event_id: event.id, artifact_hash: facts.artifactHash },
    clock.now(),
  )
  await proofsIn(tx).put({ id: event.id, event, schema: facts.schema, leaf_hash })
  // Only what was paid for: free first calls of new accounts would be proofs for nothing.
  if (caller && receipt) await countActs(tx, caller.id, { proofs: 1 }, clock.now())
  return { proof_id: event.id, event, leaf_hash, proof_url: `${base}/proofs/${event.id}` }
}
