import { createServer } from 'node:http'
import { HTTPFacilitatorClient, type RoutesConfig, x402ResourceServer } from '@x402/core/server'
import { ExactEvmScheme } from '@x402/evm/exact/server'
import express, { type RequestHandler } from 'express'
import { readConfig } from '../../app/config.ts'
import { paymentMiddleware } from '../../express.ts'
import { enter } from '../contestant.ts'
import { newFolder } from '../folders.ts'

/** One paid route of an Express application: `ours` or `stock`, with the facilitator at the address of the second argument. */
const [which = 'ours', url = ''] = process.argv.slice(2)
const network = 'eip155:84532'
const routes: RoutesConfig = {
  'GET /report': { accepts: { scheme: 'exact', payTo: `0x${'22'.repeat(20)}`, price: '$0.01', network } },
}
const server = new x402ResourceServer(new HTTPFacilitatorClient({ url })).register(
  network,
  new ExactEvmScheme(),
)

type Stock = { paymentMiddleware(routes: RoutesConfig, server: x402ResourceServer): RequestHandler }

/** The judges have it with packages of its own; here it would bring other versions of ours along. */
const stock = new URL(
  '../../../../test/interop/node_modules/@x402/express/dist/esm/index.mjs',
  import.meta.url,
)

const open = async (): Promise<RequestHandler> => {
  if (which === 'stock') return ((await import(stock.href)) as Stock).paymentMiddleware(routes, server)
  const config = readConfig({ OCTAGENT_DATA: await newFolder(), OCTAGENT_LOG: 'silent' })
  return paymentMiddleware(routes, server, undefined, undefined, true, { config })
}

const app = express()
app.use(await open())
app.get('/report', (_, res) => void res.json({ report: 'x'.repeat(500) }))
enter(createServer(app))
