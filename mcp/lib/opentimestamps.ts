import { createHash, randomBytes } from 'node:crypto'
import { keccak_256 } from '@noble/hashes/sha3'

// OpenTimestamps proofs as python-opentimestamps writes them; the parts that calendars and Bitcoin need.

const magic = Buffer.concat([
  Buffer.from('\0OpenTimestamps\0\0Proof\0', 'latin1'),
  Buffer.from('bf89e2e884e89294', 'hex'),
])
const pendingTag = '83dfe30d2ef90c8e'
const bitcoinTag = '0588960d73d71901'
const sha256Op = 0x08
const appendOp = 0xf0
const prependOp = 0xf1
const reverseOp = 0xf2
const hexlifyOp = 0xf3

type Hash = (message: Buffer) => Buffer

const native =
  (algorithm: string): Hash =>
  message =>
    createHash(algorithm).update(message).digest()

type DigestHash = { name: DigestName; bytes: number; hash: Hash }

/** The hashes of the format, by operation; a file is stamped under one of them. */
const hashes: ReadonlyMap<number, DigestHash> = new Map<number, DigestHash>([
  [0x02, { name: 'sha1', bytes: 20, hash: native('sha1') }],
  [0x03, { name: 'ripemd160', bytes: 20, hash: native('ripemd160') }],
  [0x08, { name: 'sha256', bytes: 32, hash: native('sha256') }],
  [0x67, { name: 'keccak256', bytes: 32, hash: message => Buffer.from(keccak_256(message)) }],
])

/** Hashes that a file may be stamped under. */
export type DigestName = 'sha1' | 'ripemd160' | 'sha256' | 'keccak256'

const maxDepth = 256
const maxSteps = 2000
const maxArgument = 4096

/** End of a timestamp: a calendar that will know more, a block of Bitcoin, or something that is not known here. */
export type Attestation =
  | { kind: 'pending'; url: string }
  | { kind: 'bitcoin'; height: number; merkleRoot: string }
  | { kind: 'unknown'; tag: string }

/** A message, what attests it, and what is made of it. */
export type Timestamp = {
  message: Buffer
  attestations: { attestation: Attestation; bytes: Buffer }[]
  steps: { op: Buffer; timestamp: Timestamp }[]
}

/** The bytes are no proof that is understood here. */
export class BadTimestamp extends Error {
  override readonly name = 'BadTimestamp'
}

const openReader = (bytes: Buffer) => {
  let at = 0
  const take = (count: number): Buffer => {
    if (at + count > bytes.length) throw new BadTimestamp('it breaks off')
    at += count
    return bytes.subarray(at - count, at)
  }
  const byte = (): number => take(1).readUInt8()
  const number = (): number => {
    let value = 0
    for (let scale = 1; ; scale *= 128) {
      const next = byte()
      value += (next % 128) * scale
      if (!Number.isSafeInteger(value)) throw new BadTimestamp('a number is too large')
      if (next < 128) return value
    }
  }
  const text = (max: number): Buffer => {
    const length = number()
    if (length > max) throw new BadTimestamp('a part is too long')
    return take(length)
  }
  return { take, byte, number, text, isAtEnd: () => at === bytes.length }
}

type Reader = ReturnType<typeof openReader>

const toVarint = (value: number): Buffer => {
  const bytes: number[] = []
  for (let rest = value; ; rest = Math.floor(rest / 128)) {
    const isLast = rest < 128
    bytes.push((rest % 128) + (isLast ? 0 : 128))
    if (isLast) return Buffer.from(bytes)
  }
}

const withLength = (bytes: Buffer): Buffer => Buffer.concat([toVarint(bytes.length), bytes])

const readAttestation = (tag: string, payload: Buffer, message: Buffer): Attestation => {
  const reader = openReader(payload)
  if (tag === pendingTag) return { kind: 'pending', url: reader.text(1000).toString('utf8') }
  if (tag !== bitcoinTag) return { kind: 'unknown', tag }
  if (message.length !== 32) throw new BadTimestamp('a block has a root of 32 bytes')
  return {
    kind: 'bitcoin',
    height: reader.number(),
    merkleRoot: Buffer.from(message).reverse().toString('hex'),
  }
}

const apply = (op: number, argument: Buffer, message: Buffer): Buffer => {
  if (op === appendOp) return Buffer.concat([message, argument])
  if (op === prependOp) return Buffer.concat([argument, message])
  if (op === reverseOp) return Buffer.from(message).reverse()
  if (op === hexlifyOp) return Buffer.from(message.toString('hex'))
  const { hash } = hashes.get(op) ?? {}
  if (!hash) throw new BadTimestamp(`operation ${op} is not known`)
  return hash(message)
}

