import { isIP } from 'node:net'
import { z } from 'zod'
import { registrable, suffixRefusal } from './domain.ts'

/** Top-level names that lead nowhere (RFC 2606, RFC 6761, RFC 9476). */
const reservedHostPattern = /(?:^|\.)(?:test|example|invalid|localhost|local|internal|onion|alt|home\.arpa)$/i

const isReachable = (address: string): boolean => {
  const host = address.replace(/\.$/, '')
  return host.includes('.') && !reservedHostPattern.test(host) && isIP(host.replace(/^\[|\]$/g, '')) === 0
}

/** An https address under a name that the public DNS may know. */
export const HttpsUrl = z
  .string()
  .trim()
  .max(2048)
  .refine(text => {
    if (!URL.canParse(text)) return false
    const { protocol, hostname, username, password } = new URL(text)
    return protocol === 'https:' && username === '' && password === '' && isReachable(hostname)
  }, 'must be an https URL with a public host name and no user in it')

/**
 * Where the other side of a deal calls: an https address under a domain that somebody registered. A public suffix such as
 * `co.uk` or `github.io` belongs to everybody under it, so that it neither leads to one agent nor can be proven by one.
 */
export const DealRoute = HttpsUrl.superRefine((text, context) => {
  if (!URL.canParse(text)) return
  const { hostname } = new URL(text)
  if (!isReachable(hostname) || registrable(hostname) !== undefined) return
  context.addIssue({ code: 'custom', message: suffixRefusal(hostname) })
})

const email =
  /^[^\s@<>"(),:;\\[\]]{1,64}@([a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?)+)$/i

/** An e-mail address at a domain that is not reserved for examples. */
export const EmailAddress = z
  .string()
  .trim()
  .max(254)
  .refine(text => isReachable(email.exec(text)?.[1] ?? ''), 'must be an e-mail address at a public domain')
