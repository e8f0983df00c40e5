import type { Look } from './look.ts'
import { parkedBy } from './name-servers.ts'

export type Signal = { code: string; severity: 'high' | 'medium' | 'low' | 'info'; text: string }

const newDays = 30
const youngDays = 180

const signal = (severity: Signal['severity'], code: string, text: string): Signal => ({
  code,
  severity,
  text,
})

const ofNames = ({ dns, own, www, wildcard }: Look): Signal[] => {
  const found: Signal[] = []
  if (dns && !dns.exists) found.push(signal('high', 'no_such_domain', 'The DNS knows no such name.'))
  else if (own === false && www === true)
    found.push(signal('low', 'www_only', 'Only www has an address, the domain itself has none.'))
  else if (own === false)
    found.push(signal('info', 'no_address', 'The domain has no address, so no web site.'))
  if (wildcard) found.push(signal('low', 'wildcard_dns', 'Any name under the domain has an address.'))
  return found
}

const ofMail = ({ mail, dns, own }: Look): Signal[] => {
  const found: Signal[] = []
  if (mail?.exists !== false && mail?.spoofability === 'spoofable')
    found.push(signal('high', 'spoofable', 'Strangers can send mail in its name.'))
  if (mail?.exists !== false && mail?.spoofability === 'partial')
    found.push(signal('medium', 'partly_spoofable', 'Forged mail in its name may get through in part.'))
  const mx = mail?.mx
  if (mx?.nullMx) found.push(signal('info', 'takes_no_mail', 'It says that it takes no mail (null MX).'))
  else if (mx && mx.count === 0 && dns?.exists)
    found.push(signal('info', 'no_mx', 'It names no mail servers.'))
  else if (mx && mx.count > 0 && own === false)
    found.push(signal('info', 'mail_only', 'It is used for mail and has no address of its own.'))
  return found
}

const ofSite = ({ site, dns, metadata }: Look, domain: string): Signal[] => {
  if (!site) return []
  const { fetched, httpsFailure } = site
  const found: Signal[] = []
  const https = fetched.url.startsWith('https:')
  if (httpsFailure !== null) found.push(signal('high', 'https_fails', `https does not work: ${httpsFailure}`))
  else if (!https) found.push(signal('high', 'leaves_https', 'The https address leads to http.'))
  else if (!fetched.hops.at(-1)?.headers['strict-transport-security'])
    found.push(signal('low', 'no_hsts', 'No HSTS keeps browsers on https.'))
  const walled = fetched.headers['cf-mitigated'] !== undefined
  if (walled) found.push(signal('info', 'bot_wall', 'The site answers programs with a check for robots.'))
  else if (fetched.status >= 400)
    found.push(signal('medium', 'web_error', `The site answers ${fetched.status}.`))
  const { hostname } = new URL(fetched.url)
  if (hostname !== domain && hostname !== `www.${domain}` && !`.${hostname}`.endsWith(`.${domain}`))
    found.push(signal('info', 'leads_elsewhere', `The site leads to ${hostname}.`))
  const shown = { title: null, description: null, ...metadata, url: fetched.url }
  const parked = parkedBy(dns?.authoritativeNs ?? [], shown)
  if (parked) found.push(signal('medium', 'parked', `It looks parked: ${parked}.`))
  return found
}

const held = new Set(['on_hold', 'redemption', 'pending_delete'])

const ofRegistration = ({ registration, dns }: Look): Signal[] => {
  if (!registration) return []
  const { registered, ageDays, flags, daysToExpiry } = registration
  const found: Signal[] = []
  if (!registered) {
    if (dns?.exists !== true)
      found.push(signal('high', 'not_registered', 'The registry knows no such domain.'))
    return found
  }
  if (ageDays !== null && ageDays < newDays)
    found.push(signal('medium', 'newly_registered', `It was registered ${ageDays} days ago.`))
  else if (ageDays !== null && ageDays < youngDays)
    found.push(signal('low', 'young', `It was registered ${ageDays} days ago.`))
  if (registration.dnssec === false)
    found.push(signal('info', 'no_dnssec', 'The domain is not signed with DNSSEC.'))
  if (flags.includes('expired')) found.push(signal('high', 'expired', 'Its registration has expired.'))
  else if (flags.includes('expiring'))
    found.push(signal('medium', 'expiring', `Its registration ends in ${daysToExpiry} days.`))
  if (flags.some(flag => held.has(flag)))
    found.push(
      signal('high', 'on_hold', `The registry holds it: ${flags.filter(flag => held.has(flag)).join(', ')}.`),
    )
  return found
}

const order = { high: 0, medium: 1, low: 2, info: 3 }

/** What is worth a look, worst first. Unknown is no signal. */
export const signalsOf = (found: Look, domain: string): Signal[] =>
  [...ofNames(found), ...ofMail(found), ...ofSite(found, domain), ...ofRegistration(found)].sort(
    (a, b) => order[a.severity] - order[b.severity],
  )
