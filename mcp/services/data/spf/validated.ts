import { inNetwork, readIp, reverseName } from '../../../lib/mail-auth/spf/ip.ts'
import { dataOf, mostHosts, type Run, withoutDot } from './run.ts'

const pointsBack = async (run: Run, name: string): Promise<boolean> => {
  const addresses = await dataOf(run, name, run.ip.version === 4 ? 'A' : 'AAAA')
  if (typeof addresses === 'string') return false
  return addresses.some(address => {
    const ip = readIp(String(address))
    return ip !== undefined && inNetwork(run.ip, ip, 128)
  })
}

const validate = async (run: Run): Promise<string[]> => {
  const names = await dataOf(run, reverseName(run.ip), 'PTR')
  if (typeof names === 'string') return []
  const looked = names.slice(0, mostHosts).map(name => withoutDot(String(name)).toLowerCase())
  const agree = await Promise.all(looked.map(name => pointsBack(run, name)))
  return looked.filter((_, index) => agree[index])
}

/** Names of the client that have its address (RFC 7208 section 5.5): at most 10 are tried, failures are passed over. */
export const validatedNames = (run: Run): Promise<string[]> => {
  run.validated ??= validate(run)
  return run.validated
}

export const isUnder = (name: string, domain: string): boolean =>
  name === domain || name.endsWith(`.${domain}`)
