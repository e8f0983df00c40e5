import { isIP } from 'node:net'
import type { Dns } from '../../../ports/dns/port.ts'
import { ask, recordsOfType } from '../dns/answers.ts'
import { toMxRecord } from '../dns/data.ts'
import { bogonRange } from '../location/range.ts'

export type MailExchange = { priority: number; exchange: string }

/**
 * Where the mail of a domain goes. `unknown`: the DNS did not say. `none`: there is nobody to give mail to; `null`: the domain
 * takes none (RFC 7505); `implicit`: no MX, but an address (RFC 5321 section 5.1); `private`: nowhere on the public internet.
 */
export type MailServers = {
  state: 'found' | 'implicit' | 'null' | 'none' | 'unresolved' | 'private' | 'no_domain' | 'unknown'
  records: MailExchange[]
  /** MX records in all; `records` holds the first 20. */
  count: number
  /** `mx_is_ip`, `mx_is_alias` (RFC 2181 section 10.3) */
  issues: string[]
  ttl: number
  /** Sources asked: `dns:` and the resolver. */
  sources: string[]
}

const maxRecords = 20
const maxChecked = 5
const maxTtl = 300

type Reach = 'reached' | 'nowhere' | 'private' | 'unknown'

/** Checks whether a host has an address for mail, and whether it is an alias. */
const probeExchange = async (
  dns: Dns,
  host: string,
  signal: AbortSignal,
): Promise<{ reach: Reach; isAlias: boolean }> => {
  const [v4, v6] = await Promise.all([ask(dns, host, 'A', signal), ask(dns, host, 'AAAA', signal)])
  const answers = [v4, v6].filter(answer => typeof answer !== 'string')
  const addresses = answers.flatMap(answer => [
    ...recordsOfType(answer, 'A'),
    ...recordsOfType(answer, 'AAAA'),
  ])
  const isAlias = answers.some(answer => recordsOfType(answer, 'CNAME').length > 0)
  if (addresses.some(({ data }) => bogonRange(String(data)) === null)) return { reach: 'reached', isAlias }
  if (answers.length < 2) return { reach: 'unknown', isAlias }
  return { reach: addresses.length > 0 ? 'private' : 'nowhere', isAlias }
}

const isLocalName = (host: string) =>
  !host.includes('.') || /\.(?:local|localdomain|internal|lan|invalid)$/.test(host)

const stateBy = (reaches: readonly Reach[], isComplete: boolean): MailServers['state'] => {
  if (reaches.includes('reached') || !isComplete) return 'found'
  if (reaches.includes('unknown')) return 'unknown'
  return reaches.includes('private') ? 'private' : 'unresolved'
}

const checkExchanges = async (dns: Dns, records: MailExchange[], signal: AbortSignal) => {
  const checks = await Promise.all(
    records.slice(0, maxChecked).map(async ({ exchange }) => {
      if (isIP(exchange))
        return {
          reach: bogonRange(exchange) ? ('private' as const) : ('reached' as const),
          issue: 'mx_is_ip',
        }
      if (isLocalName(exchange)) return { reach: 'private' as const, issue: null }
      const probe = await probeExchange(dns, exchange, signal)
      return { reach: probe.reach, issue: probe.isAlias ? 'mx_is_alias' : null }
    }),
  )
  const issues = [...new Set(checks.map(({ issue }) => issue))].filter(issue => issue !== null)
  return {
    state: stateBy(
      checks.map(one => one.reach),
      records.length <= maxChecked,
    ),
    issues,
  }
}

const implicitState: Readonly<Record<Reach, MailServers['state']>> = {
  reached: 'implicit',
  nowhere: 'none',
  private: 'private',
  unknown: 'unknown',
}

/** Finds the mail servers of a domain. What the DNS does not answer is unknown, never absent. */
export const findMailServers = async (
  dns: Dns,
  domain: string,
  signal: AbortSignal,
): Promise<MailServers> => {
  const answer = await ask(dns, domain, 'MX', signal)
  const sources = typeof answer === 'string' ? [] : [`dns:${answer.resolver}`]
  const nothing = { records: [], count: 0, issues: [], ttl: maxTtl, sources }
  if (typeof answer === 'string') return { state: 'unknown', ...nothing }
  if (answer.rcode === 'NXDOMAIN') return { state: 'no_domain', ...nothing }
  const all = recordsOfType(answer, 'MX')
    .map(toMxRecord)
    .sort((a, b) => a.priority - b.priority)
  const ttl = Math.min(maxTtl, ...all.map(record => record.ttl))
  const exchanges = all.filter(({ exchange }) => exchange !== '.')
  const count = exchanges.length
  const records = exchanges.slice(0, maxRecords).map(({ priority, exchange }) => ({ priority, exchange }))
  if (all.length > 0 && records.length === 0) return { ...nothing, state: 'null', ttl }
  if (records.length > 0)
    return { ...(await checkExchanges(dns, records, signal)), records, count, ttl, sources }
  const { reach: own } = await probeExchange(dns, domain, signal)
  return { ...nothing, state: implicitState[own] }
}
