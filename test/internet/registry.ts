import { once } from 'node:events'
import { createServer, type Socket } from 'node:net'
import { resolveWith } from '../../mcp/ports/fetch/resolve.ts'
import { openRdap, type RdapSettings } from '../../mcp/ports/rdap/rdap.ts'
import type { Internet } from './internet.ts'
import { bootstrapUrl } from './rdap.ts'

/** What a WHOIS server says to a question; a function may misbehave on the socket. */
export type Says = string | ((query: string, socket: Socket) => void)

/** Plays the registries of the local internet: the RDAP port over its pages, and WHOIS servers of its own. */
export const startRegistry = async (internet: Internet, more: Partial<RdapSettings> = {}) => {
  const ports = new Map<string, number>()
  const asked: string[] = []

  /** Starts a WHOIS server under a host name, with an address of its own. */
  const whois = async (host: string, says: Says) => {
    const server = createServer(socket => {
      socket.on('error', () => {})
      socket.once('data', data => {
        const query = data.toString().trim()
        asked.push(`${host} ${query}`)
        if (typeof says === 'function') says(query, socket)
        else socket.end(says)
      })
    })
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    server.unref()
    const place = server.address()
    const address = `93.184.217.${ports.size + 1}`
    ports.set(address, typeof place === 'object' && place ? place.port : 0)
    internet.dns.zone.set(host, { A: [address] })
  }

  const { dns, fetch } = internet.ports()
  const rdap = openRdap({
    fetch,
    clock: { now: () => new Date() },
    resolve: resolveWith(dns),
    bootstrap: bootstrapUrl,
    whois: true,
    connect: (address, port) => ({ address: '127.0.0.1', port: (port === 43 && ports.get(address)) || 1 }),
    ...more,
  })
  return { rdap, whois, asked }
}
