import { randomBytes } from 'node:crypto'
import { z } from 'zod'
import { balanceUnit, toWallet } from '../../mcp/accounts/account.ts'
import { credit, loadBook, toBook } from '../../mcp/accounts/books.ts'
import { limitsIn, type SpendingLimits } from '../../mcp/accounts/limits.ts'
import { openPeople } from '../../mcp/accounts/people.ts'
import accountService from '../../mcp/accounts/service.ts'
import { openSpending, spentDaysIn, toDay, toDayId } from '../../mcp/accounts/spending.ts'
import { call, type World } from '../../mcp/kernel/call.ts'
import { ToolError } from '../../mcp/kernel/error.ts'
import { identify, type Service } from '../../mcp/kernel/service.ts'
import { type AnyTool, type Price, sats, tool, usd } from '../../mcp/kernel/tool.ts'
import { formatUsd } from '../../mcp/lib/usd.ts'
import { openAccountDialect } from '../../mcp/payment/dialects/account/account.ts'
import { x402 } from '../../mcp/payment/dialects/x402/x402.ts'
import { openGate } from '../../mcp/payment/gate/open.ts'
import { openLedger } from '../../mcp/payment/ledger/index.ts'
import { openBalanceMethod } from '../../mcp/payment/methods/balance/method.ts'
import { configuredRates, openRates } from '../../mcp/payment/rates.ts'
import type { Store } from '../../mcp/ports/store/port.ts'
import { hints, incoming, serviceWith } from '../call/fixture.ts'
import { type Chain, openChain, openFakeMethod } from '../payment/fake-method.ts'
import { openLife } from '../payment/mortal.ts'
import { openTestWorld } from '../world.ts'

type Done = { id: string; grant: string; at: number }

export const doneIn = (store: Pick<Store, 'collection'>) =>
  store.collection<Done>('purse.done', [{ name: 'grant', fields: ['grant'] }])

const site = 'http://127.0.0.1:8402'

/** A key of these tests names an account and a grant, as a token does: `acct_… grant_…`. */
export const toKey = (account: string, grant: string): string => `${account} ${grant}`

/** Callers as sign-in makes them. */
export const identifyPerson = identify({ needs: [] }).run(async (_, { value }) => {
  const [account = '', spender = ''] = value.split(' ')
  if (!account.startsWith('acct_')) return undefined
  return {
    id: account,
    via: 'bearer',
    balance: { account: toWallet(account), unit: balanceUnit, spender },
  }
})

/** What tests turn: what the handler waits for and whether it fails. */
export type Knobs = {
  wait: Promise<void> | undefined
  enter: (() => void) | undefined
  fail: boolean
  /** What the work comes to, where that is less than its price. */
  used?: Price | undefined
}

/** Tools that cost 0.10 USD, 0.50 USD and 200 sat, which are 0.12 USD; each writes what it has done. */
export const openTools = (knobs: Knobs) => {
  const make = (name: string, price: AnyTool['price']): AnyTool =>
    tool({
      name,
      title: `Write ${name}`,
      description: 'Writes a row.',
      input: z.object({ text: z.string().describe('What') }),
      output: z.object({ done: z.string().describe('Its row') }),
      needs: ['store'],
      price,
      settle: 'before',
      hints,
      a2a: {},
      examples: [{ text: 'a' }],
    }).run(async ({ commit, spend, caller, receipt }) => {
      knobs.enter?.()
      await knobs.wait
      if (knobs.fail) throw new ToolError('upstream', 'It broke.')
      if (knobs.used) spend(knobs.used)
      return commit(async tx => {
        const id = receipt?.id ?? ''
        await doneIn(tx).insert({ id, grant: caller?.balance?.spender ?? '', at: 0 })
        return { done: id }
      })
    })
  return {
    dime: make('dime', usd('0.10', 'base')),
    half: make('half', usd('0.50', 'base')),
    coin: make('coin', sats('200', 'base')),
  }
}

