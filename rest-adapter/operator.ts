import { createHash, timingSafeEqual } from 'node:crypto'
import { ToolError } from '../mcp/kernel/error.ts'
import { evidenceOf, queryOf, type Request, type Route } from '../mcp/kernel/http.ts'
import { json, send } from './send.ts'

export type Operations = {
  owed(): Promise<object[]>
  /** Gives an owed payment back, to where the payer wants it; resolves to the transaction. */
  refund(id: string, to?: string): Promise<string>
}

const digest = (text: string) => createHash('sha256').update(text).digest()

const check = (req: Request, token: string): void => {
  const { bearer } = evidenceOf(req).credentials
  if (bearer !== undefined && timingSafeEqual(digest(bearer), digest(token))) return
  throw new ToolError('unauthenticated', 'This is for the operator of the installation.', {
    hint: 'Use the command line next to the data folder: octagent owed, octagent refund <id>.',
    headers: { 'WWW-Authenticate': 'Bearer realm="operator"' },
  })
}

/**
 * `GET /operator/owed` and `POST /operator/refund/{id}`, for the command line: the embedded store belongs to the server,
 * so the server has to do it. The token is in the data folder.
 */
export const operatorRoutes = ({ owed, refund }: Operations, token: string): Route[] => [
  {
    method: 'GET',
    path: '/operator/owed',
    async handle(req, res) {
      check(req, token)
      send(res, 200, json, JSON.stringify({ owed: await owed() }))
    },
  },
  {
    method: 'POST',
    path: '/operator/refund/:id',
    async handle(req, res, { id = '' }) {
      check(req, token)
      const { to } = queryOf(req)
      const transaction = await refund(id, typeof to === 'string' ? to : undefined)
      send(res, 200, json, JSON.stringify({ id, transaction }))
    },
  },
]
