import type { Dns, DnsAnswer } from '../../../ports/index.ts'
import { type Answers, ask, askAll, recordsOf, types } from './answers.ts'
import { type Caa, findCaa } from './caa.ts'
import { addressOf, caaOf, hostOf, mxOf, soaOf, txtOf } from './data.ts'

const listed = (answers: Answers['answers'], caa: Caa) => ({
  A: recordsOf(answers.A, 'A').map(addressOf),
  AAAA: recordsOf(answers.AAAA, 'AAAA').map(addressOf),
  MX: recordsOf(answers.MX, 'MX')
    .map(mxOf)
    .sort((a, b) => a.priority - b.priority),
  TXT: recordsOf(answers.TXT, 'TXT').map(txtOf),
  NS: recordsOf(answers.NS, 'NS').map(hostOf),
  CNAME: recordsOf(answers.CNAME, 'CNAME').map(hostOf)[0] ?? null,
  CAA: caa.records.map(caaOf),
  SOA: recordsOf(answers.SOA, 'SOA').map(soaOf)[0] ?? null,
})

/** The aliases from the name to where its addresses are. */
const chainOf = (answer: DnsAnswer | undefined) =>
  recordsOf(answer, 'CNAME').map(record => ({
    name: record.name,
    target: hostOf(record).host,
    ttl: record.ttl,
  }))

/** The zone that a name lies in: the owner of the SOA that came with an answer. */
const zoneOf = (all: readonly DnsAnswer[]): string | undefined => {
  for (const { records, authorities } of all) {
    const soa = [...records, ...authorities].find(({ type }) => type === 'SOA')
    if (soa) return soa.name
  }
  return undefined
}

const nameServersOf = async (dns: Dns, name: string, all: Answers['answers'], signal: AbortSignal) => {
  const own = recordsOf(all.NS, 'NS')
  const zone = own.length > 0 ? undefined : zoneOf([all.SOA, all.NS, all.A].flatMap(answer => answer ?? []))
  if (zone === undefined || zone === name || zone === '' || zone === '.')
    return own.map(hostOf).map(({ host }) => host)
  const answer = await ask(dns, zone, 'NS', signal)
  return typeof answer === 'string' ? [] : recordsOf(answer, 'NS').map(record => hostOf(record).host)
}

/** NXDOMAIN is about the name: one NOERROR, whatever the type, proves that it exists (RFC 8020). */
const rcodeOf = (all: readonly DnsAnswer[]): string =>
  all.some(({ rcode }) => rcode === 'NOERROR') ? 'NOERROR' : (all[0]?.rcode ?? 'NOERROR')

/** All that the DNS says of a name. Throws a retryable `upstream` when it says nothing. */
export const lookUp = async (dns: Dns, name: string, signal: AbortSignal) => {
  const { answers, errors } = await askAll(dns, name, signal)
  const all = types.flatMap(type => answers[type] ?? [])
  const rcode = rcodeOf(all)
  const exists = rcode === 'NOERROR'
  const own = exists ? answers.CAA : undefined
  const [caa, authoritativeNs] = await Promise.all([
    findCaa(dns, name, own, signal),
    exists ? nameServersOf(dns, name, answers, signal) : [],
  ])
  if (caa.error) errors.CAA = caa.error
  const records = listed(answers, caa)
  return {
    rcode,
    exists,
    records,
    caaInheritedFrom: caa.inheritedFrom,
    cnameChain: chainOf(answers.A ?? answers.AAAA),
    nullMx: records.MX.length === 1 && records.MX[0]?.exchange === '.',
    authoritativeNs,
    dnssec: { ad: all.length > 0 && all.every(({ authentic }) => authentic) },
    resolvers: [...new Set(all.map(({ resolver }) => resolver))],
    errors,
  }
}
