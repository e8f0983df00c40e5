import { type Failure, type Issue, rpcCode, ToolError } from '../../mcp/kernel/error.ts'
import type { Version } from './fields.ts'

/** The failures that A2A and JSON-RPC have codes for. `reason` is that of google.rpc.ErrorInfo (A2A 1.0, 5.4). */
const kinds = {
  parse: { code: -32700, failure: 'malformed', reason: undefined },
  invalidRequest: { code: -32600, failure: 'malformed', reason: undefined },
  methodNotFound: { code: -32601, failure: 'not_found', reason: undefined },
  invalidParams: { code: -32602, failure: 'invalid_input', reason: undefined },
  taskNotFound: { code: -32001, failure: 'not_found', reason: 'TASK_NOT_FOUND' },
  taskNotCancelable: { code: -32002, failure: 'conflict', reason: 'TASK_NOT_CANCELABLE' },
  pushNotSupported: { code: -32003, failure: 'unavailable', reason: 'PUSH_NOTIFICATION_NOT_SUPPORTED' },
  notOffered: { code: -32004, failure: 'unavailable', reason: 'UNSUPPORTED_OPERATION' },
  taskOver: { code: -32004, failure: 'conflict', reason: 'UNSUPPORTED_OPERATION' },
  contentType: { code: -32005, failure: 'unsupported_media', reason: 'CONTENT_TYPE_NOT_SUPPORTED' },
  versionNotSupported: { code: -32009, failure: 'malformed', reason: 'VERSION_NOT_SUPPORTED' },
} as const satisfies Record<string, { code: number; failure: Failure; reason: string | undefined }>

type Extra = { hint?: string; issues?: readonly Issue[]; info?: Readonly<Record<string, string>> }

/** A failure of the protocol, before or around a tool. */
export class A2aError extends ToolError {
  override readonly name = 'A2aError'
  readonly kind: keyof typeof kinds
  /** `metadata` of the ErrorInfo. */
  readonly info: Readonly<Record<string, string>> | undefined

  constructor(kind: keyof typeof kinds, detail: string, { info, ...extra }: Extra = {}) {
    super(kinds[kind].failure, detail, extra)
    this.kind = kind
    this.info = info
  }
}

/** One parameter that is wrong: -32602. */
export const invalidParam = (path: string, message: string, hint?: string): A2aError =>
  new A2aError('invalidParams', `${path}: ${message}`, {
    issues: [{ path, message }],
    ...(hint !== undefined && { hint }),
  })

/** Codes of tool failures for which A2A practice has one of its own. */
const ownCodes: Partial<Record<Failure, number>> = {
  unauthenticated: -32000,
  too_many_requests: -32000,
  unsupported_media: kinds.contentType.code,
}

const toRpcCode = (error: ToolError): number =>
  error instanceof A2aError ? kinds[error.kind].code : (ownCodes[error.code] ?? rpcCode(error.code))

const rpc = 'type.googleapis.com/google.rpc'

const toErrorInfo = (error: ToolError, code: number): object | undefined => {
  if (code === kinds.invalidParams.code) {
    const issues = error.extra.issues ?? [{ path: '', message: error.message }]
    const fieldViolations = issues.map(({ path, message }) => ({ field: path, description: message }))
    return { '@type': `${rpc}.BadRequest`, fieldViolations }
  }
  const kind = Object.values(kinds).find(candidate => candidate.code === code)
  if (!kind?.reason) return undefined
  const metadata = error instanceof A2aError ? error.info : undefined
  return {
    '@type': `${rpc}.ErrorInfo`,
    reason: kind.reason,
    domain: 'a2a-protocol.org',
    ...(metadata && { metadata }),
  }
}

/** A JSON-RPC error object. `site` is the absolute address that makes the problem's type a type URL in A2A 1.0. */
export const encodeFailure = (version: Version, error: ToolError, site: string, requestId?: string) => {
  const code = toRpcCode(error)
  const problem = error.toProblem(site, requestId)
  if (version === '0.3') return { code, message: error.message, data: [problem] }
  const detail = toErrorInfo(error, code)
  const data = [...(detail ? [detail] : []), { '@type': problem.type, ...problem }]
  return { code, message: error.message, data }
}

const speakingStatuses = [401, 413, 429]

/** The HTTP status of a JSON-RPC error: 200, except for those that HTTP clients act upon. */
export const httpStatus = ({ status }: ToolError): number =>
  speakingStatuses.includes(status) ? status : 200
