import type { DkimReport } from '../dkim/report.ts'
import type { DmarcCheck } from '../dmarc/check.ts'
import type { Analysis } from '../spf/analyse.ts'
import type { BimiReport } from './bimi.ts'
import type { MtaStsReport } from './mta-sts.ts'
import type { MxReport } from './mx.ts'
import type { MailServerReport } from './servers.ts'
import type { TlsRptReport } from './tls-rpt.ts'

/** All that was found out about a domain's mail. A part is null where the DNS did not tell. */
export type Parts = {
  domain: string
  /** Null when unknown. */
  exists: boolean | null
  mx: (MxReport & { all: string[] }) | null
  spf: Analysis | null
  dmarc: DmarcCheck | null
  dkim: DkimReport | null
  mta_sts: MtaStsReport | null
  tls_rpt: TlsRptReport | null
  bimi: BimiReport | null
  servers: MailServerReport[] | null
}

/** SPF says that no host sends for the domain: `v=spf1 -all`. */
const sendsNothing = ({ valid, all, policy }: Analysis): boolean =>
  valid === true &&
  all === '-all' &&
  policy?.redirect === null &&
  policy.directives[0]?.mechanism.name === 'all'

/** False when MX and SPF agree that there is no mail, true when one of them names a host, null when nothing is said. */
export const usesMail = ({ mx, spf }: Pick<Parts, 'mx' | 'spf'>): boolean | null => {
  if (mx && mx.count > 0) return true
  if (!mx || !spf) return null
  if (sendsNothing(spf)) return false
  return spf.records.length > 0 ? true : mx.null_mx ? false : null
}
