import { createHash } from 'node:crypto'

/** The first 16 hexadecimal digits of the SHA-256 of a raw public key: short enough to be compared by eye. */
export const keyFingerprint = (publicKey: Uint8Array): string =>
  createHash('sha256').update(publicKey).digest('hex').slice(0, 16)
