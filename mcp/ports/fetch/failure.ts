import { ToolError } from '../../kernel/error.ts'

type Reason = readonly [sentence: string, retryable: boolean]

const brokenAnswer: Reason = ['sent an answer that is not valid HTTP', false]
const noConnection: Reason = ['refused the connection', true]
const brokeOff: Reason = ['broke off the connection', true]
const unreachable: Reason = ['cannot be reached', true]
const ownLimit: Reason = ['could not be reached: this server has too many connections open', true]

/** Reasons by the code of undici, Node or OpenSSL, as the end of a sentence that starts with the host. */
const reasons: Readonly<Record<string, Reason>> = {
  ECONNREFUSED: noConnection,
  ECONNRESET: brokeOff,
  EPIPE: brokeOff,
  UND_ERR_SOCKET: brokeOff,
  EHOSTUNREACH: unreachable,
  EHOSTDOWN: unreachable,
  ENETUNREACH: unreachable,
  ENETDOWN: unreachable,
  EADDRNOTAVAIL: unreachable,
  EAFNOSUPPORT: unreachable,
  EACCES: unreachable,
  EPERM: unreachable,
  EMFILE: ownLimit,
  ENFILE: ownLimit,
  ENOBUFS: ownLimit,
  ETIMEDOUT: ['did not accept the connection in time', true],
  UND_ERR_CONNECT_TIMEOUT: ['did not accept the connection in time', true],
  UND_ERR_HEADERS_TIMEOUT: ['took too long to answer', true],
  UND_ERR_BODY_TIMEOUT: ['stopped sending in the middle of the answer', true],
  UND_ERR_HEADERS_OVERFLOW: ['sent more than 32 KB of headers', false],
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: brokenAnswer,
  HTTPParserError: brokenAnswer,
  CERT_HAS_EXPIRED: ['has a TLS certificate that has expired', false],
  CERT_NOT_YET_VALID: ['has a TLS certificate that is not valid yet', false],
  DEPTH_ZERO_SELF_SIGNED_CERT: ['has a self-signed TLS certificate', false],
  SELF_SIGNED_CERT_IN_CHAIN: ['has a TLS certificate from an authority that is not trusted', false],
  UNABLE_TO_GET_ISSUER_CERT: ['has a TLS certificate from an authority that is not trusted', false],
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: ['has a TLS certificate from an authority that is not trusted', false],
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: ['sent an incomplete chain of TLS certificates', false],
  ERR_TLS_CERT_ALTNAME_INVALID: ['has a TLS certificate for another host name', false],
  ERR_SSL_TLSV1_ALERT_NO_APPLICATION_PROTOCOL: ['speaks no HTTP/1.1 over TLS', false],
  EPROTO: ['could not agree on a TLS connection', false],
}

const toReason = (code: string): Reason => {
  if (code.startsWith('ERR_SSL_') || code.startsWith('ERR_TLS_') || code.startsWith('CERT_')) {
    return reasons[code] ?? ['could not agree on a TLS connection', false]
  }
  return reasons[code] ?? ['could not be read', true]
}

/** The code of a thrown thing, also where several connection attempts failed together; undici's parser has only a name. */
export const readCode = (error: unknown): string => {
  if (typeof error !== 'object' || error === null) return ''
  if (error instanceof Error && error.name === 'HTTPParserError') return error.name
  if ('code' in error && typeof error.code === 'string') return error.code
  return 'errors' in error && Array.isArray(error.errors) ? readCode(error.errors[0]) : ''
}

/** `upstream` about a host that a request went to. */
export const upstream = (
  host: string,
  sentence: string,
  retryable: boolean,
  more: { cause?: unknown; retryAfter?: number; reason?: string } = {},
): ToolError => new ToolError('upstream', `${host} ${sentence}.`, { retryable, ...more })

/** A network failure as a plain sentence; a ToolError passes. The stranger's own message stays in `cause`. */
export const networkFailure = (host: string, error: unknown): ToolError => {
  if (error instanceof ToolError) return error
  const code = readCode(error)
  const [sentence, retryable] = toReason(code)
  const reason = sentence.includes('TLS')
    ? 'tls_failed'
    : /TIMEDOUT$|_TIMEOUT$/.test(code)
      ? 'too_slow'
      : undefined
  return upstream(host, sentence, retryable, { cause: error, ...(reason && { reason }) })
}
