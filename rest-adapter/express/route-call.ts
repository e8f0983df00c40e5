import { AsyncLocalStorage } from 'node:async_hooks'
import type {
  HTTPRequestContext,
  ProcessSettleFailureResponse,
  RouteConfig,
  SettlementOverrides,
  x402ResourceServer,
} from '@x402/core/server'
import type { PaymentPayload, PaymentRequired, PaymentRequirements } from '@x402/core/types'

type SettleResponse = Awaited<ReturnType<x402ResourceServer['settlePayment']>>

/** One request of a paid route on its way through the gate, for the seller's own hooks and what they say. */
export type RouteCall = {
  config: RouteConfig
  context: HTTPRequestContext
  /** The quote as the seller's server builds it. */
  required: PaymentRequired
  extensions: Record<string, unknown> | undefined
  settle: 'before' | 'after'
  /** Data of the client beside its payment, such as echoes of extensions. */
  echoed: PaymentPayload['extensions']
  /** Why the seller's side refused the payment, in its own words. */
  refusal?: string | undefined
  /** An answer of a hook in place of the handler's. */
  skip?: { contentType?: string; body?: unknown } | undefined
  /** The payment was given to a facilitator, or may have been. */
  wasHandedOver?: boolean
  settled?: SettleResponse | undefined
  failure?: Omit<ProcessSettleFailureResponse, 'headers' | 'response'> | undefined
  /** Answer of the handler, for hooks that settle by it. */
  answer?: { body: Buffer; headers: Record<string, string> } | undefined
  overrides?: SettlementOverrides | undefined
  /** The payment as hooks see it. */
  payload?: { payment: PaymentPayload; requirements: PaymentRequirements } | undefined
}

/** The request that is being worked on; there is none when payments are reconciled. */
export const routeCall = new AsyncLocalStorage<RouteCall>()
