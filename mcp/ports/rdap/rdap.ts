import ipaddr from 'ipaddr.js'
import { ToolError } from '../../kernel/error.ts'
import type { Clock } from '../clock/port.ts'
import { type GuardSettings, openGuard } from '../fetch/guard.ts'
import type { Fetch } from '../fetch/port.ts'
import { type Bootstrap, openBootstrap, unlistedServers } from './bootstrap.ts'
import { readNumberObject } from './network.ts'
import type { NumberRecord, Rdap, Registration } from './port.ts'
import { readWithRegistrar } from './registrar.ts'
import { askServers } from './request.ts'
import type { RegistryKind } from './services.ts'
import { notRegistered, openWhois, type Whois } from './whois/chain.ts'
import type { WhoisSettings } from './whois/connect.ts'

export type RdapSettings = GuardSettings &
  Pick<WhoisSettings, 'connect' | 'deadlineMs'> & {
    fetch: Fetch
    clock: Clock
    /** Base URL of IANA's files: `dns.json`, `ipv4.json`, `ipv6.json` and `asn.json` under it. */
    bootstrap: string
    /** True when registries without RDAP are asked over WHOIS, on port 43. */
    whois: boolean
    /** Servers that are not in IANA's files, by top-level domain. Default: those that are known. */
    unlisted?: Readonly<Record<string, string>>
  }

const parseTld = (name: string) => name.slice(name.lastIndexOf('.') + 1)

const noService = (tld: string) =>
  new ToolError('upstream', `The registry of .${tld} offers no RDAP, and WHOIS is switched off here.`, {
    retryable: false,
  })

const fromWhois = (whois: Whois | undefined, name: string, signal: AbortSignal | undefined) => {
  if (!whois) throw noService(parseTld(name))
  return whois.domain(name, signal)
}

type Registries = {
  directory: Bootstrap
  whois: Whois | undefined
  unlisted: Readonly<Record<string, string>> | undefined
}

const openWith = (fetch: Fetch, registries: Registries): Rdap => {
  const { directory, whois, unlisted } = registries

  const fromRdap = async (
    servers: readonly string[],
    name: string,
    signal?: AbortSignal,
  ): Promise<Registration> => {
    const { url, body, sources } = await askServers(fetch, servers, `domain/${encodeURIComponent(name)}`, {
      signal,
    })
    const server = new URL(url).hostname
    if (!body) return notRegistered('rdap', server, sources)
    const facts = await readWithRegistrar(fetch, { url, body }, signal)
    return { ...facts, registered: true, source: 'rdap', server, sources: [...sources, ...facts.sources] }
  }

  /** A server that is not the registry's own may just not know the top-level domain: then WHOIS has the last word. */
  const fromUnlisted = async (server: string, name: string, signal?: AbortSignal): Promise<Registration> => {
    const isOwn = new URL(server).hostname.endsWith(`.${parseTld(name)}`)
    try {
      const registration = await fromRdap([server], name, signal)
      if (registration.registered || isOwn) return registration
    } catch (error) {
      if (!whois || signal?.aborted) throw error
    }
    return fromWhois(whois, name, signal)
  }

  const number = async (
    kind: RegistryKind,
    key: string,
    path: string,
    signal?: AbortSignal,
  ): Promise<NumberRecord | null> => {
    const servers = await directory.find(kind, key)
    if (!servers) return null
    const { url, body, sources } = await askServers(fetch, servers, path, { signal })
    return body && readNumberObject({ url, body }, sources)
  }

  return {
    async domain(domain, { signal } = {}) {
      const name = domain.toLowerCase()
      const servers = await directory.find('dns', parseTld(name))
      if (servers) return fromRdap(servers, name, signal)
      const other = (unlisted ?? unlistedServers())[parseTld(name)]
      return other === undefined ? fromWhois(whois, name, signal) : fromUnlisted(other, name, signal)
    },
    ip(address, { signal } = {}) {
      const kind = ipaddr.parse(address).kind()
      return number(kind, address, `ip/${address}`, signal)
    },
    autnum(asn, { signal } = {}) {
      return number('asn', String(asn), `autnum/${asn}`, signal)
    },
    forCall: turn => openWith(fetch.forCall?.(turn) ?? fetch, registries),
  }
}

/** Opens the registries of the world. Each call is answered by the registry in charge, never from a list of our own. */
export const openRdap = (settings: RdapSettings): Rdap => {
  const { fetch, clock, unlisted } = settings
  const directory = openBootstrap({ fetch, clock, url: settings.bootstrap })
  const whois = settings.whois ? openWhois({ ...settings, guard: openGuard(settings) }) : undefined
  return openWith(fetch, { directory, whois, unlisted })
}