type Options = { store?: Store; clock?: () => Date; hmacKey?: Buffer; chain?: Chain; waitMs?: number }

/** A world with people's balances over a gate and a chain in memory; `boot` opens another replica over the same store. */
export const openPurse = async ({ store: given, clock: now = () => new Date(), ...more }: Options = {}) => {
  const clock = { now }
  const chain = more.chain ?? openChain()
  chain.now = () => now().getTime()
  const knobs: Knobs = { wait: undefined, enter: undefined, fail: false }
  const tools = openTools(knobs)
  const service: Service = {
    ...serviceWith(tools.dime, tools.half, tools.coin),
    slug: 'shop',
    name: 'Shop',
    identify: { bearer: identifyPerson },
  }
  const rates = openRates([configuredRates({ sat: '0.0006' }, now)])
  const ledger = openLedger(now)
  const hmacKey = more.hmacKey ?? randomBytes(32)
  const test = await openTestWorld({
    ports: { clock, ledger, rates, ...(given && { store: given }) },
    base: ({ slug }) => `${site}/${slug}`,
  })
  const store = test.ports.store as Store

  const boot = (shared: Store = store) => {
    const life = openLife()
    const own = life.store(shared)
    const people = openPeople({
      store: own,
      clock,
      ledger,
      origin: () => 'http://localhost:8402',
      isOpen: () => true,
      ...(more.waitMs !== undefined && { waitMs: more.waitMs }),
    })
    const spending = openSpending({ clock, page: people.page })
    const methods = [
      openFakeMethod(chain, 'base'),
      openBalanceMethod({ unit: balanceUnit, ledger, store: own, now, spending }),
    ]
    const dialects = [x402, openAccountDialect({ base: () => site, page: people.page })]
    const gate = openGate({ methods, dialects, rates, people, store: own, clock, hmacKey })
    const world: World = { ...test, gate, ports: { ...test.ports, store: own } }
    const ask = (which: AnyTool, key: string, more: object = {}) =>
      call(world, service, which, incoming({ input: { text: 'a' }, credentials: { bearer: key }, ...more }))
    const pay = (id: string, payment?: unknown) => {
      const [tool] = accountService.tools
      if (!tool) throw new Error('no tool to pay with')
      const evidence = { headers: {}, meta: payment === undefined ? {} : { 'x402/payment': payment } }
      return call(world, accountService, tool, incoming({ input: { id }, evidence }))
    }
    return { ask, pay, gate, life, people, world, methods }
  }

  const setLimits = (grant: string, limits: Partial<SpendingLimits> & { account: string }) =>
    store.transaction(tx =>
      limitsIn(tx).put({
        id: grant,
        client: { id: 'client', name: 'Claude' },
        per_call: null,
        per_day: null,
        services: null,
        updated_at: now().toISOString(),
        ...limits,
      }),
    )
  let topUps = 0
  const topUp = (account: string, value: bigint) =>
    store.transaction(tx =>
      credit(tx, ledger, {
        id: `topup:test-${randomBytes(4).toString('hex')}-${++topUps}`,
        book: toBook(account),
        value,
        source: 'world:account-test',
        memo: 'test',
      }),
    )
  const balance = async (account: string) => {
    const { available, held, debt } = await loadBook(store, ledger, toBook(account))
    return { available: formatUsd(available), held: formatUsd(held), debt: formatUsd(debt) }
  }
  const spentToday = async (grant: string) =>
    formatUsd(BigInt((await spentDaysIn(store).get(toDayId(grant, toDay(now()))))?.spent ?? '0'))
  return {
    ...boot(),
    ...tools,
    boot,
    chain,
    clock,
    knobs,
    ledger,
    service,
    store,
    setLimits,
    topUp,
    balance,
    spentToday,
    stop: test.stop,
  }
}

export type Purse = Awaited<ReturnType<typeof openPurse>>
