import { createPublicKey, verify } from 'node:crypto'
import { keyFingerprint } from '../../../lib/key-fingerprint.ts'
import type { Ports } from '../../../ports/ports.ts'
import type { Calibration } from './calibration.ts'
import { type Signable, sha256, toCanonical } from './canonical.ts'

/** Signed content of the record at one time. */
export type Snapshot = {
  readonly type: 'octagent-forecast-snapshot/1'
  readonly as_of: string
  readonly tree_size: number
  readonly root: string
  /** SHA-256 of the canonical text of the daily snapshot before; null for the first. */
  readonly previous: string | null
  readonly calibration: Calibration
}

/** A statement with its signature, the exact text that was signed, and the key. */
export type SignedStatement = {
  readonly canonical: string
  readonly signature: string
  readonly public_key: string
  readonly key_fingerprint: string
  readonly alg: 'Ed25519'
}

/** The DER prefix of an Ed25519 public key (RFC 8410); its 32 bytes follow. */
const spki = Buffer.from('302a300506032b6570032100', 'hex')

/** The raw Ed25519 public key of this installation. */
export const readPublicKey = (sign: Ports['sign']): Buffer => Buffer.from(sign.ed25519PublicKey, 'base64url')

/** Signs a statement with Ed25519 over its canonical JSON. */
export const signStatement = (sign: Ports['sign'], statement: Signable): SignedStatement => {
  const canonical = toCanonical(statement)
  const publicKey = readPublicKey(sign)
  return {
    canonical,
    signature: Buffer.from(sign.ed25519(canonical), 'base64url').toString('base64'),
    public_key: publicKey.toString('base64'),
    key_fingerprint: keyFingerprint(publicKey),
    alg: 'Ed25519',
  }
}

/** True when a signature over a text holds under a raw Ed25519 public key; all in base64. */
export const verifySignature = (canonical: string, signature: string, publicKey: string): boolean => {
  const raw = Buffer.from(publicKey, 'base64')
  if (raw.length !== 32) return false
  const key = createPublicKey({ key: Buffer.concat([spki, raw]), format: 'der', type: 'spki' })
  return verify(null, Buffer.from(canonical), key, Buffer.from(signature, 'base64'))
}

/** A daily snapshot as it is stored; `id` is its day. */
export type SnapshotRow = SignedStatement & { id: string }

/** Hash that the next snapshot names as the one before. */
export const hashSnapshot = ({ canonical }: Pick<SignedStatement, 'canonical'>): string => sha256(canonical)

/** Reads a signed snapshot. */
export const readSnapshot = ({ canonical }: Pick<SignedStatement, 'canonical'>): Snapshot =>
  JSON.parse(canonical) as Snapshot
