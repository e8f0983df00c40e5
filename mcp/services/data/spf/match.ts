import { inNetwork, parseIp } from '../../../lib/mail-auth/spf/ip.ts'
import type { MacroString } from '../../../lib/mail-auth/spf/macro-string.ts'
import type { Mechanism } from '../../../lib/mail-auth/spf/policy.ts'
import { expandName } from './expand.ts'
import { countLookup, lookUpTerm, maxHosts, type SpfRun, SpfStop } from './run.ts'
import { isUnder, validatedNames } from './validated-names.ts'

const hasClient = async (run: SpfRun, host: string, bits: number): Promise<boolean> => {
  const addresses = await lookUpTerm(run, host, run.ip.version === 4 ? 'A' : 'AAAA')
  return addresses.some(address => {
    const network = parseIp(String(address))
    return network !== undefined && inNetwork(run.ip, network, bits)
  })
}

/** Host names of MX records by preference; the null MX (RFC 7505) names none. */
export const toHosts = (records: readonly unknown[]): string[] =>
  records
    .map(data => data as { preference?: number; exchange?: string })
    .sort((a, b) => (a.preference ?? 0) - (b.preference ?? 0))
    .flatMap(({ exchange }) =>
      exchange === undefined || exchange === '' || exchange === '.' ? [] : [exchange],
    )

const mxHasClient = async (run: SpfRun, name: string, bits: number): Promise<boolean> => {
  const hosts = toHosts(await lookUpTerm(run, name, 'MX'))
  if (hosts.length > maxHosts)
    throw new SpfStop('permerror', `${name} has more than ${maxHosts} mail servers.`)
  for (const host of hosts) if (await hasClient(run, host, bits)) return true
  return false
}

const ptrMatches = async (run: SpfRun, name: string): Promise<boolean> => {
  const names = await validatedNames(run)
  return names.some(host => isUnder(host, name.toLowerCase()))
}

/** True when the client matches a mechanism other than include. Throws `SpfStop` for failures of the DNS and limits. */
export const matchesMechanism = async (
  run: SpfRun,
  domain: string,
  mechanism: Exclude<Mechanism, { name: 'include' }>,
): Promise<boolean> => {
  if (mechanism.name === 'all') return true
  if (mechanism.name === 'ip4' || mechanism.name === 'ip6')
    return inNetwork(run.ip, mechanism.network, mechanism.bits)
  countLookup(run)
  const target = (spec: MacroString | null) => (spec ? expandName(run, domain, spec) : domain)
  const name = await target(mechanism.domain)
  switch (mechanism.name) {
    case 'ptr':
      return ptrMatches(run, name)
    case 'exists':
      return (await lookUpTerm(run, name, 'A')).length > 0
    case 'a':
      return hasClient(run, name, run.ip.version === 4 ? mechanism.bits4 : mechanism.bits6)
    case 'mx':
      return mxHasClient(run, name, run.ip.version === 4 ? mechanism.bits4 : mechanism.bits6)
  }
}
