import { sha256 } from '@noble/hashes/sha2'
import { bytesToHex, hexToBytes, utf8ToBytes } from '@noble/hashes/utils'
import canonicalize from 'canonicalize'
import { equalBytes, hashLeafBytes, verifyInclusion } from '../../../../lib/merkle-proof.ts'
import { checkEvent, type NostrEvent, readEvent, readTag } from './event.ts'
import { isSignedBy, type NoteKey, parseCheckpointBody, parseNote } from './note.ts'

// The whole verdict on a proof, without Node and without a network: the service, the command line and the page share it.

/** The kind of Nostr events that proofs are (NIP-78). */
export const proofKind = 30_078

/** Prefix of the schemas of proofs. */
const schemaPrefix = 'octagent.'

/** The form of a file that holds a proof and its way into the ledger. */
export const bundleSchema = 'octagent.proof_bundle.v1'

/** Seconds that the clock of a verifier may be behind. */
const clockSkewSec = 60

/** True when the issuer has seen what is proven with its own eyes, or a caller has told it. */
export const proofSources = ['observed', 'declared'] as const

export type ProofSource = (typeof proofSources)[number]

/** Finds a proof's source; undefined for one that names none. */
export const findSource = (payload: Readonly<Record<string, unknown>> | undefined): ProofSource | undefined =>
  proofSources.find(source => source === payload?.source)

/** A key and the time that it signed, as `/.well-known/verifier-keys.json` lists it. */
export type VerifierKey = {
  scheme: 'bip340' | 'ed25519'
  public_key: string
  valid_from: string
  valid_until: string | null
}

/** True, false, or null for what could not be checked with what was there. */
export type Check = boolean | null

export type ProofChecks = {
  id_integrity: Check
  signature_valid: Check
  is_proof_event: Check
  not_from_the_future: Check
  issued_by_listed_key: Check
  key_valid_at_the_time: Check
  expected_artifact: Check
  young_enough: Check
  decision_ref_recomputes: Check
  in_ledger: Check
  checkpoint_signed: Check
}

/** Why a proof is refused, with a stable code, in words that say what to do. */
export type Refusal = { code: string; message: string }

export type ProofVerdict = {
  valid: boolean
  checks: ProofChecks
  refusals: Refusal[]
  event: NostrEvent | undefined
  payload: Record<string, unknown> | undefined
  age_seconds: number | undefined
}

