import type { Dns, Fetch } from '../../../ports/index.ts'
import { checkDkim } from '../dkim/report.ts'
import { checkDmarc, type DmarcCheck } from '../dmarc/check.ts'
import { analyseSpf } from '../spf/analyse.ts'
import { findSpf } from '../spf/find.ts'
import { askName } from './ask.ts'
import { checkBimi } from './bimi.ts'
import { checkMtaSts } from './mta-sts.ts'
import { checkMx } from './mx.ts'
import type { Parts } from './parts.ts'
import { openQuestions, type Questions } from './questions.ts'
import { checkTlsRpt } from './tls-rpt.ts'

/** DNS questions of one call: for selectors, and for all else. */
const mostSelectors = 64
const mostOthers = 86

export type Gathered = {
  parts: Parts
  /** Name of each part that the DNS did not tell, with the code of the failure. */
  failures: Record<string, string>
  /** Asked once more by an evaluation of SPF, at no cost for what is known. */
  dns: Questions
  selectors: Questions
}

type Task = { dns: Dns; fetch: Fetch; domain: string; selector?: string | undefined; signal: AbortSignal }

/** DMARC is strict enough for logos when neither the domain nor its subdomains are left open. */
const isEligible = (dmarc: DmarcCheck | string): boolean | null => {
  if (typeof dmarc === 'string') return null
  const enforced = dmarc.effectivePolicy === 'quarantine' || dmarc.effectivePolicy === 'reject'
  return enforced && dmarc.subdomainPolicy !== 'none'
}

const checkSpf = async (dns: Dns, domain: string, signal: AbortSignal) => {
  const found = await findSpf(dns, domain, signal)
  return found.failed ?? analyseSpf(dns, domain, found, signal)
}

const isThere = async (dns: Dns, domain: string, signal: AbortSignal): Promise<boolean | null> => {
  const answers = await Promise.all((['TXT', 'MX'] as const).map(type => askName(dns, domain, type, signal)))
  const rcodes = answers.map(answer => (typeof answer === 'string' ? null : answer.rcode))
  if (rcodes.includes('NOERROR')) return true
  return rcodes.includes('NXDOMAIN') ? false : null
}

/** Asks for everything about a domain's mail at once. A part that the DNS does not tell is null. */
export const gather = async ({ dns: port, fetch, domain, selector, signal }: Task): Promise<Gathered> => {
  const dns = openQuestions(port, mostOthers, signal)
  const selectors = openQuestions(port, mostSelectors, signal)
  const spf = checkSpf(dns, domain, signal)
  const mx = checkMx(dns, domain, signal)
  const dmarc = checkDmarc(dns, domain, signal)
  const bimi = dmarc.then(checked => {
    const organization = typeof checked === 'string' ? null : checked.organizationalDomain
    return checkBimi(dns, domain, { organization, eligible: isEligible(checked) }, signal)
  })
  const mtaSts = mx.then(checked =>
    checkMtaSts({ dns, fetch }, domain, typeof checked === 'string' ? [] : checked.all, signal),
  )
  const [all, exists] = await Promise.all([
    Promise.all([
      mx,
      spf,
      dmarc,
      checkDkim(selectors, domain, selector, signal),
      mtaSts,
      checkTlsRpt(dns, domain, signal),
      bimi,
    ]),
    isThere(dns, domain, signal),
  ])
  const names = ['mx', 'spf', 'dmarc', 'dkim', 'mtaSts', 'tlsRpt', 'bimi'] as const
  const failures = Object.fromEntries(
    all.flatMap((part, index) => (typeof part === 'string' ? [[names[index], part]] : [])),
  )
  const known = <T>(part: T | string): T | null => (typeof part === 'string' ? null : part)
  const [a, b, c, d, e, f, g] = all
  return {
    parts: {
      domain,
      exists,
      mx: known(a),
      spf: known(b),
      dmarc: known(c),
      dkim: known(d),
      mtaSts: known(e),
      tlsRpt: known(f),
      bimi: known(g),
    },
    failures,
    dns,
    selectors,
  }
}
