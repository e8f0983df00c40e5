import { type NoteKey, parseNoteKey } from './note.ts'
import {
  checkBundle,
  checkProof,
  isBundle,
  opensCommitment,
  type ProofVerdict,
  type VerifierKey,
} from './proof.ts'

/** Inputs of a verifier beside the file. */
export type FileOptions = {
  /** Unix seconds. */
  now: number
  /** Text of `/.well-known/verifier-keys.json`, got over a channel that the verifier trusts. */
  keysText?: string | undefined
  /** SHA-256 of what the proof must be about. */
  artifactHash?: string | undefined
}

/** The verdict on a file, and in words what could not be checked with what was there. */
export type FileVerdict = ProofVerdict & { notes: string[] }

type Keys = { keys: VerifierKey[]; ledgerKeys: NoteKey[] }

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const parseJson = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const isKey = (value: unknown): value is VerifierKey & { verifier_key?: unknown } =>
  isRecord(value) &&
  (value.scheme === 'bip340' || value.scheme === 'ed25519') &&
  typeof value.public_key === 'string' &&
  typeof value.valid_from === 'string' &&
  (value.valid_until === null || typeof value.valid_until === 'string')

/** Undefined for what is no list of keys. */
const parseKeys = (text: string): Keys | undefined => {
  const value = parseJson(text)
  const list = isRecord(value) && Array.isArray(value.keys) ? value.keys : undefined
  if (!list?.every(isKey) || list.length === 0) return undefined
  const ledgerKeys = list
    .map(({ verifier_key }) => (typeof verifier_key === 'string' ? parseNoteKey(verifier_key) : undefined))
    .filter(key => key !== undefined)
  return { keys: list, ledgerKeys }
}

const toRefusal = (code: string, message: string): FileVerdict => ({
  ...checkProof(undefined, { now: 0 }),
  refusals: [{ code, message }],
  notes: [],
})

/** Requires a reveal to match the commitment. */
const checkReveal = (verdict: ProofVerdict, reveal: unknown): ProofVerdict => {
  if (!isRecord(reveal)) return verdict
  const commitment = verdict.payload?.commitment
  const isOpen =
    typeof commitment === 'string' &&
    typeof reveal.salt === 'string' &&
    opensCommitment(commitment, reveal.salt, reveal.content)
  if (isOpen) return verdict
  const message = 'What the file reveals is not what the proof committed to.'
  return { ...verdict, valid: false, refusals: [...verdict.refusals, { code: 'reveal', message }] }
}

/**
 * Verifies the text of a file without a network: an event, or a bundle of `GET /proofs/{id}`. Without keys it tells whether the file
 * agrees with itself, and whose key to compare.
 */
export const verifyProofFile = (text: string, { now, keysText, artifactHash }: FileOptions): FileVerdict => {
  const value = parseJson(text)
  if (value === undefined) return toRefusal('not_json', 'The file is not JSON. Was it cut off?')
  const keys = keysText === undefined ? undefined : parseKeys(keysText)
  if (keysText !== undefined && !keys)
    return toRefusal(
      'keys',
      'The keys cannot be read: save /.well-known/verifier-keys.json of the issuer as it is.',
    )
  const expectations = { now, keys: keys?.keys, artifactHash }
  const hasWay = isBundle(value)
  const verdict = hasWay
    ? checkReveal(checkBundle(value, { ...expectations, ledgerKeys: keys?.ledgerKeys }), value.reveal)
    : checkProof(value, expectations)
  const notes = [
    ...(hasWay
      ? []
      : ['Whether the ledger has it was not checked: save the file of GET /proofs/{id} to check that.']),
    ...(keys || !verdict.event
      ? []
      : [
          `Whose key it is was not checked: compare ${verdict.event.pubkey} with /.well-known/verifier-keys.json of the issuer, or give that file.`,
        ]),
  ]
  return { ...verdict, notes }
}
