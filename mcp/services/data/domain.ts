import { isIP } from 'node:net'
import { domainToASCII, domainToUnicode } from 'node:url'
import { z } from 'zod'

/** A domain name both ways: `ascii` as it goes on the wire, `unicode` as people read it. */
export type Domain = { ascii: string; unicode: string }

const scheme = /^[a-z][a-z0-9+.-]*:\/\//i
const label = /^(?!-)[a-z0-9_-]{1,63}(?<!-)$/

/**
 * Reads a domain name from what callers send: a name in any case and script, with or without a trailing dot, or the URL of a
 * page under it. Undefined when there is none, also for IP addresses and names of one label.
 */
export const parseDomain = (text: string): Domain | undefined => {
  const host = text
    .trim()
    .replace(scheme, '')
    .replace(/[/?#].*$/s, '')
    .replace(/^[^@]*@/, '')
    .replace(/:\d{0,5}$/, '')
    .replace(/[.。．｡]$/, '')
  const ascii = domainToASCII(host.toLowerCase())
  const labels = ascii.split('.')
  if (ascii.length > 253 || labels.length < 2 || isIP(ascii) || /^\d+$/.test(labels.at(-1) ?? ''))
    return undefined
  return labels.every(part => label.test(part)) ? { ascii, unicode: domainToUnicode(ascii) } : undefined
}

/** The name that limits count by: one key for all spellings of a domain. */
export const toTarget = (text: string): string => parseDomain(text)?.ascii ?? text.slice(0, 253)

export const DomainInput = z
  .string()
  .max(2048)
  .refine(
    text => parseDomain(text) !== undefined,
    'must be a domain name such as example.com, or a URL under it',
  )
  .describe('Domain name such as example.com; of a URL the host is taken')
