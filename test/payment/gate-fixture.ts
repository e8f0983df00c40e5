import { randomBytes } from 'node:crypto'
import { z } from 'zod'
import { call, type Incoming, type World } from '../../mcp/kernel/call.ts'
import { PaymentRequired, ToolError } from '../../mcp/kernel/error.ts'
import { type AnyTool, tool, usd } from '../../mcp/kernel/tool.ts'
import { openPaymentDialect } from '../../mcp/payment/dialects/payment/payment.ts'
import { x402 } from '../../mcp/payment/dialects/x402/x402.ts'
import type { Alarm } from '../../mcp/payment/gate/alarm.ts'
import { openGate } from '../../mcp/payment/gate/open.ts'
import { paymentRows } from '../../mcp/payment/gate/record.ts'
import type { PaymentMethod } from '../../mcp/payment/method.ts'
import type { Store } from '../../mcp/ports/store/port.ts'
import { hints, incoming, serviceWith } from '../call/fixture.ts'
import { openTestWorld } from '../world.ts'
import { type Chain, openChain, openFakeMethod, pay } from './fake-method.ts'
import { type Payload, type Requirements, rates } from './x402.ts'

export const network = 'base-sepolia'

/** What tests turn: the price now, what the handler waits for and whether it fails. */
export type Knobs = {
  enter: (() => Promise<void>) | undefined
  price: string
  fail: Error | undefined
  wait: Promise<void> | undefined
  runs: number
}

/** Tools that write in their transaction (`feed`, before; `brush`, at its commit) and one that only reads (`look`, after). */
export const openTools = (knobs: Knobs): { feed: AnyTool; look: AnyTool; groom: AnyTool; brush: AnyTool } => {
  const input = z.object({ cat: z.string().describe('Name'), grams: z.int().default(10).describe('Weight') })
  const output = z.object({
    said: z.string().describe('What was done'),
    run: z.number().describe('Which run it was'),
  })
  const facts = {
    title: 'Feed',
    description: 'Feeds a cat.',
    input,
    output,
    needs: ['store'] as const,
    price: usd('0.10', network),
    quote: () => usd(knobs.price, network),
    hints,
    a2a: {},
    examples: [{ cat: 'Mia' }] as const,
  }
  const act = async () => {
    knobs.runs++
    await knobs.wait
    await knobs.enter?.()
    if (knobs.fail) throw knobs.fail
  }
  const writer = (name: string, settle: 'before' | 'commit' = 'before') =>
    tool({ ...facts, name, settle, examples: [{ cat: 'Mia' }] }).run(async ({ commit }, { cat }) => {
      await act()
      return commit(async tx => {
        const rows = tx.collection<{ id: string; run: number }>('fixture.meals')
        const run = ((await rows.get(cat))?.run ?? 0) + 1
        await rows.put({ id: cat, run })
        return { said: `${name} ${cat}`, run }
      })
    })
  const look = tool({
    ...facts,
    name: 'look',
    settle: 'after',
    hints: { ...hints, readOnly: true },
    examples: [{ cat: 'Mia' }],
  }).run(async (_, { cat }) => {
    await act()
    return { said: `look ${cat}`, run: knobs.runs }
  })
  return { feed: writer('feed'), groom: writer('groom'), brush: writer('brush', 'commit'), look }
}

/** A call, and the x402 payment that it brings: text as a header has it, anything else as a message has it. */
export type CallOptions = Partial<Incoming> & { payment?: unknown }

const paying = (payment: unknown): Partial<Incoming> => {
  if (payment === undefined) return {}
  if (typeof payment === 'string')
    return { evidence: { headers: { 'payment-signature': payment }, meta: {} } }
  return { evidence: { headers: {}, meta: { 'x402/payment': payment } } }
}

export type CallResult = Awaited<ReturnType<typeof call>>

/** A world with the real gate over the fake chain; `process` opens another one over the same store and chain. */
export const openPaid = async (
  more: { store?: Store; chain?: Chain; clock?: () => Date; hmacKey?: Buffer; previousHmacKey?: Buffer } = {},
) => {
  const chain = more.chain ?? openChain()
  const now = more.clock ?? (() => new Date())
  const clock = { now: () => now() }
  chain.now = () => now().getTime()
  const knobs: Knobs = { enter: undefined, price: '0.10', fail: undefined, wait: undefined, runs: 0 }
  const tools = openTools(knobs)
  const prepaid = { unit: 'credit', register: 'feed', topUps: ['feed'], freeCalls: 0 } as const
  const holder = { ...serviceWith(tools.feed, tools.groom, tools.look, tools.brush), prepaid }
  const hmacKey = more.hmacKey ?? randomBytes(32)
  const { previousHmacKey } = more
  const ports = { clock, ...(more.store && { store: more.store }) }
  const test = await openTestWorld({ ports })
  const store = test.ports.store as Store
  const alarms: Alarm[] = []
  const onAlarm = (alarm: Alarm) => void alarms.push(alarm)
  const boot = (methods: readonly PaymentMethod[] = [openFakeMethod(chain)], own: Store = store) => {
    const scheme = openPaymentDialect({ hmacKey, previousHmacKey, now, realm: () => 'pay.example.org' })
    const dialects = [x402, scheme]
    const gate = openGate({ methods, dialects, rates, store: own, clock, hmacKey, previousHmacKey, onAlarm })
    const world: World = { ...test, gate, ports: { ...test.ports, store: own } }
    const ask = (which: AnyTool, { payment, ...options }: CallOptions = {}) =>
      call(world, holder, which, incoming({ input: { cat: 'Mia' }, ...options, ...paying(payment) }))
    return { gate, world, ask }
  }
  const first = boot()
  return {
    ...first,
    ...tools,
    chain,
    knobs,
    alarms,
    store,
    holder,
    hmacKey,
    boot,
    rows: paymentRows(store),
    test,
    stop: test.stop,
  }
}

export type Paid = Awaited<ReturnType<typeof openPaid>>

/** What a call throws, as a ToolError. */
export const failing = async (promise: Promise<unknown>): Promise<ToolError> => {
  try {
    await promise
  } catch (cause) {
    if (cause instanceof ToolError) return cause
    throw cause
  }
  throw new Error('it was answered')
}

/** The first offer that an unpaid call gets. */
export const readQuote = async (promise: Promise<unknown>): Promise<Requirements> => {
  const error = await failing(promise)
  if (!(error instanceof PaymentRequired)) throw error
  const [offer] = (error.parts.structured?.accepts ?? []) as Requirements[]
  if (!offer) throw new Error('no offer')
  return offer
}

/** Asks for the quote of a call and signs it. */
export const signFor = async (
  paid: Pick<Paid, 'ask' | 'chain'>,
  which: AnyTool,
  options: CallOptions = {},
  from = paid.chain.payer(),
): Promise<Payload> => pay(paid.chain, from, await readQuote(paid.ask(which, options)))
