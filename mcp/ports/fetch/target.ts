import { isIP } from 'node:net'
import { ToolError } from '../../kernel/error.ts'
import { isPublic } from './address.ts'

const ports = new Set([80, 443, 8080, 8443])

/** Names that stand for no public host: RFC 6761, RFC 6762, RFC 7686, RFC 8375 and what private networks use. */
const special =
  /(?:^|\.)(?:localhost|local|localdomain|internal|intranet|private|lan|home|corp|workgroup|arpa|alt|onion|test|invalid|example)$/

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
const unsafe = /[\u0000-\u0020\u007f\\]/

const hostName = /^(?=.{1,253}$)[^.]{1,63}(?:\.[^.]{1,63})*$/

/** One address to visit. `closed` says why it is not open to everybody; only a test's own hook may open it. */
export type Target = { url: URL; host: string; port: number; literal: boolean; closed?: string }

/** The refusal of an address a caller gave or a page led to: `invalid_input` on the field `url`. */
export const refuse = (message: string): ToolError =>
  new ToolError('invalid_input', `The URL is refused: ${message}.`, {
    issues: [{ path: 'url', message }],
    hint: 'Give a public http or https address such as https://example.com/page, on port 80, 443, 8080 or 8443.',
  })

const whyClosed = (host: string, port: number, literal: boolean): string | undefined => {
  if (!ports.has(port)) return `port ${port} is not one of 80, 443, 8080 and 8443`
  if (literal) return isPublic(host) ? undefined : 'the address is not on the public internet'
  if (!host.includes('.') || special.test(host)) return 'the host name is not on the public internet'
  return undefined
}

/**
 * Reads a URL and applies every rule that needs no look-up: http or https, at most 2,048 characters, no credentials, no
 * control characters, spaces or backslashes. The fragment and the trailing dot of the host are dropped.
 */
export const parseTarget = (input: string): Target => {
  const text = input.trim()
  if (text === '') throw refuse('it is empty')
  if (text.length > 2048) throw refuse('it is longer than 2,048 characters')
  if (unsafe.test(text)) throw refuse('it holds a space, a backslash or a control character')
  if (!URL.canParse(text)) throw refuse('it is no absolute URL')
  const url = new URL(text)
  if (url.protocol !== 'http:' && url.protocol !== 'https:') throw refuse('only http and https are fetched')
  if (url.username || url.password) throw refuse('it holds a user name or a password')
  url.hash = ''
  url.hostname = url.hostname.replace(/\.$/, '')
  const host = url.hostname.replace(/^\[|\]$/g, '')
  const literal = isIP(host) !== 0
  if (!literal && !hostName.test(host)) throw refuse('the host name is not well formed')
  const port = Number(url.port || (url.protocol === 'https:' ? 443 : 80))
  const closed = whyClosed(host, port, literal)
  return { url, host, port, literal, ...(closed && { closed }) }
}
