import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { PaymentPayload, PaymentRequirements } from '@x402/core/types'

type FacilitatorRequest = { path: string; headers: IncomingHttpHeaders; body: Body | undefined }
type Body = { x402Version: number; paymentPayload: PaymentPayload; paymentRequirements: PaymentRequirements }

type Facilitating = {
  verify(payload: PaymentPayload, requirements: PaymentRequirements): Promise<object>
  settle(payload: PaymentPayload, requirements: PaymentRequirements): Promise<object>
  supported: readonly { network: string; extra?: object }[]
}

/** A facilitator over HTTP as others run it, which wants to see credentials and may misbehave. */
export const serveFacilitator = async (
  { verify, settle, supported }: Facilitating,
  isAllowed: (request: FacilitatorRequest) => boolean | Promise<boolean> = () => true,
) => {
  const requests: FacilitatorRequest[] = []
  const knobs: {
    instead: ((path: string, response: ServerResponse) => boolean | Promise<boolean>) | undefined
  } = {
    instead: undefined,
  }
  const answer = async ({ path, body }: FacilitatorRequest): Promise<object> => {
    if (path === '/supported') {
      const kinds = supported.map(kind => ({ x402Version: 2, scheme: 'exact', ...kind }))
      return { kinds, extensions: ['bazaar'], signers: {} }
    }
    if (!body) return {}
    const { paymentPayload, paymentRequirements } = body
    if (path === '/verify') return verify(paymentPayload, paymentRequirements)
    const settlement = { ...(await settle(paymentPayload, paymentRequirements)), receipt: undefined }
    return { network: paymentRequirements.network, ...settlement }
  }
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const text = String(Buffer.concat(chunks))
    const one = {
      path: request.url ?? '',
      headers: request.headers,
      body: text === '' ? undefined : (JSON.parse(text) as Body),
    }
    requests.push(one)
    const json = (status: number, value: object) =>
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value))
    if (!(await isAllowed(one))) return json(401, { error: 'unauthorized' })
    if (await knobs.instead?.(one.path, response)) return
    json(200, await answer(one))
  })
  await new Promise<void>(listening => server.listen(0, '127.0.0.1', listening))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    knobs,
    close: () =>
      new Promise<void>(resolve => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}