const readTimestamp = (
  reader: Reader,
  message: Buffer,
  budget = { steps: maxSteps },
  depth = 0,
): Timestamp => {
  if (depth > maxDepth) throw new BadTimestamp('it is too deep')
  const timestamp: Timestamp = { message, attestations: [], steps: [] }
  const readOne = (tag: number): void => {
    if (--budget.steps < 0) throw new BadTimestamp('it has too many steps')
    if (tag === 0) {
      const name = reader.take(8)
      const payload = reader.text(8192)
      const attestation = readAttestation(name.toString('hex'), payload, message)
      timestamp.attestations.push({ attestation, bytes: Buffer.concat([name, withLength(payload)]) })
      return
    }
    const hasArgument = tag === appendOp || tag === prependOp
    const argument = hasArgument ? reader.text(maxArgument) : Buffer.alloc(0)
    const op = hasArgument ? Buffer.concat([Buffer.of(tag), withLength(argument)]) : Buffer.of(tag)
    const next = readTimestamp(reader, apply(tag, argument, message), budget, depth + 1)
    timestamp.steps.push({ op, timestamp: next })
  }
  let tag = reader.byte()
  for (; tag === 0xff; tag = reader.byte()) readOne(reader.byte())
  readOne(tag)
  return timestamp
}

const write = ({ attestations, steps }: Timestamp): Buffer => {
  const parts = [
    ...attestations.map(({ bytes }) => Buffer.concat([Buffer.of(0), bytes])),
    ...steps.map(({ op, timestamp }) => Buffer.concat([op, write(timestamp)])),
  ]
  return Buffer.concat(parts.flatMap((part, n) => (n < parts.length - 1 ? [Buffer.of(0xff), part] : [part])))
}

/** Reads what a calendar says of a message. Throws BadTimestamp. */
export const parseCalendarAnswer = (bytes: Buffer, message: Buffer): Timestamp => {
  const reader = openReader(bytes)
  const timestamp = readTimestamp(reader, message)
  if (!reader.isAtEnd()) throw new BadTimestamp('something follows it')
  return timestamp
}

/** A timestamp of a digest, by default of SHA-256, as a `.ots` file holds it. */
export const formatOts = ({
  digest = 'sha256',
  ...timestamp
}: Timestamp & { digest?: DigestName }): Buffer => {
  const [op] = [...hashes].find(([, { name }]) => name === digest) ?? [sha256Op]
  return Buffer.concat([magic, toVarint(1), Buffer.of(op), timestamp.message, write(timestamp)])
}

/** Reads a `.ots` file: the timestamp of a digest, and by which hash the file was digested. Throws BadTimestamp for anything else. */
export const parseOts = (bytes: Buffer): Timestamp & { digest: DigestName } => {
  const reader = openReader(bytes)
  if (!reader.take(Math.min(magic.length, bytes.length)).equals(magic))
    throw new BadTimestamp('it is no .ots file')
  if (reader.number() !== 1) throw new BadTimestamp('only version 1 is known')
  const digest = hashes.get(reader.byte())
  if (!digest) throw new BadTimestamp('the hash of the file is not known')
  const timestamp = readTimestamp(reader, reader.take(digest.bytes))
  if (!reader.isAtEnd()) throw new BadTimestamp('something follows it')
  return { ...timestamp, digest: digest.name }
}

/** A digest under a nonce, so that calendars do not learn it; `message` is what they get. */
export const beginTimestamp = (digest: Buffer): { timestamp: Timestamp; message: Timestamp } => {
  const nonce = randomBytes(16)
  const salted = Buffer.concat([digest, nonce])
  const message: Timestamp = {
    message: createHash('sha256').update(salted).digest(),
    attestations: [],
    steps: [],
  }
  const middle = {
    message: salted,
    attestations: [],
    steps: [{ op: Buffer.of(sha256Op), timestamp: message }],
  }
  const op = Buffer.concat([Buffer.of(appendOp), withLength(nonce)])
  return { timestamp: { message: digest, attestations: [], steps: [{ op, timestamp: middle }] }, message }
}

/** Adds what is known elsewhere of the same message. */
export const mergeTimestamp = (into: Timestamp, { attestations, steps }: Timestamp): void => {
  const isThere = (bytes: Buffer) => into.attestations.some(one => one.bytes.equals(bytes))
  into.attestations.push(...attestations.filter(({ bytes }) => !isThere(bytes)))
  for (const step of steps) {
    const same = into.steps.find(({ op }) => op.equals(step.op))
    if (same) mergeTimestamp(same.timestamp, step.timestamp)
    else into.steps.push(step)
  }
}

/** Every attestation in a timestamp, with the message that it attests. */
export const listAttestations = (
  timestamp: Timestamp,
): { attestation: Attestation; timestamp: Timestamp }[] => [
  ...timestamp.attestations.map(({ attestation }) => ({ attestation, timestamp })),
  ...timestamp.steps.flatMap(step => listAttestations(step.timestamp)),
]
