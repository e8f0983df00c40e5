import { endpoint } from '../../../kernel/endpoint.ts'
import { ToolError } from '../../../kernel/error.ts'
import { isRecord } from '../../../lib/json.ts'
import { paymasterData, readPaymasterCall, readRpcId, stubData, toRpcRefusal } from './rpc.ts'
import { sponsorChains } from './sponsor-chains.ts'

const readBody = (bytes: Uint8Array): Record<string, unknown> => {
  try {
    const body: unknown = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes))
    if (isRecord(body)) return { ...body }
  } catch {}
  throw new ToolError('malformed', 'The body is not a JSON object.', {
    hint: 'Send { sender, calls }, { userOperation }, { id, signature }, or a JSON-RPC call of ERC-7677, one at a time.',
  })
}

/** Everything about sponsored gas at one address, as wallets and scripts send it. */
export const gasEndpoint = endpoint({
  name: 'gas',
  title: 'Sponsor gas',
  description:
    'Takes { sender, calls } or { userOperation }: the 402 is the quote, and paid it answers with the operation to sign; then { id, signature[, authorization] } submits it. Takes JSON-RPC of ERC-7677 as well: pm_getPaymasterStubData is free, pm_getPaymasterData is paid.',
  method: 'POST',
  path: '/v1/gas',
  body: 'raw',
  maxBytes: 131_072,
  accepts: ['application/json'],
  answers: ['application/json'],
  needs: [sponsorChains],
  timeoutMs: 90_000,
}).run(async ({ sponsorChains: chains, call }, { bytes }) => {
  const body = readBody(bytes)
  if (body.jsonrpc !== undefined || body.method !== undefined) {
    try {
      const { id, method, userOperation, chainId, payment } = await readPaymasterCall(body)
      const result =
        method === 'pm_getPaymasterStubData'
          ? await stubData(chains, chainId)
          : paymasterData(
              await call(
                'gas_sponsor',
                { userOperation, chainId },
                payment === undefined ? undefined : { 'x402/payment': payment },
              ),
            )
      return { kind: 'json', body: { jsonrpc: '2.0', id, result } }
    } catch (cause) {
      return toRpcRefusal(cause, readRpcId(body))
    }
  }
  const tool = body.signature === undefined ? 'gas_sponsor' : 'gas_submit'
  return { kind: 'json', body: await call(tool, body) }
})
