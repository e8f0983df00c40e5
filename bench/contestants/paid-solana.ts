import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { readConfig } from '../../app/config.ts'
import { openWorld } from '../../app/world.ts'
import type { Request } from '../../mcp/kernel/http.ts'
import { x402 } from '../../mcp/payment/dialects/x402/x402.ts'
import { openGate } from '../../mcp/payment/gate/open.ts'
import { openX402Svm } from '../../mcp/payment/methods/x402-svm/method.ts'
import { openRates } from '../../mcp/payment/rates.ts'
import { toAddress } from '../../mcp/ports/solnet/keys.ts'
import { solanaNetworks } from '../../mcp/ports/solnet/network.ts'
import { openSolnet } from '../../mcp/ports/solnet/solnet.ts'
import data from '../../mcp/services/data/service.ts'
import { restRoutes } from '../../rest-adapter/index.ts'
import { openRouter } from '../../rest-adapter/router.ts'
import { contest } from '../contestant.ts'
import { newFolder } from '../folders.ts'

/** The data skills over REST, paid on a local Solana whose address is told: the program keeps that to itself. */
const dir = await newFolder()
const settings = { OCTAGENT_DATA: dir, OCTAGENT_DEVNET: 'false', OCTAGENT_RATE_LIMIT: '1000000000' }
const solnet = openSolnet({ dir })
const keys = await solnet.keys()
const method = openX402Svm({
  network: solanaNetworks.devnet,
  devnet: true,
  rpc: solnet.rpc,
  payTo: async () => toAddress(keys.payTo),
  facilitator: { key: async () => keys.feePayer },
})

let url = ''
const { world, store, close } = await openWorld(readConfig(settings, [data]), () => url, { services: [data] })
const gate = openGate({
  methods: [method],
  dialects: [x402],
  rates: openRates([]),
  store,
  clock: { now: () => new Date() },
  hmacKey: Buffer.alloc(32, 7),
})
const route = openRouter([{ prefix: '/data', routes: restRoutes({ ...world, gate }, data) }])
const server = createServer((req, res) => route(req as Request, res))
await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
contest({ url, rpc: await solnet.rpc(), key: keys.demo }, {}, async () => {
  await close()
  await solnet.close()
})
