import { ToolError } from '../mcp/kernel/error.ts'
import { type Route, readBody, readEvidence } from '../mcp/kernel/http.ts'
import { asRecord } from '../mcp/lib/json.ts'
import { notFound } from './refuse.ts'
import { json, send } from './send.ts'

type Receipts = {
  read(id: string): Promise<object | undefined>
  /** Lets the payer, proven by a signature, have an answer again from a network address. */
  claim(id: string, signature: string, address: string): Promise<object>
}

const readSignature = (body: unknown): string => {
  const { signature } = asRecord(body)
  if (typeof signature === 'string' && /^[\w+/=]{64,20000}$/.test(signature)) return signature
  throw new ToolError('invalid_input', 'signature: the text that the payer signed, as hex or base58.', {
    issues: [{ path: 'signature', message: 'hex or base58 text' }],
  })
}

/**
 * `GET /receipts/{id}`: the receipt of a paid call for whoever has its 128-bit id; 404 for anything else.
 * `POST /receipts/{id}/claim` with `{"signature"}`: its payer may have the answer again.
 */
export const receiptRoutes = ({ read: loadReceipt, claim }: Receipts): Route[] => [
  {
    method: 'GET',
    path: '/receipts/:id',
    async handle(_, res, { id = '' }) {
      const receipt = await loadReceipt(id)
      if (!receipt)
        throw notFound('There is no such receipt.', 'The id is in the PAYMENT-RESPONSE of a paid call.')
      send(res, 200, json, JSON.stringify(receipt))
    },
  },
  {
    method: 'POST',
    path: '/receipts/:id/claim',
    async handle(req, res, { id = '' }) {
      const signature = readSignature(await readBody(req, res))
      send(res, 200, json, JSON.stringify(await claim(id, signature, readEvidence(req).client)))
    },
  },
]
