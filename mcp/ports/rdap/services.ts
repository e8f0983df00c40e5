import ipaddr from 'ipaddr.js'

/** The four files of IANA that tell who answers for what (RFC 9224). */
export type RegistryKind = 'dns' | 'ipv4' | 'ipv6' | 'asn'

/** Base URLs of the servers in charge of a key, best first; undefined when nobody is named. */
export type Directory = (key: string) => readonly string[] | undefined

/** Rows of a file: what is answered for, and the servers that answer. */
export type Services = Iterable<readonly [keys: readonly string[], urls: readonly string[]]>

const domains = (services: Services): Directory => {
  const serversByKey = new Map<string, readonly string[]>()
  for (const [keys, urls] of services) for (const key of keys) serversByKey.set(key.toLowerCase(), urls)
  return tld => serversByKey.get(tld)
}

type Prefix = { network: ipaddr.IPv4 | ipaddr.IPv6; bits: number; urls: readonly string[] }

const addresses = (services: Services): Directory => {
  const prefixes: Prefix[] = []
  for (const [keys, urls] of services) {
    for (const key of keys) {
      if (!ipaddr.isValidCIDR(key)) continue
      const [network, bits] = ipaddr.parseCIDR(key)
      prefixes.push({ network, bits, urls })
    }
  }
  prefixes.sort((a, b) => b.bits - a.bits)
  return key => {
    const address = ipaddr.parse(key)
    const prefix = prefixes.find(
      ({ network, bits }) => network.kind() === address.kind() && address.match([network, bits] as never),
    )
    return prefix?.urls
  }
}

const numbers = (services: Services): Directory => {
  const ranges: { from: number; to: number; urls: readonly string[] }[] = []
  for (const [keys, urls] of services) {
    for (const key of keys) {
      const [from = Number.NaN, to = from] = key.split('-').map(Number)
      if (to >= from) ranges.push({ from, to, urls })
    }
  }
  ranges.sort((a, b) => a.to - a.from - (b.to - b.from))
  return key => ranges.find(({ from, to }) => Number(key) >= from && Number(key) <= to)?.urls
}

/** Makes rows findable: a top-level domain, an address by its longest prefix, a number by its narrowest range. */
export const buildDirectory = (kind: RegistryKind, services: Services): Directory => {
  if (kind === 'dns') return domains(services)
  return kind === 'asn' ? numbers(services) : addresses(services)
}

const isText = (value: unknown): value is string => typeof value === 'string'

const webOnly = (urls: readonly string[]) =>
  urls
    .filter(url => /^https?:\/\//i.test(url) && URL.canParse(url))
    .sort((a, b) => Number(b.startsWith('https:')) - Number(a.startsWith('https:')))

/** IANA's longest file has 600. */
const maxRows = 4000

/** The rows of a bootstrap file, https first in each. Throws an Error when it is none. */
export const parseServices = (text: string): Services => {
  const { services } = JSON.parse(text) as { services?: unknown }
  if (!Array.isArray(services) || services.length === 0) throw new Error('This is no bootstrap file.')
  return services.slice(0, maxRows).flatMap((row: unknown) => {
    if (!Array.isArray(row) || !Array.isArray(row[0]) || !Array.isArray(row[1])) return []
    const urls = webOnly(row[1].filter(isText))
    return urls.length === 0 ? [] : [[row[0].filter(isText), urls] as const]
  })
}
