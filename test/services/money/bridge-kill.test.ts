// Costs: processes on two local chains, killed with -9 between states, on both stores.
import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { stablecoinBridge } from '../../../contracts/stablecoin-bridge.ts'
import { onAnvil } from '../../payment/evm-chain.ts'
import { openRpcProxy } from '../../payment/rpc-proxy.ts'
import type { Requirements } from '../../payment/x402.ts'
import { compile } from '../../store/compiled.ts'
import { freshSchema, postgresIsHere, withDatabase } from '../../store/database.ts'
import { sample } from '../../stress.ts'
import type { ChildOrders } from './bridge-child.ts'
import { type BridgeWorld, half, openBridgeWorld } from './bridge-world.ts'

const url = withDatabase()
const program = compile('../services/money/bridge-child')

type Line = {
  output?: { transfer: { state: string } }
  code?: string
  offer?: Requirements
  transfers?: { state: string; amount: string; received: string | null }[]
}

/** Where a process is killed: when it asks for something the first, second … time. `before`: nobody gets what it asked. */
type Stop = { at: 'base' | 'arc' | 'iris'; what: string; nth: number; before: boolean }

const send = 'eth_sendRawTransaction'

const stops: readonly [string, Stop, forward: 'mint' | 'fail'][] = [
  ['before the burn is broadcast', { at: 'base', what: send, nth: 1, before: true }, 'mint'],
  ['after the burn is broadcast', { at: 'base', what: send, nth: 1, before: false }, 'mint'],
  ['when it is burned', { at: 'iris', what: '/v2/messages', nth: 1, before: true }, 'mint'],
  ['when it is attested', { at: 'iris', what: '/v2/messages', nth: 1, before: false }, 'mint'],
  ['before its own mint is broadcast', { at: 'arc', what: send, nth: 1, before: true }, 'fail'],
  ['after its own mint is broadcast', { at: 'arc', what: send, nth: 1, before: false }, 'fail'],
]

