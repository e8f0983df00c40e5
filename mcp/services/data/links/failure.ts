import { ToolError } from '../../../kernel/error.ts'
import { isTargetLimit } from '../../../lib/target-limit.ts'
import type { Dns, DnsAnswer } from '../../../ports/dns/port.ts'
import type { LinkVerdict } from './verdict.ts'

/** A verdict about an address that gave no answer. */
type FailureVerdict = Omit<LinkVerdict, 'status'>

/** Node's or OpenSSL's code of what was thrown, also where several attempts failed together. */
const findErrorCode = (error: unknown): string => {
  if (typeof error !== 'object' || error === null) return ''
  if ('code' in error && typeof error.code === 'string' && !(error instanceof ToolError)) return error.code
  if ('errors' in error && Array.isArray(error.errors)) return findErrorCode(error.errors[0])
  return error instanceof ToolError ? findErrorCode(error.cause) : ''
}

/** Browsers fetch what is missing of a chain, or trust more authorities; and they speak HTTP/2. */
const ours = new Set([
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'ERR_SSL_TLSV1_ALERT_NO_APPLICATION_PROTOCOL',
])

const isTls = (code: string) =>
  /^(?:CERT_|ERR_SSL_|ERR_TLS_)/.test(code) || code.includes('SELF_SIGNED_CERT') || code === 'EPROTO'

const isLate = (code: string) => code === 'ETIMEDOUT' || /^UND_ERR_.*_TIMEOUT$/.test(code)

/** Judges an address by a thrown failure; `unknown` unless a browser would fail the same way. */
export const toFailureVerdict = (error: unknown): FailureVerdict => {
  if (!(error instanceof ToolError))
    return { state: 'unknown', reason: 'unreadable', error: 'The answer could not be read.' }
  const code = findErrorCode(error)
  const details = { error: error.message }
  if (error.code === 'invalid_input') {
    const why = error.extra.issues?.[0]?.message ?? 'the address is not visited'
    return { state: 'skipped', reason: 'not_visited', error: `It is not visited: ${why}.` }
  }
  if (isTargetLimit(error))
    return { state: 'skipped', reason: 'target_limit', error: 'Not checked: limit for this host.' }
  if (error.code === 'timeout' || isLate(code))
    return { state: 'late', reason: 'no_answer', error: 'It did not answer in time.' }
  if (error.extra.retryAfter !== undefined) return { state: 'blocked', reason: 'host_limits', ...details }
  if (ours.has(code)) return { state: 'unknown', reason: 'connection', ...details }
  if (isTls(code)) return { state: 'broken', reason: 'tls', ...details }
  if (code === 'ECONNREFUSED') return { state: 'broken', reason: 'refused', ...details }
  return { state: 'unknown', reason: 'connection', ...details }
}

const hasAddress = ({ records }: DnsAnswer) => records.some(({ type }) => type === 'A' || type === 'AAAA')

/** True when the DNS says for sure that a host has no address. A server that fails or is silent says nothing. */
export const isUnknownHost = async (dns: Dns, host: string, signal: AbortSignal): Promise<boolean> => {
  const lookups = await Promise.allSettled([
    dns.query(host, 'A', { signal }),
    dns.query(host, 'AAAA', { signal }),
  ])
  return lookups.every(
    result =>
      result.status === 'fulfilled' &&
      (result.value.rcode === 'NXDOMAIN' || result.value.rcode === 'NOERROR') &&
      !hasAddress(result.value),
  )
}
