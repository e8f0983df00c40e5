import { createHash, createPublicKey, verify } from 'node:crypto'
import type { Ports } from '../../../ports/index.ts'
import type { Calibration } from './calibration.ts'
import { type Signable, sha256, toCanonical } from './canonical.ts'

/** What is signed of the record at one time. */
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
export type Signature = {
  readonly canonical: string
  readonly signature: string
  readonly public_key: string
  readonly key_fingerprint: string
  readonly alg: 'Ed25519'
}

/** The DER prefix of an Ed25519 public key (RFC 8410); its 32 bytes follow. */
const spki = Buffer.from('302a300506032b6570032100', 'hex')

/** The first 16 hexadecimal digits of the SHA-256 of a raw public key. */
export const fingerprint = (publicKey: Buffer): string =>
  createHash('sha256').update(publicKey).digest('hex').slice(0, 16)

/** The raw Ed25519 public key of this installation. */
export const loadPublicKey = async (sign: Ports['sign']): Promise<Buffer> => {
  const { keys } = await sign.jwks()
  const key = (keys as { kid?: string; x?: string }[]).find(({ kid }) => kid === sign.ed25519Kid)
  return Buffer.from(key?.x ?? '', 'base64url')
}

/** Signs a statement with Ed25519 over its canonical JSON. */
export const signStatement = async (sign: Ports['sign'], statement: Signable): Promise<Signature> => {
  const canonical = toCanonical(statement)
  const publicKey = await loadPublicKey(sign)
  return {
    canonical,
    signature: Buffer.from(sign.ed25519(canonical), 'base64url').toString('base64'),
    public_key: publicKey.toString('base64'),
    key_fingerprint: fingerprint(publicKey),
    alg: 'Ed25519',
  }
}

/** Whether a signature over a text holds under a raw Ed25519 public key; all in base64. */
export const verifySignature = (canonical: string, signature: string, publicKey: string): boolean => {
  const raw = Buffer.from(publicKey, 'base64')
  if (raw.length !== 32) return false
  const key = createPublicKey({ key: Buffer.concat([spki, raw]), format: 'der', type: 'spki' })
  return verify(null, Buffer.from(canonical), key, Buffer.from(signature, 'base64'))
}

/** A daily snapshot as it is stored; `id` is its day. */
export type SnapshotRow = Signature & { id: string }

/** What the next snapshot names as the one before. */
export const hashSnapshot = ({ canonical }: Pick<Signature, 'canonical'>): string => sha256(canonical)
