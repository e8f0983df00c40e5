import { schnorr } from '@noble/curves/secp256k1'
import { sha256 } from '@noble/hashes/sha2'
import { bytesToHex, hexToBytes, utf8ToBytes } from '@noble/hashes/utils'
import { isRecord } from '../../../lib/json.ts'

/** A Nostr event (NIP-01). */
export type NostrEvent = {
  id: string
  pubkey: string
  created_at: number
  kind: number
  tags: string[][]
  content: string
  sig: string
}

type Unsigned = Pick<NostrEvent, 'kind' | 'tags' | 'content' | 'created_at'>

const computeId = ({ pubkey, created_at, kind, tags, content }: Omit<NostrEvent, 'id' | 'sig'>): string =>
  bytesToHex(sha256(utf8ToBytes(JSON.stringify([0, pubkey, created_at, kind, tags, content]))))

/** The public key of a secret one, as Nostr writes it: 32 bytes, hex. */
export const toPublicKey = (secret: string): string => bytesToHex(schnorr.getPublicKey(secret))

export const signEvent = (event: Unsigned, secret: string): NostrEvent => {
  const unsigned = { ...event, pubkey: toPublicKey(secret) }
  const id = computeId(unsigned)
  return { ...unsigned, id, sig: bytesToHex(schnorr.sign(hexToBytes(id), secret)) }
}

const isTags = (value: unknown): value is string[][] =>
  Array.isArray(value) &&
  value.every(tag => Array.isArray(tag) && tag.every(item => typeof item === 'string'))

/** The event in a value, where its id and its signature hold; undefined for anything else. */
export const readSignedEvent = (value: unknown): NostrEvent | undefined => {
  if (!isRecord(value)) return undefined
  const { id, pubkey, created_at, kind, tags, content, sig } = value
  if (typeof id !== 'string' || typeof pubkey !== 'string' || typeof sig !== 'string') return undefined
  if (typeof created_at !== 'number' || typeof kind !== 'number' || typeof content !== 'string')
    return undefined
  if (!isTags(tags)) return undefined
  const event = { id, pubkey, created_at, kind, tags, content, sig }
  try {
    const isValid =
      computeId(event) === id && schnorr.verify(hexToBytes(sig), hexToBytes(id), hexToBytes(pubkey))
    return isValid ? event : undefined
  } catch {
    return undefined
  }
}
