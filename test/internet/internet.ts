import { openDns } from '../../mcp/ports/dns/dns.ts'
import type { Dns } from '../../mcp/ports/dns/port.ts'
import { openFetch } from '../../mcp/ports/fetch/fetch.ts'
import type { Fetch } from '../../mcp/ports/fetch/port.ts'
import { resolveWith } from '../../mcp/ports/fetch/resolve.ts'
import type { FetchSettings } from '../../mcp/ports/fetch/settings.ts'
import type { Tls } from '../../mcp/ports/tls/port.ts'
import { openTls, type TlsSettings } from '../../mcp/ports/tls/tls.ts'
import { authority } from './certificates.ts'
import { startDnsServer } from './dns-server.ts'
import { pages } from './pages.ts'
import { traps } from './traps.ts'
import { startWebServer, type Web } from './web-server.ts'
import { openZone, type Zone } from './zone.ts'
import { webAddress, webAddress6, zoneData } from './zone-data.ts'

export type Internet = {
  /** `server` is what openDns takes; `zone` may be changed at any time. */
  dns: { server: string; zone: Zone }
  /** `site` adds a route, and an address for a host that has none. */
  web: Pick<Web, 'port' | 'securePort' | 'site' | 'visits'>
  /** Brings the public-looking web addresses to the local server, and everything else nowhere. */
  dial: (address: string, port: number) => { address: string; port: number }
  /** The real ports over this internet, with the guard fully on. */
  ports(settings?: Partial<FetchSettings>, tls?: Partial<TlsSettings>): { dns: Dns; fetch: Fetch; tls: Tls }
  /** Mail servers of the web addresses, by the port that they listen on here. */
  mail: { port: number }
  stop(): Promise<void>
}

const loopback = '127.0.0.1'
const nowhere = { address: loopback, port: 1 }

/** Starts a DNS server and a web server on loopback that play the internet for tests. */
export const startInternet = async (): Promise<Internet> => {
  const zone = openZone(zoneData)
  const [names, web] = await Promise.all([startDnsServer(zone), startWebServer()])
  const server = `${loopback}:${names.port}`
  const closing: (() => Promise<void>)[] = []

  const site: Web['site'] = (host, path, page) => {
    if (!zone.get(host)) zone.set(host, { A: [webAddress] })
    web.site(host, path, page)
  }
  for (const [host, path, page] of pages) site(host, path, page)
  for (const [path, page] of Object.entries(traps)) site('traps.example.com', path, page)

  const mail = { port: 0 }

  const dial: Internet['dial'] = (address, port) => {
    if (address === loopback) return { address, port }
    if (address !== webAddress && address !== webAddress6) return nowhere
    if (port === 25) return mail.port === 0 ? nowhere : { address: loopback, port: mail.port }
    return { address: loopback, port: port === 443 || port === 8443 ? web.securePort : web.port }
  }

  const ports: Internet['ports'] = (settings, tlsSettings) => {
    const dns = openDns({ servers: [server], timeoutMs: 400, tries: 2 })
    const fetch = openFetch({
      resolve: resolveWith(dns),
      connect: dial,
      ca: [authority],
      userAgent: 'Octagent/test (+https://example.com/about)',
      budget: { host: 1_000_000, domain: 1_000_000, address: 1_000_000 },
      ...settings,
    })
    closing.push(fetch.close)
    const tls = openTls({
      fetch,
      preloadUrl: 'http://hsts.example.com/status?domain=',
      resolve: resolveWith(dns),
      connect: dial,
      ca: [authority],
      ...tlsSettings,
    })
    return { dns, fetch, tls }
  }

  const stop = async () => {
    await Promise.all(closing.map(close => close()))
    names.stop()
    web.stop()
  }

  return { dns: { server, zone }, web: { ...web, site }, dial, mail, ports, stop }
}
