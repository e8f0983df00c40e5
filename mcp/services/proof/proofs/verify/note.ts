import { ed25519 } from '@noble/curves/ed25519'
import { sha256 } from '@noble/hashes/sha2'
import { bytesToHex, concatBytes, utf8ToBytes } from '@noble/hashes/utils'
import { base64 } from '@scure/base'
import { equalBytes } from '../../../../lib/merkle-proof.ts'

/** Kinds of keys of signed notes (C2SP signed-note, tlog-cosignature). */
export const noteAlgorithms = { ed25519: 1, cosignature: 4 } as const

type Algorithm = (typeof noteAlgorithms)[keyof typeof noteAlgorithms]

/** A key that notes are verified by; its text is `name+keyid+base64(algorithm, key)`. */
export type NoteKey = { name: string; algorithm: Algorithm; publicKey: Uint8Array }

const decodeBase64 = (text: string): Uint8Array | undefined => {
  try {
    return base64.decode(text)
  } catch {
    return undefined
  }
}

const typedKey = ({ algorithm, publicKey }: NoteKey): Uint8Array =>
  concatBytes(Uint8Array.of(algorithm), publicKey)

/** The four bytes that a signature names its key by. */
export const noteKeyId = (key: NoteKey): Uint8Array =>
  sha256(concatBytes(utf8ToBytes(`${key.name}\n`), typedKey(key))).subarray(0, 4)

export const formatNoteKey = (key: NoteKey): string =>
  `${key.name}+${bytesToHex(noteKeyId(key))}+${base64.encode(typedKey(key))}`

/** Undefined for what is no key of these kinds, or has another id than it says. */
export const parseNoteKey = (text: string): NoteKey | undefined => {
  const [, name, id, encoded] = /^([^\s+]+)\+([0-9a-f]{8})\+([A-Za-z0-9+/=]+)$/.exec(text) ?? []
  const bytes = encoded === undefined ? undefined : decodeBase64(encoded)
  const algorithm = Object.values(noteAlgorithms).find(value => value === bytes?.[0])
  if (name === undefined || bytes?.length !== 33 || algorithm === undefined) return undefined
  const key = { name, algorithm, publicKey: bytes.subarray(1) }
  return bytesToHex(noteKeyId(key)) === id ? key : undefined
}

/** A signature line of a note: `— name base64(keyid, signature)`. */
export type NoteSignature = { name: string; keyId: Uint8Array; signature: Uint8Array; line: string }

/** A signed note: what is signed, which ends in a line feed, and who says to have signed it. */
export type SignedNote = { text: string; signatures: NoteSignature[] }

const maxSignatures = 100

export const parseSignatureLine = (line: string): NoteSignature | undefined => {
  const [, name, encoded] = /^— (\S+) (\S+)$/.exec(line) ?? []
  const bytes = encoded === undefined ? undefined : decodeBase64(encoded)
  if (name === undefined || !bytes || bytes.length < 5 || name.includes('+')) return undefined
  return { name, keyId: bytes.subarray(0, 4), signature: bytes.subarray(4), line }
}

/** Undefined for what is no signed note. */
export const parseNote = (note: string): SignedNote | undefined => {
  const end = note.lastIndexOf('\n\n')
  // biome-ignore lint/suspicious/noControlCharactersInRegex: a note may hold none but line feeds
  if (end < 0 || !note.endsWith('\n') || /[\u0000-\u0009\u000b-\u001f]/.test(note)) return undefined
  const lines = note.slice(end + 2, -1).split('\n')
  if (lines.length > maxSignatures) return undefined
  const signatures = lines.map(parseSignatureLine)
  if (!signatures.every(signature => signature !== undefined)) return undefined
  return { text: note.slice(0, end + 1), signatures }
}

/** A signature line over the text of a note. */
export const formatSignature = (key: NoteKey, signature: Uint8Array): string =>
  `— ${key.name} ${base64.encode(concatBytes(noteKeyId(key), signature))}`

const verifyEd25519 = (signature: Uint8Array, message: string, publicKey: Uint8Array): boolean => {
  try {
    return ed25519.verify(signature, utf8ToBytes(message), publicKey, { zip215: false })
  } catch {
    return false
  }
}

/** Text a witness signs: when it saw a checkpoint, and the checkpoint (C2SP tlog-cosignature). */
export const cosignedText = (text: string, seconds: number | bigint): string =>
  `cosignature/v1\ntime ${seconds}\n${text}`

/** When a cosignature was made, in Unix seconds: the first eight of its bytes. */
export const readCosignatureTime = (signature: Uint8Array): bigint =>
  signature.subarray(0, 8).reduce((time, byte) => time * 256n + BigInt(byte), 0n)

/** True when a note is signed, or cosigned, by a key. Signatures of others say nothing. */
export const isSignedBy = ({ text, signatures }: SignedNote, key: NoteKey): boolean => {
  const id = noteKeyId(key)
  return signatures.some(({ name, keyId, signature }) => {
    if (name !== key.name || !equalBytes(keyId, id)) return false
    if (key.algorithm === noteAlgorithms.ed25519) return verifyEd25519(signature, text, key.publicKey)
    if (signature.length !== 72) return false
    const message = cosignedText(text, readCosignatureTime(signature))
    return verifyEd25519(signature.subarray(8), message, key.publicKey)
  })
}

/** Body of a checkpoint (C2SP tlog-checkpoint). */
export type CheckpointBody = { origin: string; size: number; root: Uint8Array }

export const formatCheckpointBody = ({ origin, size, root }: CheckpointBody): string =>
  `${origin}\n${size}\n${base64.encode(root)}\n`

/** Undefined for a text that is no checkpoint. */
export const parseCheckpointBody = (text: string): CheckpointBody | undefined => {
  const [origin = '', size = '', root = ''] = text.split('\n')
  const hash = decodeBase64(root)
  if (origin === '' || !/^(0|[1-9]\d{0,15})$/.test(size) || hash?.length !== 32) return undefined
  const count = Number(size)
  return Number.isSafeInteger(count) ? { origin, size: count, root: hash } : undefined
}
