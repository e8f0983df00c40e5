import type { Dns } from '../../../ports/dns/port.ts'
import type { Fetch } from '../../../ports/fetch/port.ts'
import type { Tls } from '../../../ports/tls/port.ts'
import { checkDkim } from '../dkim/report.ts'
import { checkDmarc, type DmarcCheck } from '../dmarc/check.ts'
import { analyseSpf } from '../spf/analyse.ts'
import { findSpf } from '../spf/find.ts'
import { checkBimi } from './bimi.ts'
import { checkMtaSts } from './mta-sts.ts'
import { checkMx } from './mx.ts'
import type { Parts } from './parts.ts'
import { openQueryBudget, type QueryBudget } from './query-budget.ts'
import { askName } from './query-dns.ts'
import { checkServers } from './servers.ts'
import { checkTlsRpt } from './tls-rpt.ts'

/** DNS questions of one call: for selectors, and for all else. */
const maxSelectorQueries = 64
const maxOtherQueries = 86

export type MailEvidence = {
  parts: Parts
  /** Name of each part that the DNS did not tell, with the code of the failure. */
  failures: Record<string, string>
  /** Asked once more by an evaluation of SPF, at no cost for what is known. */
  dns: QueryBudget
  selectors: QueryBudget
}

type Task = {
  dns: Dns
  fetch: Fetch
  tls: Tls
  domain: string
  selector?: string | undefined
  signal: AbortSignal
}

/** DMARC is strict enough for logos when neither the domain nor its subdomains are left open. */
const isEligible = (dmarc: DmarcCheck | string): boolean | null => {
  if (typeof dmarc === 'string') return null
  const isEnforced = dmarc.effective_policy === 'quarantine' || dmarc.effective_policy === 'reject'
  return isEnforced && dmarc.subdomain_policy !== 'none'
}

const checkSpf = async (dns: Dns, domain: string, signal: AbortSignal) => {
  const record = await findSpf(dns, domain, signal)
  return record.failed ?? analyseSpf(dns, domain, record, signal)
}

const domainExists = async (dns: Dns, domain: string, signal: AbortSignal): Promise<boolean | null> => {
  const answers = await Promise.all((['TXT', 'MX'] as const).map(type => askName(dns, domain, type, signal)))
  const rcodes = answers.map(answer => (typeof answer === 'string' ? null : answer.rcode))
  if (rcodes.includes('NOERROR')) return true
  return rcodes.includes('NXDOMAIN') ? false : null
}

/** Asks for everything about a domain's mail at once. A part that the DNS does not tell is null. */
export const gather = async ({
  dns: port,
  fetch,
  tls,
  domain,
  selector,
  signal,
}: Task): Promise<MailEvidence> => {
  const dns = openQueryBudget(port, maxOtherQueries, signal)
  const selectors = openQueryBudget(port, maxSelectorQueries, signal)
  const spf = checkSpf(dns, domain, signal)
  const mx = checkMx(dns, domain, signal)
  const dmarc = checkDmarc(dns, domain, signal)
  const bimi = dmarc.then(report => {
    const organization = typeof report === 'string' ? null : report.organizational_domain
    return checkBimi(dns, domain, { organization, eligible: isEligible(report) }, signal)
  })
  const mtaSts = mx.then(report =>
    checkMtaSts({ dns, fetch }, domain, typeof report === 'string' ? [] : report.all, signal),
  )
  const servers = mx.then(report =>
    typeof report === 'string' ? null : checkServers({ dns, tls }, domain, report.all, signal),
  )
  const [all, exists, mailServers] = await Promise.all([
    Promise.all([
      mx,
      spf,
      dmarc,
      checkDkim(selectors, domain, selector, signal),
      mtaSts,
      checkTlsRpt(dns, domain, signal),
      bimi,
    ]),
    domainExists(dns, domain, signal),
    servers,
  ])
  const names = ['mx', 'spf', 'dmarc', 'dkim', 'mta_sts', 'tls_rpt', 'bimi'] as const
  const failures = Object.fromEntries(
    all.flatMap((part, index) => (typeof part === 'string' ? [[names[index], part]] : [])),
  )
  const orNull = <T>(part: T | string): T | null => (typeof part === 'string' ? null : part)
  const [a, b, c, d, e, f, g] = all
  return {
    parts: {
      domain,
      exists,
      mx: orNull(a),
      spf: orNull(b),
      dmarc: orNull(c),
      dkim: orNull(d),
      mta_sts: orNull(e),
      tls_rpt: orNull(f),
      bimi: orNull(g),
      servers: mailServers,
    },
    failures,
    dns,
    selectors,
  }
}
