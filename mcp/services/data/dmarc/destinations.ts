import { isDmarc } from '../../../lib/mail-auth/dmarc/recognise.ts'
import type { ReportUri } from '../../../lib/mail-auth/dmarc/report-uris.ts'
import type { Dns } from '../../../ports/dns/port.ts'
import { askName, askTexts } from '../mail-policy/query-dns.ts'
import { findOrganization, walkTree } from './tree-walk.ts'

export type ReportDestination = ReportUri & {
  /** Another organization receives the reports. Null when the DNS did not tell. */
  external: boolean | null
  /** The receiver agreed by a record of its own (RFC 9990 section 4); null when it is not external or unknown. */
  authorized: boolean | null
  /** Null when unknown. */
  takes_mail: boolean | null
}

/** Name where a receiver agrees to reports about a domain. */
export const agreementName = (domain: string, receiver: string): string =>
  `${domain}._report._dmarc.${receiver}`

const isExternal = async (
  dns: Dns,
  organization: string,
  receiver: string,
  signal: AbortSignal,
): Promise<boolean | null> => {
  if (receiver === organization) return false
  if (!receiver.endsWith(`.${organization}`)) return true
  const receiverOrganization = findOrganization(await walkTree(dns, receiver, signal))
  return receiverOrganization === null ? null : receiverOrganization !== organization
}

const acceptsReports = async (
  dns: Dns,
  domain: string,
  receiver: string,
  signal: AbortSignal,
): Promise<boolean | null> => {
  const name = agreementName(domain, receiver)
  if (name.length > 253) return false
  const { texts, failed } = await askTexts(dns, name, signal)
  return failed ? null : texts.some(isDmarc)
}

/** False for a name that does not exist or says by a null MX that it takes no mail (RFC 7505). */
const takesMail = async (dns: Dns, receiver: string, signal: AbortSignal): Promise<boolean | null> => {
  const answer = await askName(dns, receiver, 'MX', signal)
  if (typeof answer === 'string') return null
  if (answer.rcode === 'NXDOMAIN') return false
  const hosts = answer.records
    .filter(({ type }) => type === 'MX')
    .map(({ data }) => data as { exchange?: string })
  return hosts.length !== 1 || (hosts[0]?.exchange !== '.' && hosts[0]?.exchange !== '')
}

/** Looks whether the receiver of reports about `domain`, which belongs to `organization`, wants them and can take them. */
export const checkDestination = async (
  dns: Dns,
  { domain, organization }: { domain: string; organization: string },
  uri: ReportUri,
  signal: AbortSignal,
): Promise<ReportDestination> => {
  const receiver = uri.domain
  if (receiver === null) return { ...uri, external: null, authorized: null, takes_mail: null }
  const [external, mail] = await Promise.all([
    isExternal(dns, organization, receiver, signal),
    takesMail(dns, receiver, signal),
  ])
  const authorized = external ? await acceptsReports(dns, domain, receiver, signal) : null
  return { ...uri, external, authorized, takes_mail: mail }
}
