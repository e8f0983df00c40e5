import type { Ip } from '../../../lib/mail-auth/spf/ip.ts'
import type { Dns, DnsType } from '../../../ports/dns/port.ts'
import { askName } from '../mail-policy/query-dns.ts'

/** One evaluation under way: who is checked, and what it has cost so far (RFC 7208 section 4.6.4). */
export type SpfRun = {
  dns: Dns
  signal: AbortSignal
  ip: Ip
  /** `local@domain`; the local part is `postmaster` where none was given. */
  sender: string
  helo: string
  receiver: string
  now: Date
  lookups: number
  voids: number
  /** Host names that PTR and address records agree on, once they were asked for. */
  validatedHosts?: Promise<string[]>
}

/** Ends an evaluation: `temperror` may pass when it is tried again, `permerror` is a fault of the record. */
export class SpfStop extends Error {
  readonly result: 'temperror' | 'permerror'

  constructor(result: 'temperror' | 'permerror', reason: string) {
    super(reason)
    this.result = result
  }
}

export const maxLookups = 10
export const maxVoids = 2
/** Hosts of one mx, and names of one address that are looked at. */
export const maxHosts = 10

/** Counts a term that asks the DNS. Throws `permerror` at the eleventh. */
export const countLookup = (run: SpfRun): void => {
  run.lookups++
  if (run.lookups > maxLookups) throw new SpfStop('permerror', `More than ${maxLookups} terms ask the DNS.`)
}

const countVoid = (run: SpfRun): void => {
  run.voids++
  if (run.voids > maxVoids) throw new SpfStop('permerror', `More than ${maxVoids} lookups found nothing.`)
}

/** True when a name can be in the DNS: labels of 1 to 63 printable characters, at most 253 in all. */
export const isName = (name: string): boolean =>
  name.length <= 253 && name.split('.').every(label => /^[ -~]{1,63}$/.test(label))

export const withoutDot = (name: string): string => name.replace(/\.$/, '')

/** The data of the records of a name; none for a name that nobody can ask for. The code when the DNS failed. */
export const queryData = async (run: SpfRun, name: string, type: DnsType): Promise<unknown[] | string> => {
  const host = withoutDot(name)
  if (!isName(host)) return []
  const answer = await askName(run.dns, host, type, run.signal)
  if (typeof answer === 'string') return answer
  return answer.records.filter(record => record.type === type).map(({ data }) => data)
}

/** As `dataOf`, for a term: throws `temperror` when the DNS failed, and counts what found nothing. */
export const lookUpTerm = async (run: SpfRun, name: string, type: DnsType): Promise<unknown[]> => {
  const data = await queryData(run, name, type)
  if (typeof data === 'string')
    throw new SpfStop('temperror', `The ${type} records of ${name} are unknown: ${data}.`)
  if (data.length === 0) countVoid(run)
  return data
}
