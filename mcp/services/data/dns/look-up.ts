import type { Dns, DnsAnswer, DnsRecord } from '../../../ports/dns/port.ts'
import { type Answers, ask, askAll, defaultTypes, type RecordType, recordsOfType } from './answers.ts'
import {
  toAddressRecord,
  toCaaRecord,
  toDnskeyRecord,
  toDsRecord,
  toHostRecord,
  toHttpsRecord,
  toMxRecord,
  toSoaRecord,
  toSrvRecord,
  toTlsaRecord,
  toTxtRecord,
} from './data.ts'

type Caa = { records: DnsRecord[]; inheritedFrom: string | null; error?: string }

/** Parents that are asked; a name with more labels is not met outside of tests. */
const maxParents = 16

/**
 * The CAA records that hold for a name: its own, or those of the nearest parent that has any (RFC 8659 section 3). An
 * `error` tells that a parent did not answer, so that nobody knows.
 */
const findCaa = async (
  dns: Dns,
  name: string,
  own: DnsAnswer | undefined,
  signal: AbortSignal,
): Promise<Caa> => {
  const records = recordsOfType(own, 'CAA')
  if (!own || records.length > 0) return { records, inheritedFrom: null }
  const labels = name.split('.')
  for (let up = 1; up < labels.length && up <= maxParents; up++) {
    const parent = labels.slice(up).join('.')
    const answer = await ask(dns, parent, 'CAA', signal)
    if (typeof answer === 'string') return { records: [], inheritedFrom: null, error: answer }
    const parentRecords = recordsOfType(answer, 'CAA')
    if (parentRecords.length > 0) return { records: parentRecords, inheritedFrom: parent }
  }
  return { records: [], inheritedFrom: null }
}

const toRecordLists = (answers: Answers['answers'], caa: Caa) => ({
  A: recordsOfType(answers.A, 'A').map(toAddressRecord),
  AAAA: recordsOfType(answers.AAAA, 'AAAA').map(toAddressRecord),
  MX: recordsOfType(answers.MX, 'MX')
    .map(toMxRecord)
    .sort((a, b) => a.priority - b.priority),
  TXT: recordsOfType(answers.TXT, 'TXT').map(toTxtRecord),
  NS: recordsOfType(answers.NS, 'NS').map(toHostRecord),
  CNAME: recordsOfType(answers.CNAME, 'CNAME').map(toHostRecord)[0] ?? null,
  CAA: caa.records.map(toCaaRecord),
  SOA: recordsOfType(answers.SOA, 'SOA').map(toSoaRecord)[0] ?? null,
  PTR: recordsOfType(answers.PTR, 'PTR').map(toHostRecord),
  SRV: recordsOfType(answers.SRV, 'SRV').map(toSrvRecord),
  HTTPS: recordsOfType(answers.HTTPS, 'HTTPS').map(toHttpsRecord),
  TLSA: recordsOfType(answers.TLSA, 'TLSA').map(toTlsaRecord),
  DS: recordsOfType(answers.DS, 'DS').map(toDsRecord),
  DNSKEY: recordsOfType(answers.DNSKEY, 'DNSKEY').map(toDnskeyRecord),
})

/** The aliases from the name to where its addresses are, or what else was asked for. */
const toCnameChain = ({ A, AAAA, ...others }: Answers['answers']) =>
  recordsOfType(A ?? AAAA ?? Object.values(others)[0], 'CNAME').map(record => ({
    name: record.name,
    target: toHostRecord(record).host,
    ttl: record.ttl,
  }))

/** The zone that a name lies in: the owner of the SOA that came with an answer. */
const findZone = (all: readonly DnsAnswer[]): string | undefined => {
  for (const { records, authorities } of all) {
    const soa = [...records, ...authorities].find(({ type }) => type === 'SOA')
    if (soa) return soa.name
  }
  return undefined
}

const findNameServers = async (dns: Dns, name: string, all: Answers['answers'], signal: AbortSignal) => {
  const own = recordsOfType(all.NS, 'NS')
  const zone = own.length > 0 ? undefined : findZone([all.SOA, all.NS, all.A].flatMap(answer => answer ?? []))
  if (zone === undefined || zone === name || zone === '' || zone === '.')
    return own.map(toHostRecord).map(({ host }) => host)
  const answer = await ask(dns, zone, 'NS', signal)
  return typeof answer === 'string'
    ? []
    : recordsOfType(answer, 'NS').map(record => toHostRecord(record).host)
}

/** NXDOMAIN is about the name: one NOERROR, whatever the type, proves that it exists (RFC 8020). */
const combineRcodes = (all: readonly DnsAnswer[]): string =>
  all.some(({ rcode }) => rcode === 'NOERROR') ? 'NOERROR' : (all[0]?.rcode ?? 'NOERROR')

/** All that the DNS says of a name, of these types. Throws a retryable `upstream` when it says nothing. */
export const lookUpDns = async (
  dns: Dns,
  name: string,
  signal: AbortSignal,
  types: readonly RecordType[] = defaultTypes,
) => {
  const { answers, errors } = await askAll(dns, name, types, signal)
  const all = types.flatMap(type => answers[type] ?? [])
  const rcode = combineRcodes(all)
  const exists = rcode === 'NOERROR'
  const own = exists ? answers.CAA : undefined
  const asksZone = types.includes('NS') || types.includes('SOA')
  const [caa, authoritativeNs] = await Promise.all([
    findCaa(dns, name, own, signal),
    asksZone ? (exists ? findNameServers(dns, name, answers, signal) : []) : null,
  ])
  if (caa.error) errors.CAA = caa.error
  const records = toRecordLists(answers, caa)
  return {
    rcode,
    exists,
    records,
    caa_inherited_from: caa.inheritedFrom,
    cname_chain: toCnameChain(answers),
    null_mx: answers.MX ? records.MX.length === 1 && records.MX[0]?.exchange === '.' : null,
    authoritative_ns: authoritativeNs,
    dnssec: { ad: all.length > 0 && all.every(({ authentic }) => authentic) },
    resolvers: [...new Set(all.map(({ resolver }) => resolver))],
    errors,
  }
}
