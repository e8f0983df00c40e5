import { createPublicKey, type KeyObject } from 'node:crypto'
import type { Note } from '../../note.ts'
import { parseTags, type Tag, tagValue } from '../tags.ts'

/** A DKIM key record (RFC 6376 section 3.6.1, RFC 8463). `keyType` is what `k` says; `bits` is null when it cannot be read. */
export type DkimKey = {
  keyType: string
  bits: number | null
  valid: boolean
  revoked: boolean
  testing: boolean
  strict: boolean
  hashes: string[]
  services: string[]
  issues: Note[]
}

/** True when a TXT record at a selector is meant as a key: it has the version or a key tag. */
export const isKeyRecord = (text: string): boolean =>
  /^\s*v\s*=\s*DKIM1\b/i.test(text) || /(?:^|;)\s*[pk]\s*=/i.test(text)

const issue = (code: string, message: string): Note => ({ code, message })

const readList = (tags: readonly Tag[], name: string): string[] =>
  (tagValue(tags, name) ?? '')
    .toLowerCase()
    .split(':')
    .map(item => item.trim())
    .filter(item => item !== '')

/** RSA keys come as SubjectPublicKeyInfo, as everybody publishes them, or as bare RSAPublicKey, as the standard says. */
const readRsa = (der: Buffer): KeyObject | undefined => {
  for (const type of ['spki', 'pkcs1'] as const) {
    try {
      return createPublicKey({ key: der, format: 'der', type })
    } catch {}
  }
  return undefined
}

const rsaBits = (der: Buffer): { bits: number | null; issues: Note[] } => {
  const key = readRsa(der)
  const bits = key?.asymmetricKeyType === 'rsa' ? (key.asymmetricKeyDetails?.modulusLength ?? null) : null
  if (bits === null)
    return { bits, issues: [issue('bad_key', 'The key cannot be read as an RSA public key.')] }
  if (bits < 1024)
    return {
      bits,
      issues: [issue('broken_key', `${bits} bits are broken; receivers must refuse them (RFC 8301).`)],
    }
  if (bits < 2048)
    return { bits, issues: [issue('weak_key', `${bits} bits are weak; 2048 are recommended (RFC 8301).`)] }
  return { bits, issues: [] }
}

const ed25519Bits = (der: Buffer): { bits: number | null; issues: Note[] } =>
  der.length === 32
    ? { bits: 256, issues: [] }
    : {
        bits: null,
        issues: [issue('bad_key', 'An ed25519 key has 32 bytes, without any wrapping (RFC 8463).')],
      }

const measureKey = (keyType: string, text: string): { bits: number | null; issues: Note[] } => {
  const base64 = text.replace(/\s+/g, '')
  if (base64 === '') return { bits: null, issues: [issue('revoked', 'The key is empty: it was revoked.')] }
  if (!/^[a-z0-9+/]+={0,2}$/i.test(base64))
    return { bits: null, issues: [issue('bad_key', 'The key is not in base64.')] }
  const der = Buffer.from(base64, 'base64')
  if (keyType === 'rsa') return rsaBits(der)
  if (keyType === 'ed25519') return ed25519Bits(der)
  return {
    bits: null,
    issues: [issue('unknown_key_type', `Receivers do not know the key type "${keyType.slice(0, 30)}".`)],
  }
}

const faults = new Set([
  'bad_key',
  'broken_key',
  'no_key',
  'unknown_key_type',
  'bad_version',
  'repeated_tag',
  'sha1_only',
  'not_for_mail',
])

const about = (tags: readonly Tag[], repeated: readonly string[]): Note[] => {
  const version = tagValue(tags, 'v')
  const hashes = readList(tags, 'h')
  const services = readList(tags, 's')
  return [
    ...(version !== undefined && (version !== 'DKIM1' || tags[0]?.name !== 'v')
      ? [issue('bad_version', 'v must be DKIM1 and come first.')]
      : []),
    ...(repeated.length > 0
      ? [issue('repeated_tag', `Tags stand more than once: ${repeated.join(', ').slice(0, 60)}.`)]
      : []),
    ...(hashes.length > 0 && !hashes.includes('sha256')
      ? [issue('sha1_only', 'Without sha256 no signature is accepted (RFC 8301).')]
      : []),
    ...(services.length > 0 && !services.includes('*') && !services.includes('email')
      ? [issue('not_for_mail', 'The key is not meant for mail.')]
      : []),
    ...(tags.some(({ name }) => name === 'g') ? [issue('old_tag', 'g is no longer used (RFC 6376).')] : []),
  ]
}

/** Reads a key record. Never throws; what is wrong is in `issues`. */
export const parseKey = (text: string): DkimKey => {
  const { tags, repeated } = parseTags(text)
  const keyType = (tagValue(tags, 'k') || 'rsa').toLowerCase()
  const p = tagValue(tags, 'p')
  const flags = readList(tags, 't')
  const { bits, issues } =
    p === undefined ? { bits: null, issues: [issue('no_key', 'There is no p tag.')] } : measureKey(keyType, p)
  const testing = flags.includes('y')
  const all = [
    ...issues,
    ...about(tags, repeated),
    ...(testing ? [issue('testing', 't=y: receivers treat the mail as if it was not signed.')] : []),
  ]
  const revoked = p !== undefined && p.replace(/\s+/g, '') === ''
  return {
    keyType,
    bits,
    valid: !revoked && !all.some(({ code }) => faults.has(code)),
    revoked,
    testing,
    strict: flags.includes('s'),
    hashes: readList(tags, 'h'),
    services: readList(tags, 's'),
    issues: all,
  }
}
