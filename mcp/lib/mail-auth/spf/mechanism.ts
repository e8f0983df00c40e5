import { parseIp } from './ip.ts'
import { type MacroString, parseDomainSpec, type UnreadableMacro } from './macro-string.ts'
import type { Mechanism } from './policy.ts'

const cidr = /^(.*?)(?:\/(0|[1-9]\d?))?(?:\/\/(0|[1-9]\d{0,2}))?$/s
const network4 = /^([^/]*)(?:\/(0|[1-9]\d?))?$/
const network6 = /^([^/]*)(?:\/(0|[1-9]\d{0,2}))?$/

const readNetwork = (name: 'ip4' | 'ip6', value: string): Mechanism | UnreadableMacro => {
  const [version, maxPrefix, shape] =
    name === 'ip4' ? ([4, 32, network4] as const) : ([6, 128, network6] as const)
  const match = shape.exec(value)
  const network = parseIp(match?.[1] ?? '')
  if (network?.version !== version) return { why: `"${value}" is no IPv${version} network` }
  const bits = Number(match?.[2] ?? maxPrefix)
  return bits > maxPrefix
    ? { why: `/${bits} is more than an IPv${version} address has` }
    : { name, network, bits }
}

const readHosts = (name: 'a' | 'mx', rest: string): Mechanism | UnreadableMacro => {
  const [, spec = '', four = '32', six = '128'] = cidr.exec(rest) ?? []
  const [bits4, bits6] = [Number(four), Number(six)]
  if (bits4 > 32 || bits6 > 128) return { why: 'the prefix is longer than an address' }
  if (spec === '') return { name, domain: null, bits4, bits6 }
  if (!spec.startsWith(':')) return { why: `"${spec}" is no prefix length` }
  const domain = parseDomainSpec(spec.slice(1))
  return 'why' in domain ? domain : { name, domain, bits4, bits6 }
}

const readDomain = (rest: string): MacroString | UnreadableMacro =>
  rest.startsWith(':') ? parseDomainSpec(rest.slice(1)) : { why: 'it needs a colon and a domain' }

/** Reads a mechanism from its name and what follows it: `:example.com/24` of `a:example.com/24`. */
export const readMechanism = (name: string, rest: string): Mechanism | UnreadableMacro => {
  switch (name) {
    case 'all':
      return rest === '' ? { name } : { why: 'nothing may follow "all"' }
    case 'include':
    case 'exists': {
      const domain = readDomain(rest)
      return 'why' in domain ? domain : { name, domain }
    }
    case 'ptr': {
      if (rest === '') return { name, domain: null }
      const domain = readDomain(rest)
      return 'why' in domain ? domain : { name, domain }
    }
    case 'a':
    case 'mx':
      return readHosts(name, rest)
    case 'ip4':
    case 'ip6':
      return rest.startsWith(':')
        ? readNetwork(name, rest.slice(1))
        : { why: 'it needs a colon and a network' }
    default:
      return { why: `there is no mechanism "${name}"` }
  }
}
