import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'
import type { FacilitatorClient } from '@x402/core/server'
import type { PaymentPayload, PaymentRequirements } from '@x402/core/types'

type FacilitatorBody = { paymentPayload: PaymentPayload; paymentRequirements: PaymentRequirements }

/** A facilitator over HTTP, as sellers have one; without a chain it supports the network and refuses every payment. */
export const serveFacilitator = async (facilitator: FacilitatorClient | undefined) => {
  const network = 'eip155:84532'
  const nothing = { kinds: [{ x402Version: 2, scheme: 'exact', network }], extensions: [], signers: {} }
  const server = createServer(async (req, res) => {
    const answer = (body: object) => {
      res.setHeader('content-type', 'application/json')
      res.end(JSON.stringify(body))
    }
    if (req.url === '/supported') return answer((await facilitator?.getSupported()) ?? nothing)
    const { paymentPayload, paymentRequirements } = (await json(req)) as FacilitatorBody
    if (req.url === '/verify')
      return answer((await facilitator?.verify(paymentPayload, paymentRequirements)) ?? { isValid: false })
    const settlement = await facilitator?.settle(paymentPayload, paymentRequirements)
    if (!settlement) return answer({ success: false, errorReason: 'no_chain', transaction: '', network })
    // A facilitator of this process adds what is only for its own program.
    const { success, errorReason, transaction } = settlement
    answer({ success, transaction, network, ...(errorReason !== undefined && { errorReason }) })
  })
  await new Promise<void>(listening => server.listen(0, '127.0.0.1', listening))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async stop() {
      server.closeAllConnections()
      await new Promise(resolve => server.close(resolve))
    },
  }
}
