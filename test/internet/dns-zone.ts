import { setMaxListeners } from 'node:events'
import type { Dns } from '../../mcp/ports/dns/port.ts'
import { opened } from '../opened.ts'
import { startInternet } from './internet.ts'
import type { Entry } from './zone.ts'

/** The DNS of an internet for a file of tests: what stands in its zone, and the port that asks it. */
export const openZone = () => {
  const internet = opened(startInternet)
  let port: Dns | undefined
  const dns: Dns = {
    query: (...question) => {
      port ??= internet.ports().dns
      return port.query(...question)
    },
  }
  const { signal } = new AbortController()
  setMaxListeners(0, signal)
  const put = (zone: Record<string, Entry>) => {
    for (const [name, entry] of Object.entries(zone)) internet.dns.zone.set(name, entry)
  }
  return { internet, dns, signal, put }
}

/** A record over 255 characters is several strings. */
export const txt = (record: string) => ({ TXT: [record.match(/.{1,255}/gs)] })
