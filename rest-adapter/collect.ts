import { call, type Incoming, type World } from '../mcp/kernel/call.ts'
import { PaymentPending } from '../mcp/kernel/error.ts'
import { leaving, type Route, readEvidence } from '../mcp/kernel/http.ts'
import type { Service } from '../mcp/kernel/service.ts'
import { notFound } from './refuse.ts'
import { sendOutcome, withLocation } from './tool-route.ts'

/**
 * `GET /payments/{handle}`: the answer of a paid call, as the call itself would have had it; 202 with the same `Location` while the
 * payment is being confirmed. Who called with a credential collects with it.
 */
export const collectRoute = (world: World, services: readonly Service[]): Route => ({
  method: 'GET',
  path: '/payments/:handle',
  async handle(req, res, { handle = '' }) {
    const kept = /^[\w-]{43}$/.test(handle) ? await world.gate?.calls?.find(handle) : undefined
    const service = services.find(({ slug }) => slug === kept?.service)
    const tool = service?.tools.find(({ name }) => name === kept?.tool)
    if (!kept || !service || !tool)
      throw notFound('There is no such payment.', 'Location of a 202 names it, for 30 days.')
    const { credentials, request, client } = readEvidence(req)
    const { input, resource, record } = kept
    const incoming: Incoming = {
      channel: 'rest',
      input,
      credentials,
      request,
      client,
      resource,
      evidence: { headers: {}, meta: {}, record },
      signal: leaving(res),
    }
    try {
      sendOutcome(res, tool, await call(world, service, tool, incoming))
    } catch (error) {
      if (!(error instanceof PaymentPending)) throw error
      throw await withLocation(world, service, tool, incoming, error)
    }
  },
})
