import { isIP } from 'node:net'
import type { Answer } from 'dns-packet'
import type { DnsRecord } from './port.ts'
import { readSvcb } from './svcb.ts'

const isText = (data: unknown): data is (Buffer | string) | (Buffer | string)[] =>
  typeof data === 'string' || Buffer.isBuffer(data) || Array.isArray(data)

const joinText = (data: Buffer | string | (Buffer | string)[]): string =>
  Buffer.concat([data].flat().map(chunk => Buffer.from(chunk))).toString()

/** Bytes inside a record as zone files print them: base64 for keys, hex for the rest. */
const printable = (type: string, data: object): object =>
  Object.fromEntries(
    Object.entries(data).map(([key, value]) => [
      key,
      Buffer.isBuffer(value) ? value.toString(type === 'DNSKEY' ? 'base64' : 'hex') : value,
    ]),
  )

const families: Readonly<Record<string, number>> = { A: 4, AAAA: 6 }

const readData = (type: string, data: unknown): unknown => {
  const family = families[type]
  if (family && isIP(String(data)) !== family) throw new RangeError(`The ${type} record holds no address.`)
  if (type === 'TXT' && isText(data)) return joinText(data)
  if (type === 'HTTPS' && Buffer.isBuffer(data)) return readSvcb(data)
  if (Buffer.isBuffer(data)) return data.toString('hex')
  if (typeof data === 'object' && data !== null) return printable(type, data)
  return data
}

/** dns-packet has no name for type 65, which is HTTPS (RFC 9460). */
export const typeName = (type: string): string => (type === 'UNKNOWN_65' ? 'HTTPS' : type)

/** A record of an answer; undefined for OPT, which is no data. Throws when its bytes are broken. */
export const parseDnsRecord = (answer: Answer): DnsRecord | undefined => {
  if (answer.type === 'OPT' || !('data' in answer)) return undefined
  const type = typeName(answer.type)
  const ttl = 'ttl' in answer ? (answer.ttl ?? 0) : 0
  return { name: answer.name.toLowerCase(), type, ttl, data: readData(type, answer.data) }
}
