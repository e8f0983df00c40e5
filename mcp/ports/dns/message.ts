import { randomInt } from 'node:crypto'
import packet, { type DecodedPacket, type RecordType } from 'dns-packet'
import type { DnsAnswer, DnsRecord, DnsType } from './port.ts'
import { parseDnsRecord, typeName } from './record.ts'

/** The records of one type that answer for a name, with the CNAMEs that lead there; strays and loops are left behind. */
const followChain = (name: string, type: string, records: readonly DnsRecord[]): DnsRecord[] => {
  const aliases = new Map(
    records
      .filter(record => record.type === 'CNAME')
      .map(record => [record.name, String(record.data).toLowerCase()]),
  )
  const names = new Set<string>()
  for (let at: string | undefined = name; at !== undefined && !names.has(at); at = aliases.get(at))
    names.add(at)
  return records.filter(record => (record.type === type || record.type === 'CNAME') && names.has(record.name))
}

export type Question = { id: number; name: string; spelling: string; type: DnsType; bytes: Buffer }

/** An answer to our own question; `echoed` says that it repeats the spelling, which only who saw the question can. */
export type Reply = Pick<DnsAnswer, 'rcode' | 'authentic' | 'records' | 'authorities'> & {
  truncated: boolean
  echoed: boolean
}

/** Fields dns-packet decodes beyond its types. */
type DecodedMessage = DecodedPacket & { rcode: string; opcode: string }

const randomCase = (name: string): string =>
  name.replace(/[a-z]/g, letter => (randomInt(2) ? letter.toUpperCase() : letter))

const wireType = (type: DnsType) => (type === 'HTTPS' ? 'UNKNOWN_65' : type) as RecordType

/**
 * A query with a random id and random letter case (draft-vixie-dnsext-dns0x20); with EDNS0 it offers 1232 bytes and
 * sets DO and AD. Over HTTPS the id is 0 (RFC 8484 section 4.1).
 */
export const writeQuestion = (
  name: string,
  type: DnsType,
  shape: { edns: boolean; id?: number },
): Question => {
  const id = shape.id ?? randomInt(65_536)
  const spelling = randomCase(name)
  const opt = {
    type: 'OPT' as const,
    name: '.',
    udpPayloadSize: 1232,
    extendedRcode: 0,
    ednsVersion: 0,
    flags: packet.DNSSEC_OK,
    flag_do: true,
    options: [],
  }
  const bytes = packet.encode({
    type: 'query',
    id,
    flags: packet.RECURSION_DESIRED | packet.AUTHENTIC_DATA,
    questions: [{ type: wireType(type), name: spelling, class: 'IN' }],
    additionals: shape.edns ? [opt] : [],
  })
  return { id, name, spelling, type, bytes }
}

/** dns-packet reads past the end of a record that was cut short; the count of what it read tells. */
const decode = (bytes: Buffer): DecodedMessage | undefined => {
  try {
    const decoded = packet.decode(bytes) as DecodedMessage
    return packet.decode.bytes > bytes.length ? undefined : decoded
  } catch {
    return undefined
  }
}

const isOurs = (question: Question, decoded: DecodedMessage): boolean => {
  if (!decoded.flag_qr || decoded.opcode !== 'QUERY' || decoded.id !== question.id) return false
  const questions = decoded.questions ?? []
  const first = questions[0]
  if (!first) return decoded.rcode !== 'NOERROR' && decoded.rcode !== 'NXDOMAIN'
  return (
    questions.length === 1 &&
    first.name.toLowerCase() === question.name &&
    typeName(first.type) === question.type
  )
}

/** Reads an answer; undefined when the bytes are broken or answer another question (wrong id, name or type). */
export const readReply = (question: Question, bytes: Buffer): Reply | undefined => {
  const decoded = decode(bytes)
  if (!decoded || !isOurs(question, decoded)) return undefined
  try {
    const records = (decoded.answers ?? []).flatMap(answer => parseDnsRecord(answer) ?? [])
    return {
      rcode: decoded.rcode,
      authentic: decoded.flag_ad,
      records: followChain(question.name, question.type, records),
      authorities: (decoded.authorities ?? []).flatMap(answer => parseDnsRecord(answer) ?? []),
      truncated: decoded.flag_tc,
      echoed: decoded.questions?.[0]?.name === question.spelling,
    }
  } catch {
    return undefined
  }
}
