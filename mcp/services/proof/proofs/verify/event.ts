import { schnorr } from '@noble/curves/secp256k1'
import { sha256 } from '@noble/hashes/sha2'
import { bytesToHex, hexToBytes, utf8ToBytes } from '@noble/hashes/utils'

/** A Nostr event as NIP-01 has it. */
export type NostrEvent = {
  id: string
  pubkey: string
  created_at: number
  kind: number
  tags: string[][]
  content: string
  sig: string
}

const hex = (length: number) => new RegExp(`^[0-9a-f]{${length}}$`)
const isHex = (value: unknown, length: number): value is string =>
  typeof value === 'string' && hex(length).test(value)

/** True when a text has no half of a surrogate pair, so that it is the same everywhere as UTF-8. */
export const isWellFormed = (text: string): boolean => !/\p{Surrogate}/u.test(text)

const isTags = (value: unknown): value is string[][] =>
  Array.isArray(value) &&
  value.length <= 100 &&
  value.every(tag => Array.isArray(tag) && tag.every(item => typeof item === 'string' && isWellFormed(item)))

const fields = ['content', 'created_at', 'id', 'kind', 'pubkey', 'sig', 'tags']

/** Why a value is no event, as `[field, sentence]`; undefined for one that has the form of one. */
const formFault = (value: Record<string, unknown>): [field: string, message: string] | undefined => {
  const strange = Object.keys(value).find(name => !fields.includes(name))
  if (strange !== undefined) return [strange.slice(0, 40), 'An event has no such field.']
  if (!isHex(value.id, 64)) return ['id', 'The id must be 64 lower-case hexadecimal digits.']
  if (!isHex(value.pubkey, 64)) return ['pubkey', 'The key must be 64 lower-case hexadecimal digits.']
  if (!isHex(value.sig, 128)) return ['sig', 'The signature must be 128 lower-case hexadecimal digits.']
  if (!Number.isSafeInteger(value.created_at) || Number(value.created_at) < 0)
    return ['created_at', 'The time must be whole Unix seconds.']
  if (!Number.isSafeInteger(value.kind) || Number(value.kind) < 0 || Number(value.kind) > 65_535)
    return ['kind', 'The kind must be a whole number from 0 to 65535.']
  if (!isTags(value.tags)) return ['tags', 'Tags must be at most 100 lists of texts.']
  if (typeof value.content !== 'string' || !isWellFormed(value.content))
    return ['content', 'The content must be a text of whole Unicode characters.']
  return undefined
}

type Reading = { event: NostrEvent } | { fault: [field: string, message: string] }

/** Reads an event from JSON, as a copy with its own fields only: nothing that hangs on the object counts. */
export const readEvent = (value: unknown): Reading => {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return { fault: ['', 'An event is a JSON object.'] }
  const record = value as Record<string, unknown>
  const fault = formFault(record)
  if (fault) return { fault }
  const { id, pubkey, created_at, kind, tags, content, sig } = record as NostrEvent
  return { event: { id, pubkey, created_at, kind, tags: tags.map(tag => [...tag]), content, sig } }
}

export type UnsignedEvent = Omit<NostrEvent, 'id' | 'sig'>

/** The id of an event: SHA-256 of its fields as NIP-01 writes them. */
export const computeEventId = ({ pubkey, created_at, kind, tags, content }: UnsignedEvent): string =>
  bytesToHex(sha256(utf8ToBytes(JSON.stringify([0, pubkey, created_at, kind, tags, content]))))

/** Checks that an event has the id it says, and that its key signed that (BIP-340). */
export const checkEvent = (event: NostrEvent): { id_integrity: boolean; signature_valid: boolean } => {
  const id = computeEventId(event)
  const isIntact = id === event.id
  return { id_integrity: isIntact, signature_valid: isIntact && verifySchnorr(event) }
}

const verifySchnorr = ({ id, pubkey, sig }: NostrEvent): boolean => {
  try {
    return schnorr.verify(hexToBytes(sig), hexToBytes(id), hexToBytes(pubkey))
  } catch {
    return false
  }
}

/** The first value of a tag. */
export const readTag = ({ tags }: Pick<NostrEvent, 'tags'>, name: string): string | undefined =>
  tags.find(([key]) => key === name)?.[1]
