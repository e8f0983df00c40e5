import { getServers } from 'node:dns'
import { isIP, isIPv6 } from 'node:net'

/** Target of a question: a resolver over UDP and TCP, or a DNS-over-HTTPS endpoint (RFC 8484). */
export type Server =
  | { kind: 'plain'; name: string; address: string; port: number; family: 4 | 6 }
  | { kind: 'https'; name: string }

const withPort = /^(?:\[([^\]]+)\]|([^:]+)):(\d{1,5})$/

/** Reads `address:port`, `[v6]:port`, a bare address (port 53) or an `https:` URL. Throws an Error for anything else. */
export const parseServer = (text: string): Server => {
  if (text.startsWith('https://') && URL.canParse(text)) return { kind: 'https', name: text }
  const match = withPort.exec(text)
  const address = match?.[1] ?? match?.[2] ?? text
  const port = Number(match?.[3] ?? 53)
  if (!isIP(address.replace(/%.*$/, '')) || port < 1 || port > 65_535) {
    throw new Error(`"${text}" is no DNS server: write address:port, [v6]:port or an https URL.`)
  }
  const family = isIPv6(address) ? 6 : 4
  return { kind: 'plain', name: serverName(address, port), address, port, family }
}

const serverName = (address: string, port: number) =>
  address.includes(':') ? `[${address}]:${port}` : `${address}:${port}`

/** The resolvers of this machine (resolv.conf), each as `address:port`; one on loopback where none is named. */
export const systemServers = (): string[] => {
  const names = getServers().map(text => parseServer(text).name)
  return names.length > 0 ? names : ['127.0.0.1:53']
}
