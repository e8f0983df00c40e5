import { writeSync } from 'node:fs'
import { join } from 'node:path'
import type { Hex } from 'viem'
import { call } from '../../../mcp/kernel/call.ts'
import { ToolError } from '../../../mcp/kernel/error.ts'
import { x402 } from '../../../mcp/payment/dialects/x402/x402.ts'
import { openGate } from '../../../mcp/payment/gate/open.ts'
import { openX402Evm } from '../../../mcp/payment/methods/x402-evm/method.ts'
import { openCache } from '../../../mcp/ports/cache/cache.ts'
import { openChain } from '../../../mcp/ports/chain/chain.ts'
import { openChains } from '../../../mcp/ports/chain/chains.ts'
import { networks } from '../../../mcp/ports/chain/networks.ts'
import { openEvm } from '../../../mcp/ports/evm/evm.ts'
import type { Fetch } from '../../../mcp/ports/fetch/port.ts'
import { openBridge } from '../../../mcp/services/money/bridge/bridge.ts'
import { advanceDue } from '../../../mcp/services/money/bridge/follow.ts'
import { bridge as bridgePort } from '../../../mcp/services/money/bridge/port.ts'
import { transfersIn } from '../../../mcp/services/money/bridge/transfer.ts'
import { openEmbedded } from '../../../store/embedded/open.ts'
import { openPostgres } from '../../../store/postgres/open.ts'
import { rates } from '../../payment/x402.ts'
import { openTestWorld } from '../../world.ts'
import { testTerms } from './bridge-terms.ts'
import { service } from './run.ts'

/** What the parent tells this process: nodes, attestation service and keys are real ones to it. */
export type ChildOrders = {
  dir: string
  database?: { url: string; schema: string }
  rpc: { base: string; arc: string }
  iris: string
  lane: Hex
  relayerKey: Hex
  aheadMs: number
  input: object
  /** Without one, the payer never comes back: only the jobs run. */
  payment?: unknown
}

const orders = JSON.parse(process.env.BRIDGE_CHILD ?? '{}') as ChildOrders
const tell = (line: object): void => void writeSync(1, `${JSON.stringify(line)}\n`)

const clock = { aheadMs: orders.aheadMs, now: () => new Date(Date.now() + clock.aheadMs) }
const store = orders.database
  ? await openPostgres(orders.database)
  : await openEmbedded({ dir: join(orders.dir, 'store') })

const chains = {
  base: openChain({ network: networks.base, rpc: orders.rpc.base }),
  arc: openChain({ network: networks.arc, rpc: orders.rpc.arc }),
}
const relayerKey = async () => orders.relayerKey
const secret = (text: string) => ({ reveal: () => text })

/** The port's part that is used, without its guard: the service of this test is on this machine. */
const plainFetch: Fetch = async (url, { method = 'GET', headers = {}, body } = {}) => {
  const response = await fetch(url, { method, headers, ...(body !== undefined && { body: String(body) }) })
  const bytes = Buffer.from(await response.arrayBuffer())
  const text = () => ({ text: bytes.toString('utf8'), charset: 'utf-8', charsetSource: 'header' })
  return { url, status: response.status, hops: [], headers: {}, body: bytes, truncated: false, text }
}

const evm = openEvm({
  rpc: {
    eth: [],
    arbitrum: [],
    optimism: [],
    polygon: [],
    base: [secret(orders.rpc.base)],
    arc: [secret(orders.rpc.arc)],
  },
})
const cache = openCache({ clock })
const port = openChains({
  devnet: undefined,
  node: name => (name === 'base' || name === 'arc' ? orders.rpc[name] : undefined),
  shared: name => (name === 'base' || name === 'arc' ? chains[name] : undefined),
  relayerKey,
})
const bridge = openBridge({
  chains: port,
  evm,
  fetch: plainFetch,
  cache,
  store,
  clock,
  terms: { ...testTerms, lanes: { 'base-arc': orders.lane }, attestations: orders.iris },
})
const test = await openTestWorld({ ports: { store, clock } })
const gate = openGate({
  methods: [
    openX402Evm({
      chain: chains.base,
      payTo: async () => orders.lane,
      facilitator: { key: relayerKey },
      relayerKey,
      now: clock.now,
    }),
  ],
  dialects: [x402],
  rates,
  store,
  clock,
  hmacKey: Buffer.alloc(32, 7),
})
const world = {
  ...test,
  gate,
  own: new Map([[bridgePort, bridge]]) as never,
  ports: { ...test.ports, store, chains: port, evm, cache },
}

const ask = async (payment?: unknown): Promise<object> => {
  const tool = service.tools.find(({ name }) => name === 'bridge_transfer')
  if (!tool) throw new Error('no tool')
  try {
    const { output } = await call(world, service, tool, {
      channel: 'mcp',
      input: orders.input,
      credentials: {},
      request: { method: 'POST', url: '/money/tools/bridge_transfer', headers: {} },
      client: 'test',
      resource: 'mcp://tool/bridge_transfer',
      evidence: { headers: {}, meta: payment === undefined ? {} : { 'x402/payment': payment } },
    })
    return { output }
  } catch (error) {
    if (!(error instanceof ToolError)) throw error
    const parts = 'parts' in error ? (error.parts as { structured?: { accepts?: unknown[] } }) : undefined
    return { code: error.code, message: error.message, offer: parts?.structured?.accepts?.[0] }
  }
}

const readTransfers = async () => (await transfersIn(store).find({ index: 'due', limit: 100 })).rows

if (process.env.BRIDGE_QUOTE) tell(await ask())
else {
  const answer = orders.payment === undefined ? {} : await ask(orders.payment)
  const end = Date.now() + 120_000
  // As the jobs do, in less time: the clock is turned on between two runs.
  while (Date.now() < end) {
    const rows = await readTransfers()
    if (rows.length > 0 && rows.every(({ open }) => !open)) break
    clock.aheadMs += 3_000
    await gate.reconcile().catch(() => undefined)
    await advanceDue(bridge, AbortSignal.timeout(20_000)).catch(() => undefined)
  }
  tell({ ...answer, transfers: await readTransfers() })
}
process.exit(0)
