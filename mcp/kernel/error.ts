/** Every way a call can fail, once. Adapters choose the envelope, never the meaning. */
export const failures = {
  malformed: { status: 400, retryable: false, title: 'The request cannot be read' },
  payment_pending: { status: 202, retryable: true, title: 'The payment is being confirmed' },
  invalid_input: { status: 422, retryable: false, title: 'The input does not match the schema' },
  method_not_allowed: { status: 405, retryable: false, title: 'The path does not answer this method' },
  unauthenticated: { status: 401, retryable: false, title: 'A credential is required' },
  payment_required: { status: 402, retryable: false, title: 'Payment is required' },
  forbidden: { status: 403, retryable: false, title: 'The caller may not do this' },
  not_found: { status: 404, retryable: false, title: 'There is no such thing' },
  conflict: { status: 409, retryable: false, title: 'The state does not allow this' },
  gone: { status: 410, retryable: false, title: 'It is no longer there' },
  too_large: { status: 413, retryable: false, title: 'The request is too large' },
  unsupported_media: { status: 415, retryable: false, title: 'This media type is not accepted' },
  precondition_required: { status: 428, retryable: false, title: 'A step must come first' },
  too_many_requests: { status: 429, retryable: true, title: 'The limit is reached' },
  internal: { status: 500, retryable: false, title: 'The service failed' },
  upstream: { status: 502, retryable: true, title: 'Something this call depends on failed' },
  unavailable: { status: 503, retryable: false, title: 'This is not available here now' },
  timeout: { status: 504, retryable: true, title: 'The call took too long' },
} as const

export type Failure = keyof typeof failures

/** HTTP status of a code; 500 for a word that is none. */
export const failureStatus = (code: string): number =>
  Object.hasOwn(failures, code) ? failures[code as Failure].status : failures.internal.status

/** One thing that is wrong with the input: `path` is dotted, empty for the whole. */
export type Issue = { path: string; message: string }

/** RFC 9457 body; the same object travels in REST bodies, JSON-RPC `error.data` and MCP text. */
export type Problem = {
  type: string
  title: string
  status: number
  code: Failure
  detail: string
  retryable: boolean
  /** True when money was taken; said by every failure of a tool that has a price. */
  charged?: boolean
  /** A finer code of the service, such as `contact_leak`. */
  reason?: string
  hint?: string
  issues?: readonly Issue[]
  /** Facts a program needs to go on, by the service's names. */
  params?: Readonly<Record<string, unknown>>
  ref?: string
  /** The request that failed, by the id that its answer and the log have. */
  requestId?: string
}

type Fields = Readonly<Record<string, unknown>>

type Extra = {
  /** A finer code of the service, such as `contact_leak`. */
  reason?: string
  /** Facts a program needs to go on, by the service's names. */
  params?: Readonly<Record<string, unknown>>
  /** The remedy for it. */
  hint?: string | undefined
  /** Tools of the service to call next, by name; the answer names them as its transport does, in `hint` and in `params.next`. */
  next?: readonly string[]
  issues?: readonly Issue[]
  /** Seconds after which a retry makes sense. Makes the problem retryable. */
  retryAfter?: number
  /** Overrides what the table says of the code. */
  retryable?: boolean
  /** True when money was taken for the call that failed. */
  charged?: boolean
  /** How to sign in, a `WWW-Authenticate` line with `resource_metadata` (RFC 9728); clients over MCP act upon it as HTTP 401 only. */
  challenge?: string
  /** Extra HTTP headers, such as `Allow` or `WWW-Authenticate`. */
  headers?: Readonly<Record<string, string>>
  /** Outcome of the payment that came with the call: success, errorReason, transaction, network, payer, receipt. */
  payment?: Readonly<Record<string, unknown>>
  /** The same in the dialect that the payment came in, for adapters to place. */
  parts?: PaymentParts
  /** A page that a person may open to cover the call, for clients that can show one. */
  ask?: PersonAsk
  /** Points into the log. */
  ref?: string
  cause?: unknown
}

