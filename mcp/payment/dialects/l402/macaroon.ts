import { createHmac, timingSafeEqual } from 'node:crypto'

/** A macaroon: an identifier, caveats that narrow it, and the end of the chain of HMACs over both. */
export type Macaroon = { location: string; identifier: Buffer; caveats: readonly Buffer[]; signature: Buffer }

/** Fields of the second binary format (libmacaroons, `doc/format.txt`). */
const fields = { end: 0, location: 1, identifier: 2, verificationId: 4, signature: 6 }
const version = 2

const keyGenerator = 'macaroons-key-generator'

const hmac = (key: Buffer | string, data: Buffer): Buffer => createHmac('sha256', key).update(data).digest()

/** The signature of a chain: anybody can add a caveat, nobody can take one away. */
const chain = (rootKey: Buffer, identifier: Buffer, caveats: readonly Buffer[]): Buffer =>
  caveats.reduce(hmac, hmac(hmac(keyGenerator, rootKey), identifier))

const varint = (value: number): number[] =>
  value < 128 ? [value] : [(value & 127) | 128, ...varint(value >>> 7)]

const packet = (type: number, data: Buffer): Buffer =>
  Buffer.concat([Buffer.from([type, ...varint(data.length)]), data])

const end = Buffer.from([fields.end])

/** Makes a macaroon, base64 of its binary form. */
export const mintMacaroon = (
  rootKey: Buffer,
  { location, identifier, caveats }: Omit<Macaroon, 'signature'>,
): string =>
  Buffer.concat([
    Buffer.from([version]),
    packet(fields.location, Buffer.from(location)),
    packet(fields.identifier, identifier),
    end,
    ...caveats.flatMap(caveat => [packet(fields.identifier, caveat), end]),
    end,
    packet(fields.signature, chain(rootKey, identifier, caveats)),
  ]).toString('base64')

const openReader = (bytes: Buffer) => {
  let at = 1
  const readVarint = (): number => {
    let value = 0
    for (let shift = 0; shift < 21; shift += 7) {
      const byte = bytes[at++]
      if (byte === undefined) throw new Error('cut off')
      value |= (byte & 127) << shift
      if (byte < 128) return value
    }
    throw new Error('a length past all bounds')
  }
  const readPacket = (): { type: number; data: Buffer } => {
    const type = readVarint()
    if (type === fields.end) return { type, data: end }
    const length = readVarint()
    if (at + length > bytes.length) throw new Error('cut off')
    const data = bytes.subarray(at, at + length)
    at += length
    return { type, data }
  }
  /** The packets up to the end of a section, by type. */
  const readSection = (): Map<number, Buffer> => {
    const section = new Map<number, Buffer>()
    for (;;) {
      const { type, data } = readPacket()
      if (type === fields.end) return section
      section.set(type, data)
    }
  }
  return { readPacket, readSection, isDone: () => at === bytes.length }
}

const parseBytes = (bytes: Buffer): Macaroon | undefined => {
  if (bytes[0] !== version) return undefined
  const reader = openReader(bytes)
  const head = reader.readSection()
  const identifier = head.get(fields.identifier)
  if (!identifier) return undefined
  const caveats: Buffer[] = []
  for (;;) {
    const section = reader.readSection()
    if (section.size === 0) break
    const caveat = section.get(fields.identifier)
    // A caveat of a third party is discharged by another macaroon, which no client of L402 sends.
    if (!caveat || section.has(fields.verificationId)) return undefined
    caveats.push(caveat)
  }
  const { type, data: signature } = reader.readPacket()
  if (type !== fields.signature || signature.length !== 32 || !reader.isDone()) return undefined
  return { location: head.get(fields.location)?.toString('utf8') ?? '', identifier, caveats, signature }
}

/** Reads base64 or base64url of a macaroon in its second binary format; undefined for anything else. */
export const parseMacaroon = (text: string): Macaroon | undefined => {
  if (!/^[A-Za-z0-9+/_-]{1,12000}={0,2}$/.test(text)) return undefined
  try {
    return parseBytes(Buffer.from(text, 'base64'))
  } catch {
    return undefined
  }
}

/** True when a macaroon was made with a root key, whatever caveats were added since. */
export const isMadeWith = (rootKey: Buffer, { identifier, caveats, signature }: Macaroon): boolean =>
  timingSafeEqual(chain(rootKey, identifier, caveats), signature)
