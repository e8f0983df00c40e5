import { randomBytes } from 'node:crypto'
import { call, type Incoming } from '../../../mcp/kernel/call.ts'
import type { OwnNeed } from '../../../mcp/kernel/need.ts'
import type { Gate } from '../../../mcp/payment/charge.ts'
import { x402 } from '../../../mcp/payment/dialects/x402/x402.ts'
import { openGate } from '../../../mcp/payment/gate/open.ts'
import { openCache } from '../../../mcp/ports/cache/cache.ts'
import type { Ports } from '../../../mcp/ports/ports.ts'
import { makeSigningKey, openSign } from '../../../mcp/ports/sign/sign.ts'
import type { Store } from '../../../mcp/ports/store/port.ts'
import { openRecord, record } from '../../../mcp/services/forecast/record/log.ts'
import service from '../../../mcp/services/forecast/service.ts'
import { openChain, openFakeMethod } from '../../payment/fake-method.ts'
import { rates } from '../../payment/x402.ts'
import { openTestWorld } from '../../world.ts'

let clients = 0

/** The forecasting service in a real world, with a clock that tests set and a gate that takes payments. */
export const startForecast = async (
  ports: Partial<Ports> = {},
  more: readonly (readonly [OwnNeed, unknown])[] = [],
) => {
  let now = new Date('2026-01-10T12:00:00.000Z')
  const clock = { now: () => now }
  const sign = openSign(makeSigningKey())
  const own = new Map<OwnNeed, unknown>(more)
  const test = await openTestWorld({ ports: { clock, sign, cache: openCache({ clock }), ...ports }, own })
  const store = test.ports.store as Store
  const openOwnRecord = () => openRecord({ store, clock })
  own.set(record, openOwnRecord())
  const chain = openChain('eip155:8453')
  chain.now = () => now.getTime()
  const gate = openGate({
    methods: [openFakeMethod(chain, 'base')],
    dialects: [x402],
    rates,
    store,
    clock,
    hmacKey: randomBytes(32),
  })
  const world = { ...test, gate }

  const askIn = async (
    within: typeof test,
    name: string,
    input: object = {},
    more: Partial<Incoming> = {},
  ) => {
    const tool = service.tools.find(tool => tool.name === name)
    if (!tool) throw new Error(`no tool ${name}`)
    const outcome = await call(within, service, tool, {
      channel: 'rest',
      input,
      credentials: {},
      request: { method: 'POST', url: `/forecast/tools/${name}`, headers: {} },
      client: `client-${++clients}`,
      resource: `http://127.0.0.1/forecast/tools/${name}`,
      evidence: { headers: {}, meta: {} },
      ...more,
    })
    // biome-ignore lint/suspicious/noExplicitAny: tests read the fields that they expect
    return outcome.output as any
  }

  const ask = (name: string, input: object = {}, more: Partial<Incoming> = {}) =>
    askIn(world, name, input, more)
  /** As if it were paid for already: nothing is offered and nothing settled, so that what a call costs itself can be seen. */
  const paidGate: Gate = {
    charge: async (_, work) => {
      const seal = async () => undefined
      const answer = await work({ receipt: undefined, parts: {}, seal, decline: seal })
      return { answer, receipt: { id: '0', method: '', network: '', transaction: '', payer: '' }, parts: {} }
    },
    findPayment: async () => undefined,
    isPayable: () => true,
    findQuote: async () => undefined,
    hasPayment: () => true,
    members: [],
    extensions: [],
  }
  const askPaid = (name: string, input: object = {}) => askIn({ ...test, gate: paidGate }, name, input)

  return {
    ask,
    askPaid,
    chain,
    clock,
    sign,
    store,
    world,
    own,
    record: () => own.get(record) as ReturnType<typeof openRecord>,
    openRecord: openOwnRecord,
    now: () => now,
    at(iso: string) {
      now = new Date(iso)
    },
    stop: test.stop,
  }
}

export type ForecastWorld = Awaited<ReturnType<typeof startForecast>>

type Refusal = {
  code: string
  message: string
  parts?: { structured?: unknown }
  extra: { issues?: { path: string; message: string }[]; reason?: string; retryAfter?: number }
}

/** The refusal of a call. */
export const refusalOf = async (asked: Promise<unknown>): Promise<Refusal> => {
  try {
    await asked
  } catch (error) {
    return error as Refusal
  }
  throw new Error('it was answered')
}
