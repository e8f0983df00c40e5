import { inNetwork, parseIp, reverseName } from '../../../lib/mail-auth/spf/ip.ts'
import { maxHosts, queryData, type SpfRun, withoutDot } from './run.ts'

const pointsBack = async (run: SpfRun, name: string): Promise<boolean> => {
  const addresses = await queryData(run, name, run.ip.version === 4 ? 'A' : 'AAAA')
  if (typeof addresses === 'string') return false
  return addresses.some(address => {
    const ip = parseIp(String(address))
    return ip !== undefined && inNetwork(run.ip, ip, 128)
  })
}

const validate = async (run: SpfRun): Promise<string[]> => {
  const names = await queryData(run, reverseName(run.ip), 'PTR')
  if (typeof names === 'string') return []
  const hosts = names.slice(0, maxHosts).map(name => withoutDot(String(name)).toLowerCase())
  const agree = await Promise.all(hosts.map(name => pointsBack(run, name)))
  return hosts.filter((_, index) => agree[index])
}

/** Names of the client that have its address (RFC 7208 section 5.5): at most 10 are tried, failures are passed over. */
export const validatedNames = (run: SpfRun): Promise<string[]> => {
  run.validatedHosts ??= validate(run)
  return run.validatedHosts
}

export const isUnder = (name: string, domain: string): boolean =>
  name === domain || name.endsWith(`.${domain}`)
