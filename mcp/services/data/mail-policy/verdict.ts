import type { Parts } from './parts.ts'

export type Spoofability = 'protected' | 'partial' | 'spoofable' | 'unknown'

export type SpoofVerdict = { spoofable: boolean | null; spoofability: Spoofability; verdict: string }

const toVerdict = (spoofability: Spoofability, verdict: string): SpoofVerdict => ({
  spoofability,
  verdict,
  spoofable: spoofability === 'unknown' ? null : spoofability === 'spoofable',
})

type Dmarc = NonNullable<Parts['dmarc']>

const unenforcedReason = (domain: string, dmarc: Dmarc): string => {
  if (dmarc.errors.some(({ code }) => code === 'several_records') && dmarc.record === null)
    return `Anybody can send mail as ${domain}: it has several DMARC records, so none counts.`
  if (dmarc.record === null) return `Anybody can send mail as ${domain}: there is no DMARC record.`
  if (dmarc.effective_policy === null)
    return `Anybody can send mail as ${domain}: its DMARC record has errors that make receivers ignore it.`
  if (dmarc.test_mode && dmarc.policy !== 'none')
    return `Anybody can send mail as ${domain}: DMARC is in test mode, so nothing is stopped.`
  return `Anybody can send mail as ${domain}: the DMARC policy is none, so forged mail is at best reported.`
}

/** Names a record leaves open below the domain, for the organization's own record. */
const openBelow = (dmarc: Dmarc): string | null => {
  if (dmarc.found_at !== dmarc.organizational_domain && dmarc.organizational_domain !== null) return null
  if (dmarc.subdomain_policy === 'none') return 'its subdomains (sp=none)'
  if (dmarc.nonexistent_policy === 'none') return 'invented subdomains (np=none)'
  return null
}

/**
 * Whether strangers can send mail in the name of a domain. Only DMARC protects the From address that people see; an SPF
 * record that lets everybody pass undoes it. What the DNS did not tell is never held against the domain.
 */
export const judgeSpoofing = ({
  domain,
  spf,
  dmarc,
}: Pick<Parts, 'domain' | 'spf' | 'dmarc'>): SpoofVerdict => {
  if (spf?.authorizes_anyone)
    return toVerdict(
      'spoofable',
      `Anybody can send mail as ${domain}: its SPF record lets every host pass, and with it DMARC.`,
    )
  if (!dmarc)
    return toVerdict(
      'unknown',
      `Whether ${domain} can be forged is not known: the DNS did not tell its DMARC policy.`,
    )
  const { effective_policy: effectivePolicy } = dmarc
  if (effectivePolicy === null || effectivePolicy === 'none')
    return toVerdict('spoofable', unenforcedReason(domain, dmarc))
  if (!spf)
    return toVerdict(
      'unknown',
      `Whether ${domain} can be forged is not known: DMARC asks to ${effectivePolicy} forged mail, but the DNS did not tell its SPF record.`,
    )
  const open = openBelow(dmarc)
  const also = open ? ` Anybody can send as ${open}.` : ''
  if (effectivePolicy === 'quarantine')
    return toVerdict(
      'partial',
      `Forged mail from ${domain} goes to the spam folder: DMARC asks to quarantine it.${also}`,
    )
  if (open) return toVerdict('partial', `Forged mail from ${domain} itself is rejected.${also}`)
  if (dmarc.errors.some(({ code }) => code === 'repeated_policy'))
    return toVerdict(
      'partial',
      `Forged mail from ${domain} is rejected by receivers that read the first of its repeated DMARC tags.`,
    )
  return toVerdict(
    'protected',
    `Forged mail from ${domain} is rejected: DMARC asks receivers to refuse what fails.`,
  )
}
