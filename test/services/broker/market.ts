import { call, type Incoming } from '../../../mcp/kernel/call.ts'
import { openLedger } from '../../../mcp/payment/ledger/index.ts'
import { openCache } from '../../../mcp/ports/cache/cache.ts'
import type { Ports } from '../../../mcp/ports/ports.ts'
import { makeSigningKey, openSign } from '../../../mcp/ports/sign/sign.ts'
import { addCredits } from '../../../mcp/services/broker/money.ts'
import broker from '../../../mcp/services/broker/service.ts'
import { startInternet } from '../../internet/internet.ts'
import { openTestWorld } from '../../world.ts'

type Answer = Record<string, unknown>

/** An account of the market: its ids, its key, and the way to call as it. */
export type Trader = {
  id: string
  handle: string
  key: string
  ask(name: string, input?: object, more?: Partial<Incoming>): Promise<Answer>
}

/** The broker in a real world over the local internet; `now` may be moved. */
export const startMarket = async (more: Partial<Ports> = {}) => {
  const internet = await startInternet()
  let shift = 0
  const clock = { now: () => new Date(Date.now() + shift) }
  const ledger = openLedger(clock.now)
  const { dns, fetch } = internet.ports()
  const sign = openSign(makeSigningKey())
  const world = await openTestWorld({
    ports: { dns, fetch, clock, ledger, sign, cache: openCache({ clock }), ...more },
  })
  let clients = 0

  const ask = async (name: string, input: object = {}, more: Partial<Incoming> = {}): Promise<Answer> => {
    const tool = broker.tools.find(tool => tool.name === name)
    if (!tool) throw new Error(`no tool ${name}`)
    const { output } = await call(world, broker, tool, {
      channel: 'rest',
      input,
      credentials: {},
      request: { method: 'POST', url: `/broker/tools/${name}`, headers: {} },
      client: `client-${++clients}`,
      resource: `https://octagent.test/broker/tools/${name}`,
      evidence: { headers: {}, meta: {} },
      ...more,
    })
    return output
  }

  /** Credits that somebody else paid for. */
  const fund = (account: string, credits: number) => {
    const id = `test-${++clients}-${account}`
    return world.ports.store?.transaction(tx =>
      addCredits(tx, ledger, { id, account, credits, memo: 'test', from: 'grants' }),
    )
  }

  const trader = async ({ credits = 0, profile = true } = {}): Promise<Trader> => {
    const { account_id, handle, api_key } = await ask('register_account', { accepted_terms: true })
    const key = String(api_key)
    const one: Trader = {
      id: String(account_id),
      handle: String(handle),
      key,
      ask: (name, input, more) => ask(name, input, { credentials: { apiKey: key }, ...more }),
    }
    if (profile) {
      await one.ask('set_contact', { contact_name: `Agent ${handle}`, contact_email: `${handle}@agents.dev` })
      await one.ask('set_route', { deal_route: `https://agent-${handle}.dev/a2a` })
    }
    if (credits > 0) await fund(one.id, credits)
    return one
  }

  return {
    ask,
    fund,
    trader,
    internet,
    world,
    ledger,
    now: clock.now,
    /** Moves the clock of the market. */
    later: (ms: number) => {
      shift += ms
    },
    stop: async () => {
      await world.stop()
      await internet.stop()
    },
  }
}

export type Market = Awaited<ReturnType<typeof startMarket>>

export const listingOf = {
  listing_type: 'sell',
  title: 'Weekly market briefing',
  body: 'Ten pages on agent markets, every Monday.',
  category: 'research',
  price_usd: 12.5,
} as const

/** What was refused, and why. */
export const refused = async (asked: Promise<unknown>) => {
  try {
    await asked
  } catch (error) {
    return (
      error as { toProblem(): { code: string; reason?: string; detail: string; params?: object } }
    ).toProblem()
  }
  throw new Error('it was answered')
}
