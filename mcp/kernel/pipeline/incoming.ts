import type { PaymentParts } from '../error.ts'
import type { PaymentEvidence } from '../http.ts'
import type { Credential } from '../service.ts'
import type { Person } from '../sign-in.ts'
import type { Auth, Call, Price, Quota, Receipt } from '../tool.ts'
import type { DisconnectSignal } from './abort.ts'

import type { RateLimitStatus } from './limits.ts'

/** Possible proofs of the caller that an adapter found. */
export type Credentials = Partial<Record<Exclude<Auth, 'public'>, string>> & {
  /** More keys that came in the same headers, for other services behind the same address. */
  otherKeys?: readonly string[]
}

/** One call as an adapter learned it from its wire. */
export type Incoming = {
  channel: Call['channel']
  input: unknown
  credentials: Credentials
  request: Credential['request']
  /** The resource that an access token must be made for, where that is not the service's own `{base}/mcp`. */
  audience?: string | undefined
  /** Signed-in person, if the adapter has read the token. */
  person?: Person | undefined
  /** Network address that limits count by. */
  client: string
  /** Subject of a quote: a URL, `mcp://tool/…`, `a2a://…`. */
  resource: string
  /** Means to pay the call. */
  evidence: PaymentEvidence
  idempotencyKey?: string | undefined
  /** The A2A task that the call belongs to. */
  task?: string | undefined
  /** The caller asked for the free tier (`free=1`). */
  free?: boolean
  /** Tells when the client has gone. */
  signal?: DisconnectSignal | undefined
  progress?: Call['progress']
  /** Value for an endpoint's handler beside the input. */
  exchange?: unknown
}

/** An answered call. `text` is one human line; `standing` is the client's rate limit after it. */
export type Outcome = {
  output: Record<string, unknown>
  text: string
  price: Price
  receipt: Receipt | undefined
  /** The receipt in the dialect that paid, for adapters to place. */
  parts?: PaymentParts | undefined
  replayed: boolean
  standing: RateLimitStatus | undefined
  /** The free tier that covered the call. */
  quota: Quota | undefined
}
