import { isIP, isIPv4 } from 'node:net'
import { domainToASCII, domainToUnicode } from 'node:url'
import type { AddressFault } from './local-part.ts'

/** A mail domain both ways, or the address in brackets that stands for one. */
export type MailDomain = { ascii: string; unicode: string; literal: string | null }

const fault = (reason: string, detail: string): AddressFault => ({ reason, detail })

/** `[192.0.2.1]` and `[IPv6:2001:db8::1]` (RFC 5321 section 4.1.3). */
const readLiteral = (part: string): MailDomain | AddressFault => {
  const inner = part.slice(1, -1)
  const address = /^ipv6:/i.test(inner) ? inner.slice(5) : inner
  const fits = /^ipv6:/i.test(inner) ? isIP(address) === 6 && !address.includes('%') : isIPv4(inner)
  if (!part.endsWith(']') || !fits)
    return fault('domain_literal', 'The brackets after the @ hold no IP address.')
  const text = isIPv4(inner) ? `[${inner}]` : `[IPv6:${address.toLowerCase()}]`
  return { ascii: text, unicode: text, literal: address.toLowerCase() }
}

const labelFault = (label: string): AddressFault | undefined => {
  if (label === '') return fault('domain_dots', 'The domain holds two dots in a row, or begins with one.')
  if (label.length > 63)
    return fault('label_too_long', 'A part of the domain between dots is longer than 63 characters.')
  if (label.startsWith('-') || label.endsWith('-'))
    return fault('label_hyphen', 'A part of the domain between dots begins or ends with a hyphen.')
  return /^[a-z0-9-]+$/.test(label)
    ? undefined
    : fault('domain_character', `The domain part "${label}" is not well formed.`)
}

/** Reads the part after the @: a fully qualified domain name, also an international one, or an address literal. */
export const readMailDomain = (part: string): MailDomain | AddressFault => {
  if (part === '') return fault('no_domain', 'There is nothing after the @.')
  if (part.startsWith('[')) return readLiteral(part)
  if (isIP(part)) return fault('bare_ip', 'An IP address after the @ stands in brackets.')
  if (part.endsWith('.')) return fault('domain_trailing_dot', 'The domain ends with a dot.')
  const odd = /[^A-Za-z0-9.\-\u0080-\u{10ffff}]/u.exec(part)?.[0]
  if (odd !== undefined)
    return fault('domain_character', `The domain holds ${odd.trim() === '' ? 'a space' : `"${odd}"`}.`)
  if (/(?:^|\.)\d+$/.test(part)) return fault('domain_numeric', 'The top-level domain is a number.')
  const ascii = domainToASCII(part.toLowerCase()) || (/\P{ASCII}/u.test(part) ? '' : part.toLowerCase())
  if (ascii === '') return fault('domain_idn', 'The international domain name is not well formed.')
  const isBroken = ascii
    .split('.')
    .map(labelFault)
    .find(problem => problem !== undefined)
  if (isBroken) return isBroken
  if (ascii.length > 253) return fault('domain_too_long', 'The domain is longer than 253 characters.')
  if (!ascii.includes('.')) return fault('domain_dotless', 'The domain has no dot.')
  return { ascii, unicode: domainToUnicode(ascii), literal: null }
}
