import { ToolError } from '../../../kernel/error.ts'
import type { Clock } from '../../clock/port.ts'
import type { Registration } from '../port.ts'
import { askWhois, type WhoisSettings } from './connect.ts'
import { mergeFacts, parseWhois, type Reading } from './read.ts'

export type Whois = {
  /** Asks for a domain. Throws `invalid_input` when its top-level domain does not exist, else `upstream`. */
  domain(name: string, signal?: AbortSignal): Promise<Registration>
}

const root = 'whois.iana.org'
const maxServers = 3
const cacheMs = 24 * 3_600_000

/** Questions that some registries want in a form of their own. */
const forms: Readonly<Record<string, (name: string) => string>> = {
  'whois.denic.de': name => `-T dn,ace ${name}`,
  'whois.jprs.jp': name => `${name}/e`,
  'whois.punktum.dk': name => `--show-handles ${name}`,
  'whois.verisign-grs.com': name => `domain ${name}`,
  'whois.nic.name': name => `domain = ${name}`,
}

const unknownDomain = (tld: string) =>
  new ToolError('invalid_input', `There is no top-level domain .${tld}.`, {
    issues: [{ path: 'domain', message: `must be under a top-level domain that exists; .${tld} does not` }],
  })

const sorry = (server: string, kind: Exclude<Reading['kind'], 'found' | 'absent'>) => {
  const isBusy = kind === 'busy'
  return new ToolError(
    'upstream',
    `The WHOIS server ${server} ${isBusy ? 'asks for a pause between questions' : 'gave an answer that cannot be read'}.`,
    {
      retryable: isBusy,
      ...(isBusy && { retryAfter: 60 }),
      hint: 'Whether it is registered is not known.',
    },
  )
}

const silentRegistry = (tld: string) =>
  new ToolError('upstream', `The registry of .${tld} offers neither RDAP nor WHOIS.`, {
    retryable: false,
    hint: `Ask at the web site of the registry: https://www.iana.org/domains/root/db/${tld}.html`,
  })

const nothing = {
  created: null,
  updated: null,
  expires: null,
  registrar: null,
  status: [],
  nameservers: [],
  dnssec: null,
  redacted: null,
  registrant: null,
} as const satisfies Partial<Registration>

/** A domain that is not registered. */
export const notRegistered = (
  source: Registration['source'],
  server: string,
  servers: string[],
): Registration => ({
  ...nothing,
  status: [],
  nameservers: [],
  registered: false,
  source,
  server,
  sources: servers,
  notes: [],
})

const cutNote = {
  code: 'whois_cut',
  message: 'The WHOIS answer is longer than 64 KB; its beginning was read.',
}

/** Opens WHOIS: IANA names the registry's server, which may refer to the registrar's. At most three servers are asked. */
export const openWhois = (settings: WhoisSettings & { clock: Clock }): Whois => {
  const { clock } = settings
  const servers = new Map<string, { host: string; until: number }>()

  const serverFor = async (tld: string, signal: AbortSignal | undefined): Promise<string> => {
    const cachedServer = servers.get(tld)
    if (cachedServer && cachedServer.until > clock.now().getTime()) return cachedServer.host
    const { text } = await askWhois(settings, root, tld, signal)
    const host = /^(?:refer|whois):[ \t]*([a-z0-9.-]+\.[a-z0-9-]+)[ \t]*$/im.exec(text)?.[1]?.toLowerCase()
    if (!host && /returned 0 objects/i.test(text)) throw unknownDomain(tld)
    if (!host && /^domain:/im.test(text)) throw silentRegistry(tld)
    if (!host) throw sorry(root, 'unclear')
    if (servers.size > 2000) servers.clear()
    servers.set(tld, { host, until: clock.now().getTime() + cacheMs })
    return host
  }

  const ask = async (host: string, name: string, signal: AbortSignal | undefined) => {
    const { text, truncated } = await askWhois(settings, host, forms[host]?.(name) ?? name, signal)
    return { reading: parseWhois(text), truncated }
  }

  return {
    async domain(name, signal) {
      const host = await serverFor(name.slice(name.lastIndexOf('.') + 1), signal)
      const servers = [root, host]
      const { reading, truncated } = await ask(host, name, signal)
      const urls = () => servers.map(one => `whois://${one}`)
      if (reading.kind === 'absent') return notRegistered('whois', host, urls())
      if (reading.kind !== 'found') throw sorry(host, reading.kind)
      const { referral } = reading
      let { facts } = reading
      if (referral && !servers.includes(referral) && servers.length < maxServers) {
        servers.push(referral)
        const further = await ask(referral, name, signal).catch(() => undefined)
        if (further?.reading.kind === 'found') facts = mergeFacts(facts, further.reading.facts)
      }
      return {
        ...facts,
        registered: true,
        source: 'whois',
        server: host,
        sources: urls(),
        notes: truncated ? [cutNote] : [],
      }
    },
  }
}
