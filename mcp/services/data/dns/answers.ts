import { ToolError } from '../../../kernel/error.ts'
import type { Dns, DnsAnswer, DnsRecord, DnsType } from '../../../ports/dns/port.ts'

/** Types asked about a domain unless others are named. */
export const defaultTypes = [
  'A',
  'AAAA',
  'MX',
  'TXT',
  'NS',
  'CNAME',
  'CAA',
  'SOA',
] as const satisfies DnsType[]

export const recordTypes = [
  ...defaultTypes,
  'PTR',
  'SRV',
  'HTTPS',
  'TLSA',
  'DS',
  'DNSKEY',
] as const satisfies DnsType[]

export type RecordType = (typeof recordTypes)[number]

/** Result of each question: an answer, or the code of what went wrong. */
export type Answers = {
  answers: Partial<Record<RecordType, DnsAnswer>>
  errors: Partial<Record<RecordType, string>>
}

const isAnswer = ({ rcode }: DnsAnswer) => rcode === 'NOERROR' || rcode === 'NXDOMAIN'

/** The answer, or the code of what went wrong: `SERVFAIL`, `REFUSED`, …, or `TIMEOUT` when no server answered. */
export const ask = async (
  dns: Dns,
  name: string,
  type: DnsType,
  signal: AbortSignal,
): Promise<DnsAnswer | string> => {
  try {
    const answer = await dns.query(name, type, { signal })
    return isAnswer(answer) ? answer : answer.rcode
  } catch (error) {
    if (!(error instanceof ToolError) || error.code !== 'upstream') throw error
    return 'TIMEOUT'
  }
}

/** Asks for several types at once. Throws `upstream` when not one question was answered. */
export const askAll = async (
  dns: Dns,
  name: string,
  types: readonly RecordType[],
  signal: AbortSignal,
): Promise<Answers> => {
  const results = await Promise.all(
    types.map(async type => ({ type, got: await ask(dns, name, type, signal) })),
  )
  const all: Answers = { answers: {}, errors: {} }
  for (const { type, got } of results) {
    if (typeof got === 'string') all.errors[type] = got
    else all.answers[type] = got
  }
  if (Object.keys(all.answers).length > 0) return all
  const codes = [...new Set(Object.values(all.errors))].join(', ')
  throw new ToolError('upstream', `The DNS servers gave no answer about ${name} (${codes}).`, {
    hint: 'Whether the domain exists is not known. Retry in a moment.',
  })
}

export const recordsOfType = (answer: DnsAnswer | undefined, type: RecordType): DnsRecord[] =>
  answer?.records.filter(record => record.type === type) ?? []
