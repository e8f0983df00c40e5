import type { x402ResourceServer } from '@x402/core/server'
import type { PaymentPayload, PaymentRequirements } from '@x402/core/types'
import type { Attempt, Offer } from '../../mcp/payment/method.ts'
import type { Carrier } from '../../mcp/payment/methods/x402-server/method.ts'
import { type RouteCall, routeCall } from './route-call.ts'

const scheme = 'exact'

/** The offer as the seller's server made it, where it is at hand: marks of ours are not its terms. */
const toRequirements = (offer: Offer, call: RouteCall | undefined): PaymentRequirements => {
  const { network, asset, payTo, amount, maxTimeoutSeconds, extra } = offer
  const own = call?.required.accepts.find(
    accepts => accepts.network === network && accepts.asset === asset && accepts.payTo === payTo,
  )
  const terms = own ?? { scheme, network, asset, payTo, maxTimeoutSeconds, extra }
  return { ...terms, amount } as PaymentRequirements
}

/** The payment in our words: what was signed, our offer, our resource; of the client's own only what extensions echo. */
const toPayload = (
  { data }: Attempt,
  requirements: PaymentRequirements,
  call: RouteCall | undefined,
): PaymentPayload => ({
  x402Version: 2,
  accepted: requirements,
  payload: { ...data },
  ...(call && { resource: call.required.resource }),
  ...(call?.echoed && { extensions: call.echoed }),
})

/** The refusal that a facilitator threw with an HTTP error; undefined for a connection that broke. */
const thrownReason = (error: unknown, field: 'invalidReason' | 'errorReason'): string | undefined =>
  error instanceof Error && field in error
    ? String((error as unknown as Record<string, unknown>)[field])
    : undefined

const transport = (call: RouteCall | undefined) =>
  call && {
    request: call.context,
    ...(call.answer && { responseBody: call.answer.body, responseHeaders: call.answer.headers }),
  }

const watchedServers = new WeakSet<x402ResourceServer>()

/** Hooks that stop a settlement run before this one does, which runs for whatever goes wrong from the facilitator on. */
const watchHandOver = (server: x402ResourceServer): void => {
  if (watchedServers.has(server)) return
  watchedServers.add(server)
  server.onSettleFailure(async () => {
    const call = routeCall.getStore()
    if (call) call.wasHandedOver = true
  })
}

/** The seller's own x402 server, with its facilitators, hooks and extensions, by its public calls. */
export const openCarrier = (server: x402ResourceServer): Carrier => ({
  async verify(attempt, offer) {
    const call = routeCall.getStore()
    const requirements = toRequirements(offer, call)
    const payment = toPayload(attempt, requirements, call)
    if (call) call.payload = { payment, requirements }
    try {
      const { isValid, invalidReason, payer, skipHandler } = await server.verifyPayment(
        payment,
        requirements,
        call?.extensions,
        transport(call),
      )
      if (call) {
        call.refusal = isValid ? undefined : invalidReason
        call.skip = skipHandler
      }
      return { isValid, invalidReason, payer }
    } catch (error) {
      const invalidReason = thrownReason(error, 'invalidReason')
      if (invalidReason === undefined) throw error
      if (call) call.refusal = invalidReason
      return { isValid: false, invalidReason }
    }
  },
  async settle(attempt, offer) {
    watchHandOver(server)
    const call = routeCall.getStore()
    if (call) call.wasHandedOver = false
    const requirements = toRequirements(offer, call)
    const payment = toPayload(attempt, requirements, call)
    try {
      const settled = await server.settlePayment(
        payment,
        requirements,
        call?.extensions,
        transport(call),
        call?.overrides,
        call?.settle === 'before' ? 'before-handler' : 'after-handler',
      )
      if (call && settled.success) call.settled = settled
      if (call && !settled.success)
        call.failure = { ...settled, success: false, errorReason: settled.errorReason ?? 'Settlement failed' }
      return settled
    } catch (error) {
      const errorReason = thrownReason(error, 'errorReason')
      if (errorReason === undefined) throw error
      const { transaction = '' } = error as { transaction?: string }
      const network = requirements.network
      if (call) call.failure = { success: false, errorReason, transaction, network }
      return { success: false, errorReason, transaction, unsent: call?.wasHandedOver === false }
    }
  },
})