/** A question to a person on a page of ours: `id` names the page, `message` says what it is about. */
export type PersonAsk = { readonly id: string; readonly url: string; readonly message: string }

const maxDetailLength = 1000
const maxIssues = 20

/** A refusal is a sentence: what it repeats of the caller's own words never makes it a page. */
const shorten = (text: string, maxLength = maxDetailLength): string =>
  text.length > maxLength ? `${text.slice(0, maxLength)}…` : text

const toPublicIssues = (issues: readonly Issue[]): readonly Issue[] =>
  issues
    .slice(0, maxIssues)
    .map(({ path, message }) => ({ path: shorten(path, 300), message: shorten(message) }))

/** The other ways of a challenge: one line names each scheme once, and clients read the first. */
const withoutBearer = (challenges = ''): string =>
  challenges.replace(/^Bearer(?: realm="[^"]*")?(?:, |$)/, '')

/** A failure that a caller may read. `detail` is a sentence for people and models; it never quotes a secret. */
export class ToolError extends Error {
  override readonly name: string = 'ToolError'
  readonly code: Failure
  readonly extra: Extra

  constructor(code: Failure, detail: string, extra: Extra = {}) {
    super(shorten(detail), { cause: extra.cause })
    this.code = code
    this.extra = extra.issues ? { ...extra, issues: toPublicIssues(extra.issues) } : extra
  }

  get status(): number {
    return failures[this.code].status
  }

  /** Headers an HTTP answer carries for this failure. */
  get headers(): Record<string, string> {
    const { retryAfter, headers, challenge } = this.extra
    return {
      ...headers,
      ...(challenge !== undefined && {
        'WWW-Authenticate': [challenge, withoutBearer(headers?.['WWW-Authenticate'])]
          .filter(Boolean)
          .join(', '),
      }),
      ...(retryAfter !== undefined && { 'Retry-After': String(Math.max(1, Math.ceil(retryAfter))) }),
    }
  }

  /**
   * `site` is the absolute address of the installation: where the problem type is explained. Without it the type is relative.
   * `requestId` names the request that is answered.
   */
  toProblem(site = '', requestId?: string): Problem {
    const { status, title, retryable } = failures[this.code]
    const { reason, params, hint, issues, ref, retryAfter, charged } = this.extra
    return {
      type: `${site}/problems/${this.code}`,
      title,
      status,
      code: this.code,
      detail: this.message,
      retryable: this.extra.retryable ?? (retryAfter !== undefined || retryable),
      ...(charged !== undefined && { charged }),
      ...(reason !== undefined && { reason }),
      ...(hint !== undefined && { hint }),
      ...(issues && { issues }),
      ...(params && { params }),
      ...(ref !== undefined && { ref }),
      ...(requestId !== undefined && { requestId }),
    }
  }
}

/**
 * What payment dialects say of a call, by the place that an adapter has for it: `WWW-Authenticate` challenges, HTTP headers,
 * members of the REST body, the MCP result's structure and `_meta`, members of the MCP result itself, the metadata of an A2A
 * message.
 */
export type PaymentParts = {
  challenges?: readonly string[]
  headers?: Readonly<Record<string, string>>
  body?: Fields
  structured?: Fields
  result?: Fields
  meta?: Fields
  a2a?: Fields
}

/** The call must be paid for; `parts` ask for it in every dialect that the call can be paid in. */
export class PaymentRequired extends ToolError {
  override readonly name = 'PaymentRequired'
  readonly parts: PaymentParts

  constructor(parts: PaymentParts, detail = 'Pay one of the offers and repeat the call.', extra: Extra = {}) {
    super('payment_required', detail, extra)
    this.parts = parts
  }
}

/** The money may be moving: the same payload, sent again after `retryAfter` seconds, gets the answer and pays nothing. */
export class PaymentPending extends ToolError {
  override readonly name = 'PaymentPending'
  /** Names the payment here, for whoever goes on with the call by itself; undefined where nothing of it is recorded yet. */
  readonly record: string | undefined

  constructor(payment: Fields, params?: Fields, record?: string) {
    super('payment_pending', 'The payment is being confirmed; nothing is lost.', {
      hint: 'Send the same call with the same payment again. It is not charged twice.',
      retryAfter: 2,
      ...(params && { params }),
      payment: { success: false, errorReason: 'settlement_pending', ...payment },
    })
    this.record = record
  }

  /** The same, with the address at which the answer is collected by GET. */
  at(location: string): ToolError {
    return new ToolError(this.code, this.message, {
      ...this.extra,
      hint: 'GET the address in Location until the answer is there, or send the same call with the same payment again. Sign nothing anew.',
      headers: { Location: location },
      params: { ...this.extra.params, collect: location },
    })
  }
}

/** A settled payment as it is reported: an x402 v2 SettleResponse with the id of our receipt beside it. */
export const reportSettled = ({
  id,
  ...paid
}: {
  id: string
  [field: string]: unknown
}): Record<string, unknown> => ({
  success: true,
  ...paid,
  receipt: id,
})

/** The same failure with what became of the payment; what it says of that itself stays. */
export const withPayment = (error: ToolError, payment: Fields, parts: PaymentParts): ToolError => {
  if (error.extra.parts) return error
  const extra = { ...error.extra, payment: error.extra.payment ?? payment, parts }
  if (error instanceof PaymentRequired) return new PaymentRequired(error.parts, error.message, extra)
  return new ToolError(error.code, error.message, extra)
}

/** The same failure with whether money was taken. A quote and a payment under way say so themselves. */
export const withCharge = (error: ToolError, charged: boolean): ToolError =>
  error instanceof PaymentRequired || error.code === 'payment_pending' || error.extra.charged !== undefined
    ? error
    : new ToolError(error.code, error.message, { ...error.extra, charged })

/** The same failure with its next steps as the caller's transport names them. */
export const withNext = (error: ToolError, name: (tool: string) => string): ToolError => {
  const { next, ...extra } = error.extra
  if (!next || error instanceof PaymentRequired) return error
  const steps = next.map(name)
  const hint = [extra.hint, `Next: ${steps.join(', then ')}.`].filter(Boolean).join(' ')
  return new ToolError(error.code, error.message, {
    ...extra,
    hint,
    params: { ...extra.params, next: steps },
  })
}

type Outage = { detail: string; retryAfter: number }

/** Reads an error that passes by itself, such as a database that is away: edges know nothing of this table. */
const readOutage = (cause: unknown): Outage | undefined => {
  if (!(cause instanceof Error) || !('away' in cause)) return undefined
  const { detail, retryAfter } = (cause.away ?? {}) as Partial<Outage>
  return typeof detail === 'string' && typeof retryAfter === 'number' ? { detail, retryAfter } : undefined
}

/** True when a failure explains itself, so that it needs no reference into the log: a ToolError, or an edge that is away. */
export const isExplained = (cause: unknown): boolean =>
  cause instanceof ToolError || readOutage(cause) !== undefined

/**
 * Anything thrown becomes a ToolError. An edge that is away becomes `unavailable`, to be tried again; a stranger becomes
 * `internal` and keeps its message to itself.
 */
export const toToolError = (cause: unknown, ref?: string): ToolError => {
  if (cause instanceof ToolError) return cause
  const away = readOutage(cause)
  if (away) return new ToolError('unavailable', away.detail, { retryAfter: away.retryAfter, cause })
  return new ToolError('internal', 'The service failed. The failure is logged.', {
    cause,
    ...(ref && { ref }),
  })
}

/** JSON-RPC code outside the ranges that JSON-RPC, MCP and A2A reserve: 404 → -31404. */
export const rpcCode = (code: Failure): number => {
  if (code === 'malformed') return -32600
  if (code === 'invalid_input') return -32602
  if (code === 'internal') return -32603
  return -31000 - failures[code].status
}
