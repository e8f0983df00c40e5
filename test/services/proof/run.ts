import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { call, type Incoming } from '../../../mcp/kernel/call.ts'
import type { OwnNeed } from '../../../mcp/kernel/need.ts'
import { x402 } from '../../../mcp/payment/dialects/x402/x402.ts'
import { openGate } from '../../../mcp/payment/gate/open.ts'
import type { PaymentMethod } from '../../../mcp/payment/method.ts'
import { configuredRates, openRates } from '../../../mcp/payment/rates.ts'
import { openKeys } from '../../../mcp/ports/keys/keys.ts'
import type { Ports } from '../../../mcp/ports/ports.ts'
import { makeSigningKey, openSign } from '../../../mcp/ports/sign/sign.ts'
import { openWorkers } from '../../../mcp/ports/workers/workers.ts'
import { openTransparencyLog, transparencyLog } from '../../../mcp/services/proof/ledger/log.ts'
import proof from '../../../mcp/services/proof/service.ts'
import { endpointRoute } from '../../../rest-adapter/endpoint-route.ts'
import { openEmbedded } from '../../../store/embedded/open.ts'
import type { Store } from '../../../store/index.ts'
import { listen } from '../../listen.ts'
import { openChain, openFakeMethod, pay } from '../../payment/fake-method.ts'
import type { Requirements } from '../../payment/x402.ts'
import { openTestWorld } from '../../world.ts'

/** The verification service. */
export const service = proof

const payer = '0x00000000000000000000000000000000000000cc'

type Answer = Record<string, unknown>

/** The fake method for prices in sats, which it converts as real ones do. */
const takesSats = (method: PaymentMethod): PaymentMethod => ({
  ...method,
  takes: ({ unit }) => unit === 'sat',
  offer: async (asked, rates) => {
    const { amount } = await rates.convert(asked.price, 'usd')
    return method.offer({ ...asked, price: { ...asked.price, amount, unit: 'usd' } }, rates)
  },
})

type Options = {
  store?: Store
  sign?: ReturnType<typeof openSign>
  /** Milliseconds that its clock is ahead. */
  ahead?: number
  settings?: readonly (readonly [OwnNeed, unknown])[]
  ports?: Partial<Ports>
}

/** The service over a real store, with a clock that tests set and a gate whose chain is in memory; a sat is worth 0.0006 USD. */
export const startProof = async ({
  store: stored,
  sign = openSign(makeSigningKey()),
  settings = [],
  ports = {},
  ahead = 0,
}: Options = {}) => {
  const dir = await mkdtemp(join(tmpdir(), 'octagent-proof-'))
  const store = stored ?? (await openEmbedded({ dir }))
  let shift = ahead
  const clock = { now: () => new Date(Date.now() + shift) }
  const chain = openChain('eip155:8453')
  chain.now = () => clock.now().getTime()
  chain.balances.set(payer, 1_000_000_000n)
  const gate = openGate({
    methods: [takesSats(openFakeMethod(chain, 'base'))],
    dialects: [x402],
    rates: openRates([configuredRates({ sat: '0.0006' }, clock.now)]),
    store,
    clock,
    hmacKey: randomBytes(32),
  })
  const log = await openTransparencyLog({ store, clock, sign, ledgerOrigin: 'auto', reporters: [] })
  const own = new Map<OwnNeed, unknown>([[transparencyLog, log], ...settings])
  const workers = openWorkers()
  const base = await openTestWorld({
    ports: { store, clock, sign, keys: openKeys(randomBytes(32)), workers, ...ports },
    own,
  })
  const world = { ...base, gate }
  const routes = service.endpoints?.map(endpoint => endpointRoute(world, service, endpoint)) ?? []
  const { url, stop } = await listen([{ prefix: '/proof', routes }])
  base.at(url)
  let clients = 0

  const ask = async (name: string, input: object, more: Partial<Incoming> = {}): Promise<Answer> => {
    const tool = service.tools.find(tool => tool.name === name)
    if (!tool) throw new Error(`no tool ${name}`)
    const outcome = await call(world, service, tool, {
      channel: 'mcp',
      input,
      credentials: {},
      request: { method: 'POST', url: `/proof/tools/${name}`, headers: {} },
      client: `client-${++clients}`,
      resource: `${url}/proof/tools/${name}`,
      evidence: { headers: {}, meta: {} },
      ...more,
    })
    return outcome.output as Answer
  }

  return {
    chain,
    clock,
    store,
    sign,
    log,
    url: `${url}/proof`,
    ask,
    /** Pays what a tool asks for and calls it again. */
    async buy(name: string, input: object): Promise<Answer> {
      const refusal = await ask(name, input).then(
        () => undefined,
        (error: unknown) => error as { code: string; parts: { structured: { accepts: Requirements[] } } },
      )
      if (refusal?.code !== 'payment_required') throw refusal ?? new Error(`${name} was free`)
      const [offer] = refusal.parts.structured.accepts
      if (!offer) throw new Error('no offer')
      const meta = { 'x402/payment': pay(chain, payer, offer) }
      return ask(name, input, { evidence: { headers: {}, meta } })
    },
    later: (ms: number) => {
      shift += ms
    },
    async stop() {
      log.close()
      await stop()
      await workers.close()
      await base.stop()
      if (!stored) await store.close()
      await rm(dir, { recursive: true, force: true })
    },
  }
}

/** The refusal of a call. */
export const refusalOf = async (asked: Promise<unknown>) => {
  try {
    await asked
  } catch (error) {
    return error as { code: string; message: string; extra: { reason?: string; hint?: string } }
  }
  throw new Error('it was answered')
}
