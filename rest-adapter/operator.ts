import { createHash, timingSafeEqual } from 'node:crypto'
import { ToolError, toToolError } from '../mcp/kernel/error.ts'
import { parseUrlQuery, type Request, type Route, readEvidence } from '../mcp/kernel/http.ts'
import { json, send } from './send.ts'

export type Operations = {
  owed(): Promise<object[]>
  /** Compares all that money left behind; `chain` tells whether the chains are asked too. */
  audit(chain: boolean): Promise<object>
  /** Gives an owed payment back, to where the payer wants it, or one that was `served`; resolves to the transaction. */
  refund(id: string, to?: string, served?: boolean): Promise<string>
  /** Makes a transfer that nothing explains owed, or notes that it is the operator's own; resolves to its receipt. */
  owe(id: string, own: boolean): Promise<string>
  /** The settled payments of a time. */
  sales(from: string, to: string): Promise<object>
  /** Keeps the store from writing for so many seconds; resolves to the last commit, which its files hold then. */
  freeze?: ((seconds: number) => Promise<number>) | undefined
  /** JSON-RPC addresses of the local chains that run now, for wallets that have to ask one. */
  chains?(): Promise<{ solana?: string | undefined }>
  /** The accounts of people. */
  accounts?: {
    /** How many there are, and of what belongs to them. */
    count(): Promise<object>
    /** Everything that is stored about one, as the pieces of one JSON text. */
    export(id: string): AsyncIterable<string>
    delete(id: string): Promise<void>
  }
}

const digest = (text: string) => createHash('sha256').update(text).digest()

const check = (req: Request, token: string): void => {
  const { bearer } = readEvidence(req).credentials
  if (bearer !== undefined && timingSafeEqual(digest(bearer), digest(token))) return
  throw new ToolError('unauthenticated', 'This is for the operator of the installation.', {
    hint: 'Use the command line next to the data folder: octagent owed, octagent refund <id>.',
    headers: { 'WWW-Authenticate': 'Bearer realm="operator"' },
  })
}

const accountRoutes = (accounts: NonNullable<Operations['accounts']>, token: string): Route[] => [
  {
    method: 'GET',
    path: '/operator/accounts',
    async handle(req, res) {
      check(req, token)
      send(res, 200, json, JSON.stringify(await accounts.count()))
    },
  },
  {
    method: 'GET',
    path: '/operator/accounts/:id',
    async handle(req, res, { id = '' }) {
      check(req, token)
      let text = ''
      for await (const piece of accounts.export(id)) text += piece
      send(res, 200, json, text)
    },
  },
  {
    method: 'POST',
    path: '/operator/accounts/:id/delete',
    async handle(req, res, { id = '' }) {
      check(req, token)
      await accounts.delete(id)
      send(res, 200, json, JSON.stringify({ deleted: id }))
    },
  },
]

/**
 * `GET /operator/owed`, `GET /operator/chains`, `GET /operator/audit`, `GET /operator/sales`, `POST /operator/owe/{id}`, `POST /operator/refund/{id}`, `POST /operator/freeze` and `/operator/accounts`, for the command line: the embedded store belongs to the server,
 * so the server has to do it. The token is in the data folder.
 */
export const operatorRoutes = (
  { owed, audit, refund, owe, sales, freeze, chains, accounts }: Operations,
  token: string,
): Route[] => [
  ...(accounts ? accountRoutes(accounts, token) : []),
  {
    method: 'GET',
    path: '/operator/chains',
    async handle(req, res) {
      check(req, token)
      send(res, 200, json, JSON.stringify((await chains?.()) ?? {}))
    },
  },
  {
    method: 'GET',
    path: '/operator/owed',
    async handle(req, res) {
      check(req, token)
      send(res, 200, json, JSON.stringify({ owed: await owed() }))
    },
  },
  {
    method: 'GET',
    path: '/operator/audit',
    async handle(req, res) {
      check(req, token)
      res.writeHead(200, { 'Content-Type': json, 'Cache-Control': 'no-store' })
      // It may ask a chain for hours; spaces keep the connection, and JSON may begin with them.
      const alive = setInterval(() => res.write(' '), 10_000)
      const report = await audit(parseUrlQuery(req).chain !== 'false').catch(error =>
        toToolError(error).toProblem(),
      )
      clearInterval(alive)
      res.end(JSON.stringify(report))
    },
  },
  {
    method: 'GET',
    path: '/operator/sales',
    async handle(req, res) {
      check(req, token)
      const { from, to } = parseUrlQuery(req)
      send(res, 200, json, JSON.stringify(await sales(String(from ?? ''), String(to ?? '9999'))))
    },
  },
  {
    method: 'POST',
    path: '/operator/owe/:id',
    async handle(req, res, { id = '' }) {
      check(req, token)
      const receipt = await owe(decodeURIComponent(id), parseUrlQuery(req).own === 'true')
      send(res, 200, json, JSON.stringify({ id: receipt }))
    },
  },
  {
    method: 'POST',
    path: '/operator/freeze',
    async handle(req, res) {
      check(req, token)
      if (!freeze)
        throw new ToolError('conflict', 'This server has its store in PostgreSQL.', {
          hint: 'Give the address of the database as --from.',
        })
      const seconds = Number(parseUrlQuery(req).seconds)
      if (!(seconds > 0))
        throw new ToolError('invalid_input', 'seconds: must be a number above 0.', {
          issues: [{ path: 'seconds', message: 'must be a number above 0' }],
        })
      send(res, 200, json, JSON.stringify({ commit: await freeze(seconds) }))
    },
  },
  {
    method: 'POST',
    path: '/operator/refund/:id',
    async handle(req, res, { id = '' }) {
      check(req, token)
      const { to, served } = parseUrlQuery(req)
      const transaction = await refund(id, typeof to === 'string' ? to : undefined, served === 'true')
      send(res, 200, json, JSON.stringify({ id, transaction }))
    },
  },
]
