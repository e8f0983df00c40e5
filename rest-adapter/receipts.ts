import type { Route } from '../mcp/kernel/http.ts'
import { notFound } from './refuse.ts'
import { json, send } from './send.ts'

/** `GET /receipts/{id}`: the receipt of a paid call for whoever has its 128-bit id; 404 for anything else. */
export const receiptRoutes = (read: (id: string) => Promise<object | undefined>): Route[] => [
  {
    method: 'GET',
    path: '/receipts/:id',
    async handle(_, res, { id = '' }) {
      const receipt = await read(id)
      if (!receipt)
        throw notFound('There is no such receipt.', 'The id is in the PAYMENT-RESPONSE of a paid call.')
      send(res, 200, json, JSON.stringify(receipt))
    },
  },
]
