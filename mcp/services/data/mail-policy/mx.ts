import { z } from 'zod'
import type { Dns } from '../../../ports/dns/port.ts'
import { toHosts } from '../spf/match.ts'
import { toPrintable } from './notes.ts'
import { askName } from './query-dns.ts'

/** Destination of mail for the domain; null where the DNS did not tell. */
export const Mx = z
  .object({
    hosts: z.array(z.string()).describe('Mail servers by preference; at most 20 are shown'),
    count: z.number().int().describe('Mail servers in all'),
    null_mx: z.boolean().describe('The domain says that it takes no mail (RFC 7505)'),
    provider: z.string().nullable().describe('Mail provider, where the servers tell'),
  })
  .nullable()
  .describe('Mail servers; null when the DNS did not tell')

export type MxReport = NonNullable<z.input<typeof Mx>>

type Provider = { servers: RegExp; name: string; spf: string }

const providers: readonly Provider[] = [
  { servers: /(?:^|\.)(?:google|googlemail)\.com$/, name: 'Google Workspace', spf: '_spf.google.com' },
  { servers: /\.mail\.protection\.outlook\.com$/, name: 'Microsoft 365', spf: 'spf.protection.outlook.com' },
  { servers: /(?:^|\.)protonmail\.ch$/, name: 'Proton Mail', spf: '_spf.protonmail.ch' },
  { servers: /(?:^|\.)messagingengine\.com$/, name: 'Fastmail', spf: 'spf.messagingengine.com' },
  { servers: /(?:^|\.)mail\.icloud\.com$/, name: 'iCloud', spf: 'icloud.com' },
  { servers: /(?:^|\.)mx\.yandex\.net$/, name: 'Yandex', spf: '_spf.yandex.net' },
  { servers: /(?:^|\.)mail\.ovh\.net$/, name: 'OVHcloud', spf: 'mx.ovh.com' },
  { servers: /(?:^|\.)mailgun\.org$/, name: 'Mailgun', spf: 'mailgun.org' },
]

const findProvider = (hosts: readonly string[]): Provider | undefined =>
  providers.find(({ servers }) => hosts.some(host => servers.test(host)))

/** Include by which a domain with these mail servers would let its provider send. */
export const providerSpf = (hosts: readonly string[]): string | undefined => findProvider(hosts)?.spf

/** The mail servers of a domain. The code when the DNS did not tell. */
export const checkMx = async (
  dns: Dns,
  domain: string,
  signal: AbortSignal,
): Promise<(MxReport & { all: string[] }) | string> => {
  const answer = await askName(dns, domain, 'MX', signal)
  if (typeof answer === 'string') return answer
  const records = answer.records.filter(({ type }) => type === 'MX').map(({ data }) => data)
  const all = toHosts(records).map(host => host.toLowerCase().replace(/\.$/, ''))
  return {
    all,
    hosts: all.slice(0, 20).map(host => toPrintable(host, 253)),
    count: all.length,
    null_mx: records.length === 1 && all.length === 0,
    provider: findProvider(all)?.name ?? null,
  }
}
