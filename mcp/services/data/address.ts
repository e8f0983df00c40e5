import { z } from 'zod'

const scheme = /^[a-z][a-z0-9+.-]*:/i
const hostPort = /^[^/?#:]+:\d{1,5}(?:[/?#]|$)/

/** The absolute URL that a caller means: one without a scheme gets https. Undefined when it is no http or https URL. */
export const parseAddress = (text: string): string | undefined => {
  const trimmed = text.trim().replace(/^\/\//, '')
  const full = scheme.test(trimmed) && !hostPort.test(trimmed) ? trimmed : `https://${trimmed}`
  if (!URL.canParse(full)) return undefined
  const url = new URL(full)
  const isWeb = url.protocol === 'http:' || url.protocol === 'https:'
  return isWeb && /[.:]/.test(url.hostname) ? url.href : undefined
}

/** The host that limits count by. */
export const toHostname = (text: string): string => {
  const address = parseAddress(text)
  return address === undefined ? text.slice(0, 253) : new URL(address).hostname
}

export const AddressInput = z
  .string()
  .max(2048)
  .refine(
    text => parseAddress(text) !== undefined,
    'must be an http or https URL such as https://example.com/page',
  )
  .describe('URL of a page; https is assumed where no scheme is given')
