import { afterAll, beforeAll } from 'vitest'
import type { Entry } from '../../internet/zone.ts'
import { startData } from './run.ts'

export type Intel = {
  mail: Record<string, unknown>
  web: Record<string, unknown> | null
  signals: { code: string; severity: string; text: string }[]
  parts: Record<string, { ok: boolean; ms: number; error: string | null }>
  meta: { cached: boolean; warnings: { code: string }[] }
  [field: string]: unknown
}

export const codes = ({ signals }: Intel) => signals.map(({ code }) => code)

export const web = { A: ['93.184.216.34'] }

export const inDays = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString()

/** The data service for the tests of a file, with domains under example.org, which the certificates cover. */
export const openIntel = () => {
  let data: Awaited<ReturnType<typeof startData>>
  beforeAll(async () => {
    data = await startData()
  })
  afterAll(() => data.stop())
  let made = 0
  return {
    internet: () => data.internet,
    intel: async (domain: string) => (await data.ask('domain-intel', { domain })) as unknown as Intel,

    /** A new domain with records, and names under it. */
    domain(records: Entry, names: Record<string, Entry> = {}) {
      const name = `d${++made}.example.org`
      data.internet.dns.zone.set(name, records)
      for (const [label, entry] of Object.entries(names))
        data.internet.dns.zone.set(`${label}.${name}`, entry)
      return name
    },

    page: (host: string, body: string, headers: Record<string, string> = {}, status = 200) =>
      data.internet.web.site(host, '/', {
        status,
        headers: { 'content-type': 'text/html', ...headers },
        body,
      }),

    /** What the registry says of a domain. */
    registered: (name: string, created: string, more: object = {}) =>
      data.internet.web.site('rdap.example.com', `/registry/domain/${name}`, {
        headers: { 'content-type': 'application/rdap+json' },
        body: JSON.stringify({
          ldhName: name,
          events: [
            { eventAction: 'registration', eventDate: created },
            { eventAction: 'expiration', eventDate: inDays(400) },
          ],
          ...more,
        }),
      }),
  }
}
