import type { DomainFindings } from './inspect-domain.ts'
import { parkedBy } from './name-servers.ts'

export type Signal = { code: string; severity: 'high' | 'medium' | 'low' | 'info'; text: string }

const newDays = 30
const youngDays = 180

const signal = (severity: Signal['severity'], code: string, text: string): Signal => ({
  code,
  severity,
  text,
})

const nameSignals = ({ dns, own, www, wildcard }: DomainFindings): Signal[] => {
  const signals: Signal[] = []
  if (dns && !dns.exists) signals.push(signal('high', 'no_such_domain', 'The DNS knows no such name.'))
  else if (own === false && www === true)
    signals.push(signal('low', 'www_only', 'Only www has an address, the domain itself has none.'))
  else if (own === false)
    signals.push(signal('info', 'no_address', 'The domain has no address, so no web site.'))
  if (wildcard) signals.push(signal('low', 'wildcard_dns', 'Any name under the domain has an address.'))
  return signals
}

const mailSignals = ({ mail, dns, own }: DomainFindings): Signal[] => {
  const signals: Signal[] = []
  if (mail?.exists !== false && mail?.spoofability === 'spoofable')
    signals.push(signal('high', 'spoofable', 'Strangers can send mail in its name.'))
  if (mail?.exists !== false && mail?.spoofability === 'partial')
    signals.push(signal('medium', 'partly_spoofable', 'Forged mail in its name may get through in part.'))
  const mx = mail?.mx
  if (mx?.null_mx) signals.push(signal('info', 'takes_no_mail', 'It says that it takes no mail (null MX).'))
  else if (mx && mx.count === 0 && dns?.exists)
    signals.push(signal('info', 'no_mx', 'It names no mail servers.'))
  else if (mx && mx.count > 0 && own === false)
    signals.push(signal('info', 'mail_only', 'It is used for mail and has no address of its own.'))
  return signals
}

const siteSignals = ({ site, dns, metadata }: DomainFindings, domain: string): Signal[] => {
  if (!site) return []
  const { fetched, httpsFailure } = site
  const signals: Signal[] = []
  const https = fetched.url.startsWith('https:')
  if (httpsFailure !== null)
    signals.push(signal('high', 'https_fails', `https does not work: ${httpsFailure}`))
  else if (!https) signals.push(signal('high', 'leaves_https', 'The https address leads to http.'))
  else if (!fetched.hops.at(-1)?.headers['strict-transport-security'])
    signals.push(signal('low', 'no_hsts', 'No HSTS keeps browsers on https.'))
  const isWalled = fetched.headers['cf-mitigated'] !== undefined
  if (isWalled) signals.push(signal('info', 'bot_wall', 'The site answers programs with a check for robots.'))
  else if (fetched.status >= 400)
    signals.push(signal('medium', 'web_error', `The site answers ${fetched.status}.`))
  const { hostname } = new URL(fetched.url)
  if (hostname !== domain && hostname !== `www.${domain}` && !`.${hostname}`.endsWith(`.${domain}`))
    signals.push(signal('info', 'leads_elsewhere', `The site leads to ${hostname}.`))
  const pageText = { title: null, description: null, ...metadata, url: fetched.url }
  const parkingService = parkedBy(dns?.authoritative_ns ?? [], pageText)
  if (parkingService) signals.push(signal('medium', 'parked', `It looks parked: ${parkingService}.`))
  return signals
}

const holdFlags = new Set(['on_hold', 'redemption', 'pending_delete'])

const registrationSignals = ({ registration, dns }: DomainFindings): Signal[] => {
  if (!registration) return []
  const { registered, age_days: ageDays, flags, days_to_expiry: daysToExpiry } = registration
  const signals: Signal[] = []
  if (!registered) {
    if (dns?.exists !== true)
      signals.push(signal('high', 'not_registered', 'The registry knows no such domain.'))
    return signals
  }
  if (ageDays !== null && ageDays < newDays)
    signals.push(signal('medium', 'newly_registered', `It was registered ${ageDays} days ago.`))
  else if (ageDays !== null && ageDays < youngDays)
    signals.push(signal('low', 'young', `It was registered ${ageDays} days ago.`))
  if (registration.dnssec === false)
    signals.push(signal('info', 'no_dnssec', 'The domain is not signed with DNSSEC.'))
  if (flags.includes('expired')) signals.push(signal('high', 'expired', 'Its registration has expired.'))
  else if (flags.includes('expiring'))
    signals.push(signal('medium', 'expiring', `Its registration ends in ${daysToExpiry} days.`))
  if (flags.some(flag => holdFlags.has(flag)))
    signals.push(
      signal(
        'high',
        'on_hold',
        `The registry holds it: ${flags.filter(flag => holdFlags.has(flag)).join(', ')}.`,
      ),
    )
  return signals
}

const order = { high: 0, medium: 1, low: 2, info: 3 }

/** Signals worth a look, worst first. Unknown is no signal. */
export const collectSignals = (look: DomainFindings, domain: string): Signal[] =>
  [
    ...nameSignals(look),
    ...mailSignals(look),
    ...siteSignals(look, domain),
    ...registrationSignals(look),
  ].sort((a, b) => order[a.severity] - order[b.severity])