export type Expectations = {
  /** Unix seconds. */
  now: number
  /** Keys that the verifier holds for those of the issuer. Without them nobody can tell who the issuer is. */
  keys?: readonly VerifierKey[] | undefined
  artifactHash?: string | undefined
  maxAgeSeconds?: number | undefined
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const sha256Hex = (text: string): string => bytesToHex(sha256(utf8ToBytes(text)))

/** SHA-256 of the canonical JSON (RFC 8785) of a value. */
const hashCanonical = (value: unknown): string => sha256Hex(canonicalize(value) ?? '')

/** Makes a salted commitment: nobody who lacks the salt can guess its way to a short content. */
export const commit = (salt: string, value: unknown): string =>
  sha256Hex(`${salt}|${canonicalize(value) ?? ''}`)

/** The payload of a proof: its content, where that is canonical JSON of the schema that its tag names. */
const readPayload = (event: NostrEvent): Record<string, unknown> | undefined => {
  const schema = readTag(event, 'schema')
  if (event.kind !== proofKind || !schema?.startsWith(schemaPrefix)) return undefined
  let payload: unknown
  try {
    payload = JSON.parse(event.content)
  } catch {
    return undefined
  }
  if (!isRecord(payload) || payload.schema !== schema) return undefined
  return canonicalize(payload) === event.content ? payload : undefined
}

const isInPeriod = ({ valid_from, valid_until }: VerifierKey, seconds: number): boolean =>
  seconds >= Math.floor(Date.parse(valid_from) / 1000) &&
  (valid_until === null || seconds <= Math.floor(Date.parse(valid_until) / 1000))

/** Of a payload with `decision_inputs`, whether `decision_ref` is their hash; null for others. */
const recomputesDecision = ({ decision_ref, decision_inputs }: Record<string, unknown>): Check =>
  decision_ref === undefined || decision_inputs === undefined
    ? null
    : hashCanonical(decision_inputs) === decision_ref

const time = (seconds: number): string =>
  Number.isFinite(new Date(seconds * 1000).getTime())
    ? new Date(seconds * 1000).toISOString()
    : `${seconds} s`

const messages: Record<Exclude<keyof ProofChecks, 'in_ledger' | 'checkpoint_signed'>, string> = {
  id_integrity: 'The id is not the hash of the event: something in it was changed after it was signed.',
  signature_valid: 'The signature is not that of the key over the id: it was forged, cut or signed anew.',
  is_proof_event:
    'It is no proof: that is an event of kind 30078 whose content is canonical JSON of the schema in its tag.',
  not_from_the_future: 'It is dated in the future. Compare your clock with that of the issuer.',
  issued_by_listed_key: 'It is signed by a key that is not among those of the issuer.',
  key_valid_at_the_time: 'Its key was not in use at the time that it is dated.',
  expected_artifact: 'It is about another artifact than the one that you expect.',
  young_enough: 'It is older than you allow.',
  decision_ref_recomputes: 'Its decision_ref is not the hash of its decision_inputs.',
}

const uncheckedProof: ProofChecks = {
  id_integrity: null,
  signature_valid: null,
  is_proof_event: null,
  not_from_the_future: null,
  issued_by_listed_key: null,
  key_valid_at_the_time: null,
  expected_artifact: null,
  young_enough: null,
  decision_ref_recomputes: null,
  in_ledger: null,
  checkpoint_signed: null,
}

/** Checks a signed event by itself: whether it is an unchanged proof, of whom, from when, about what. */
export const checkProof = (
  value: unknown,
  { now, keys, artifactHash, maxAgeSeconds }: Expectations,
): ProofVerdict => {
  const reading = readEvent(value)
  if ('fault' in reading) {
    const [field, message] = reading.fault
    const where = field === '' ? 'event' : `event.${field}`
    return {
      valid: false,
      checks: { ...uncheckedProof, id_integrity: false },
      refusals: [{ code: 'not_an_event', message: `${where}: ${message}` }],
      event: undefined,
      payload: undefined,
      age_seconds: undefined,
    }
  }
  const { event } = reading
  const payload = readPayload(event)
  const ownKeys = keys?.filter(({ scheme, public_key }) => scheme === 'bip340' && public_key === event.pubkey)
  const isListed = ownKeys && ownKeys.length > 0
  const checks: ProofChecks = {
    ...uncheckedProof,
    ...checkEvent(event),
    is_proof_event: payload !== undefined,
    not_from_the_future: event.created_at <= now + clockSkewSec,
    issued_by_listed_key: isListed ?? null,
    key_valid_at_the_time: isListed ? ownKeys.some(key => isInPeriod(key, event.created_at)) : null,
    expected_artifact: artifactHash === undefined ? null : payload?.artifact_hash === artifactHash,
    young_enough: maxAgeSeconds === undefined ? null : now - event.created_at <= maxAgeSeconds,
    decision_ref_recomputes: payload ? recomputesDecision(payload) : null,
  }
  const refusals = Object.entries(messages)
    .filter(([name]) => checks[name as keyof ProofChecks] === false)
    .map(([name, message]) => ({
      code: name,
      message: name === 'not_from_the_future' ? `${message} It says ${time(event.created_at)}.` : message,
    }))
  return {
    valid: refusals.length === 0,
    checks,
    refusals,
    event,
    payload,
    age_seconds: now - event.created_at,
  }
}

/** A proof with its way into the ledger: what `GET /proofs/{id}` answers, and what a file for offline verification holds. */
export type ProofBundle = {
  schema: typeof bundleSchema
  event: NostrEvent
  leaf: string
  index: number
  /** Hashes from the leaf to the root of the checkpoint, in hexadecimal. */
  inclusion: string[]
  /** A signed note (C2SP tlog-checkpoint). */
  checkpoint: string
}

export const isBundle = (value: unknown): value is Record<string, unknown> =>
  isRecord(value) && value.schema === bundleSchema

const isHash = (value: unknown): value is string => typeof value === 'string' && /^[0-9a-f]{64}$/.test(value)

const refuse = (
  verdict: ProofVerdict,
  name: 'in_ledger' | 'checkpoint_signed',
  message: string,
): ProofVerdict => ({
  ...verdict,
  valid: false,
  checks: { ...verdict.checks, [name]: false },
  refusals: [...verdict.refusals, { code: name, message }],
})

const leafNames = (
  leaf: string,
  event: NostrEvent,
  payload: Record<string, unknown> | undefined,
): boolean => {
  try {
    const facts: unknown = JSON.parse(leaf)
    return isRecord(facts) && facts.event_id === event.id && facts.artifact_hash === payload?.artifact_hash
  } catch {
    return false
  }
}

/**
 * Checks a bundle: the proof, that its leaf stands in the tree of the checkpoint, and that the ledger signed that. Without
 * `ledgerKeys` the signature of the checkpoint is not checked, and `checkpoint_signed` is null.
 */
export const checkBundle = (
  bundle: Record<string, unknown>,
  expectations: Expectations & { ledgerKeys?: readonly NoteKey[] | undefined },
): ProofVerdict => {
  const verdict = checkProof(bundle.event, expectations)
  if (!verdict.event) return verdict
  const { leaf, index, inclusion, checkpoint } = bundle
  const note = typeof checkpoint === 'string' ? parseNote(checkpoint) : undefined
  const body = note && parseCheckpointBody(note.text)
  if (!note || !body) return refuse(verdict, 'in_ledger', 'The bundle has no checkpoint that can be read.')
  if (typeof leaf !== 'string' || !leafNames(leaf, verdict.event, verdict.payload))
    return refuse(verdict, 'in_ledger', 'The leaf of the bundle is that of another proof.')
  if (!Array.isArray(inclusion) || inclusion.length > 64 || !inclusion.every(isHash))
    return refuse(verdict, 'in_ledger', 'The inclusion proof must be a list of hashes in hexadecimal.')
  const path = inclusion.map(hexToBytes)
  const proof = { index: Number(index), size: body.size, path, root: body.root }
  if (!verifyInclusion(hashLeafBytes(utf8ToBytes(leaf)), proof))
    return refuse(verdict, 'in_ledger', 'The leaf does not stand in the tree of the checkpoint.')
  const proven = { ...verdict, checks: { ...verdict.checks, in_ledger: true } }
  const { ledgerKeys } = expectations
  if (!ledgerKeys) return proven
  const isSigned = ledgerKeys.some(key => key.name === body.origin && isSignedBy(note, key))
  if (!isSigned)
    return refuse(proven, 'checkpoint_signed', 'The checkpoint is not signed by the key of the ledger.')
  return { ...proven, checks: { ...proven.checks, checkpoint_signed: true } }
}

/** True when a content and its salt are what a proof committed to. */
export const opensCommitment = (commitment: string, salt: string, content: unknown): boolean =>
  equalBytes(utf8ToBytes(commit(salt, content)), utf8ToBytes(commitment))