/** The bridge in processes of its own, on two chains that it takes for the real ones, killed with -9 between any two states. */
onAnvil('a bridge that is killed with -9', () => {
  let world: BridgeWorld
  let parts: Awaited<ReturnType<typeof openParts>>
  let stop: Stop | undefined
  let count = 0
  let child: ChildProcess | undefined

  /** True when the process that asks is dead now. */
  const meets = (at: Stop['at'], what: string): boolean => {
    if (!stop || stop.at !== at || !what.startsWith(stop.what)) return false
    count += 1
    if (count !== stop.nth) return false
    child?.kill('SIGKILL')
    return true
  }

  const openParts = async () => {
    const [base, arc] = await Promise.all(
      (['base', 'arc'] as const).map(async name => {
        const proxy = await openRpcProxy((await world.devnet.network(name)).rpc)
        proxy.knobs.interfere = ({ method }) => (meets(name, method) && stop?.before ? 'broken' : undefined)
        return proxy
      }),
    )
    if (!base || !arc) throw new Error('two chains have two nodes')
    const { ask } = await world.bridge.localBridge()
    const iris = createServer(async (request, response) => {
      const chunks: Buffer[] = []
      for await (const chunk of request) chunks.push(chunk as Buffer)
      if (meets('iris', request.url ?? '') && stop?.before) return void response.destroy()
      const body = chunks.length > 0 ? (JSON.parse(Buffer.concat(chunks).toString()) as object) : undefined
      const answer = await ask(request.method === 'POST' ? 'POST' : 'GET', request.url ?? '', body)
      response.writeHead(answer.status, { 'content-type': 'application/json' })
      response.end(JSON.stringify(answer.body ?? null))
    })
    await new Promise<void>(listening => iris.listen(0, '127.0.0.1', listening))
    return { base, arc, iris, irisUrl: `http://127.0.0.1:${(iris.address() as AddressInfo).port}` }
  }

  beforeAll(async () => {
    world = await openBridgeWorld()
    await world.readOffer()
    parts = await openParts()
  })
  afterAll(async () => {
    parts.iris.close()
    await Promise.all([parts.base.close(), parts.arc.close()])
    await world.stop()
  })

  const orders = async (dir: string, more: Partial<ChildOrders>): Promise<ChildOrders> => ({
    dir,
    rpc: { base: parts.base.url, arc: parts.arc.url },
    iris: parts.irisUrl,
    lane: await world.lane(),
    relayerKey: (await world.devnet.keys()).facilitator,
    aheadMs: 0,
    input: half,
    ...more,
  })

  const run = async (order: ChildOrders, env: NodeJS.ProcessEnv = {}): Promise<Line | undefined> => {
    count = 0
    child = spawn(process.execPath, [program], {
      stdio: ['ignore', 'pipe', 'inherit'],
      env: { ...process.env, ...env, BRIDGE_CHILD: JSON.stringify(order) },
    })
    const { stdout } = child
    if (!stdout) throw new Error('no output')
    let last: Line | undefined
    for await (const text of createInterface({ input: stdout })) last = JSON.parse(text) as Line
    return last
  }

  const burnsOf = async (payer: string) => {
    const reader = await world.base.reader()
    const logs = await reader.getContractEvents({
      address: await world.lane(),
      abi: stablecoinBridge.abi,
      eventName: 'Bridged',
      args: { from: payer as `0x${string}` },
      fromBlock: 0n,
    })
    return logs.length
  }

  const story = async (
    dir: string,
    where: Stop,
    forward: 'mint' | 'fail',
    { comesBack, ...more }: Partial<ChildOrders> & { comesBack: boolean },
  ) => {
    const payer = await world.payer()
    stop = undefined
    const quoted = await run(await orders(dir, more), { BRIDGE_QUOTE: '1' })
    if (!quoted?.offer) throw new Error(`no offer: ${JSON.stringify(quoted)}`)
    const payment = await world.pay(payer.account, quoted.offer)
    const troubles = await world.troubles()
    troubles.forward = forward
    stop = where
    expect(await run(await orders(dir, { ...more, payment }))).toBeUndefined()
    stop = undefined
    // Another process takes over 45 seconds after the one that held the payment has died.
    const later = { ...more, aheadMs: 46_000, ...(comesBack && { payment }) }
    const line = await run(await orders(dir, later))
    troubles.forward = 'mint'
    expect(line?.transfers).toMatchObject([{ state: 'minted', amount: '500000', received: '500000' }])
    const { arc, base } = await world.balances(payer.address)
    expect(arc).toBe(500_000n)
    expect(5_000_000n - base).toBe(BigInt(quoted.offer.amount))
    expect(await burnsOf(payer.address)).toBe(1)
    return line
  }

  test.each(sample(stops, 2))(
    '%s: the payment comes again, and the transfer completes once',
    async (_, where, forward) => {
      const dir = await mkdtemp(join(tmpdir(), 'octagent-bridge-'))
      const line = await story(dir, where, forward, { comesBack: true })
      expect(line?.output?.transfer).toMatchObject({ amount: '0.5' })
      await rm(dir, { recursive: true, force: true })
    },
  )

  test.each(
    sample(
      stops.filter((_, at) => at % 2 === 1),
      1,
    ),
  )('%s: the payer never comes back, and its money arrives all the same', async (_, where, forward) => {
    const dir = await mkdtemp(join(tmpdir(), 'octagent-bridge-'))
    await story(dir, where, forward, { comesBack: false })
    await rm(dir, { recursive: true, force: true })
  })

  test.skipIf(!postgresIsHere).each(
    sample(
      stops.filter((_, at) => at % 2 === 1),
      1,
    ),
  )('%s: another replica on PostgreSQL completes it once', async (_, where, forward) => {
    const dir = await mkdtemp(join(tmpdir(), 'octagent-bridge-'))
    const database = { url: url(), schema: freshSchema() }
    await story(dir, where, forward, { comesBack: true, database })
    await rm(dir, { recursive: true, force: true })
  })
})
