import packet, {
  type Answer,
  type DecodedPacket,
  type OptAnswer,
  type Packet,
  type Question,
} from 'dns-packet'
import type { Records, Zone } from './zone.ts'

const rcodes = { NOERROR: 0, SERVFAIL: 2, NXDOMAIN: 3, REFUSED: 5 }

/** dns-packet turns strings of TXT arrays into buffers in place, so it gets a copy. */
const copied = (data: unknown) => (Array.isArray(data) ? [...data] : data)

const record = (name: string, type: string, ttl: number, data: unknown) =>
  ({
    name,
    type: type === 'HTTPS' ? 'UNKNOWN_65' : type,
    ttl,
    class: 'IN',
    data: copied(data),
  }) as unknown as Answer

const recordsAt = (zone: Zone, name: string): Records | undefined => {
  const entry = zone.get(name)
  return typeof entry === 'object' ? entry : undefined
}

const soaAbove = (zone: Zone, name: string): Answer[] => {
  for (let at = name; at.includes('.'); at = at.slice(at.indexOf('.') + 1)) {
    const soa = recordsAt(zone, at)?.SOA?.[0]
    if (soa) return [record(at, 'SOA', 60, soa)]
  }
  return []
}

const collect = (zone: Zone, asked: string, type: string): Answer[] => {
  const answers: Answer[] = []
  let name = asked
  for (let step = 0; step < 8; step++) {
    const records = recordsAt(zone, name)
    const alias = records?.CNAME?.[0]
    if (typeof alias !== 'string' || type === 'CNAME') break
    answers.push(record(name, 'CNAME', records?.ttl ?? 300, alias))
    name = alias
  }
  const last = recordsAt(zone, name)
  const data = last?.[type as keyof Records]
  return Array.isArray(data)
    ? [...answers, ...data.map(one => record(name, type, last?.ttl ?? 300, one))]
    : answers
}

const opt: OptAnswer = {
  type: 'OPT',
  name: '.',
  udpPayloadSize: 1232,
  extendedRcode: 0,
  ednsVersion: 0,
  flags: 0,
  flag_do: false,
  options: [],
}

const sizeFor = (query: DecodedPacket): number => {
  const found = query.additionals?.find(additional => additional.type === 'OPT')
  return found && 'udpPayloadSize' in found ? Math.max(512, found.udpPayloadSize) : 512
}

const typeOf = (question: Question) => (String(question.type) === 'UNKNOWN_65' ? 'HTTPS' : question.type)

/** What the local server sends for one query: nothing, one message, or what a misbehaving entry makes of it. */
export const answerQuery = (zone: Zone, bytes: Buffer, transport: 'udp' | 'tcp'): Buffer[] => {
  const query = packet.decode(bytes)
  const question = query.questions?.[0]
  if (!question) return []
  const name = question.name.toLowerCase()
  const entry = zone.get(name)
  if (entry === 'SILENT') return []
  if (typeof entry === 'function') return entry(bytes, transport)

  const answers = collect(zone, name, typeOf(question))
  const rcode = typeof entry === 'string' ? entry : entry === undefined ? 'NXDOMAIN' : 'NOERROR'
  const flags =
    packet.AUTHORITATIVE_ANSWER |
    packet.RECURSION_DESIRED |
    packet.RECURSION_AVAILABLE |
    (typeof entry === 'object' && entry.authentic ? packet.AUTHENTIC_DATA : 0) |
    rcodes[rcode]
  const head: Packet = { type: 'response', id: query.id ?? 0, questions: [question], additionals: [opt] }
  const authorities =
    answers.length > 0 || rcode === 'SERVFAIL' || rcode === 'REFUSED' ? [] : soaAbove(zone, name)
  const whole = packet.encode({ ...head, flags, answers, authorities })
  if (transport === 'tcp' || whole.length <= sizeFor(query)) return [whole]
  return [packet.encode({ ...head, flags: flags | packet.TRUNCATED_RESPONSE })]
}
