import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'
import { z } from 'zod'
import { type Domain, parseDomain } from '../domain.ts'

/** Subject to locate: an address in its shortest form, or a name. */
export type Host = { ip: string; domain?: never } | { ip?: never; domain: Domain }

const scheme = /^[a-z][a-z0-9+.-]*:\/\//i

/** The host of something with a scheme, as the URL standard reads it: also `0x7f.1` and `2130706433` are addresses there. */
const toHost = (text: string): string =>
  scheme.test(text) && URL.canParse(text) ? new URL(text).hostname : text.replace(/[/?#].*$/s, '')

const readIp = (host: string): string | undefined => {
  const bare = host
    .replace(/^\[([^\]]+)\](?::\d{1,5})?$/, '$1')
    .replace(/^(\d+\.\d+\.\d+\.\d+):\d{1,5}$/, '$1')
    .replace(/%[\w.-]+$/, '')
  return isIP(bare) ? ipaddr.process(bare).toString() : undefined
}

/**
 * Reads what callers send: an IPv4 or IPv6 address, also in brackets, with a port, a zone or a prefix length, a name, or a URL.
 * IPv4 inside IPv6 counts as the IPv4 address that it is. Undefined when there is none.
 */
export const parseHost = (input: string): Host | undefined => {
  const host = toHost(input.trim())
  const ip = readIp(host)
  if (ip) return { ip }
  const domain = parseDomain(host)
  return domain && { domain }
}

/** The name or address that limits count by. */
export const toTarget = (input: string): string => {
  const host = parseHost(input)
  return host?.ip ?? host?.domain?.ascii ?? input.slice(0, 253)
}

export const HostInput = z
  .string()
  .max(2048)
  .refine(
    text => parseHost(text) !== undefined,
    'must be an IP address such as 192.0.2.1, a host name such as example.com, or a URL',
  )
  .describe('IP address, host name or URL')
