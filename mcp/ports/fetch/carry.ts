import { ToolError } from '../../kernel/error.ts'
import type { Span } from '../../lib/trace/span.ts'

/** One request of a call; a redirect makes the next. */
export type Step = {
  url: URL
  method: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'DELETE'
  headers: Record<string, string>
  body?: string | Buffer
}

/** Set by the connection, never by a caller. */
const ours = new Set([
  'connection',
  'content-length',
  'expect',
  'host',
  'keep-alive',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
])

/** Headers that tell nothing about the caller. All others may be credentials and stay with the host they are for. */
const harmless = new Set([
  'accept',
  'accept-encoding',
  'accept-language',
  'content-type',
  'traceparent',
  'tracestate',
  'user-agent',
])

const token = /^[\w!#$%&'*+.^`|~-]+$/
const value = /^[\t\x20-\x7e\x80-\xff]*$/

/** The caller's headers with lower-case names, without those of the connection. Throws `invalid_input` for broken ones. */
export const readHeaders = (headers: Record<string, string>): Record<string, string> => {
  const entries = Object.entries(headers).map(([name, text]) => [name.toLowerCase(), text] as const)
  const broken = entries.find(([name, text]) => !token.test(name) || !value.test(text))
  if (broken) {
    throw new ToolError('invalid_input', 'A request header is not well formed.', {
      issues: [{ path: 'headers', message: 'a name is a token and a value holds no control character' }],
    })
  }
  return Object.fromEntries(entries.filter(([name]) => !ours.has(name)))
}

/** A step that says which trace it belongs to, so that who answers can go on with it. */
export const withTrace = (step: Step, span: Span | undefined): Step =>
  span
    ? {
        ...step,
        headers: {
          ...step.headers,
          traceparent: span.traceparent,
          ...(span.tracestate !== undefined && { tracestate: span.tracestate }),
        },
      }
    : step

/** The same origin, or the same host moved from http to https on the standard ports. */
const isSameSite = (from: URL, to: URL) =>
  from.origin === to.origin ||
  (from.hostname === to.hostname &&
    from.protocol === 'http:' &&
    to.protocol === 'https:' &&
    !from.port &&
    !to.port)

/** 303 always, and by custom 301 and 302 after a POST, ask for the next page with GET (RFC 9110 section 15.4). */
const becomesGet = (status: number, method: Step['method']) =>
  method === 'POST' ? status <= 303 : status === 303 && method !== 'HEAD'

const withoutContent = (headers: Record<string, string>) =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => !name.startsWith('content-')))

/** True when the answer to a step is the same for everybody: a GET that says nothing about who asks. */
export const isAnonymous = ({ method, headers, body }: Step): boolean =>
  method === 'GET' && body === undefined && Object.keys(headers).every(name => harmless.has(name))

const harmlessOnly = (headers: Record<string, string>) =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => harmless.has(name)))

/** The step after a redirect; undefined when it would carry a body to another site, which is never done. */
export const nextStep = (step: Step, status: number, url: URL): Step | undefined => {
  const sameSite = isSameSite(step.url, url)
  const headers = sameSite ? step.headers : harmlessOnly(step.headers)
  if (becomesGet(status, step.method)) return { url, method: 'GET', headers: withoutContent(headers) }
  if (step.body !== undefined && !sameSite) return undefined
  return { ...step, url, headers }
}
