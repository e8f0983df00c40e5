import { domainToASCII } from 'node:url'
import type { DnsType } from '../../mcp/ports/dns/port.ts'

/** Records of one name. TXT entries may be arrays of chunks, HTTPS entries are raw bytes. */
export type Records = { readonly [type in DnsType]?: readonly unknown[] } & {
  ttl?: number
  authentic?: boolean
}

/** A server that misbehaves: the datagrams (or TCP messages) to send for one query, as bytes. */
export type Raw = (query: Buffer, transport: 'udp' | 'tcp') => Buffer[]

export type Entry = Records | 'SERVFAIL' | 'REFUSED' | 'SILENT' | Raw

/** What the local DNS server knows; `*.` entries stand for every name below that has no entry of its own. */
export type Zone = {
  set(name: string, entry: Entry): void
  get(name: string): Entry | undefined
  delete(name: string): void
}

const ascii = (name: string) =>
  (/^[!-~]+$/.test(name) ? name : domainToASCII(name)).toLowerCase().replace(/\.$/, '')

/** A zone that starts with `entries`; names may be IDN. */
export const openZone = (entries: Readonly<Record<string, Entry>>): Zone => {
  const known = new Map(Object.entries(entries).map(([name, entry]) => [ascii(name), entry]))
  return {
    set: (name, entry) => known.set(ascii(name), entry),
    delete: name => known.delete(ascii(name)),
    get(name) {
      const key = ascii(name)
      return known.get(key) ?? known.get(key.replace(/^[^.]+/, '*'))
    },
  }
}
