import { expect, test } from 'vitest'
import { ToolError } from '../../mcp/kernel/error.ts'
import { listOwed } from '../../mcp/payment/gate/owed.ts'
import { openPostgres } from '../../store/postgres/open.ts'
import { randomFrom } from '../random.ts'
import { freshSchema, postgresIsHere, withDatabase } from '../store/database.ts'
import { runs } from '../stress.ts'
import { openFakeMethod } from './fake-method.ts'
import { openPaid, signFor } from './gate-fixture.ts'
import { openLife } from './mortal.ts'
import type { Payload } from './x402.ts'

const url = withDatabase()

const stores = ['embedded', ...(postgresIsHere ? ['postgres'] : [])]
const kills = runs(500, 50)

type Order = { payment: Payload; name: 'feed' | 'look'; answers: Set<string>; key: string }

test.each(stores)(
  `${kills} kills under paying load on %s: nothing paid without an answer or a debt`,
  async engine => {
    let at = Date.now()
    const store =
      engine === 'postgres' ? await openPostgres({ url: url(), schema: freshSchema() }) : undefined
    const paid = await openPaid({ clock: () => new Date(at), ...(store && { store }) })
    const { chain } = paid
    const random = randomFrom(engine.length).below
    const orders: Order[] = []

    const send = async (ask: typeof paid.ask, order: Order): Promise<void> => {
      try {
        const { output } = await ask(paid[order.name], { payment: order.payment })
        order.answers.add(JSON.stringify(output))
      } catch (error) {
        if (!(error instanceof ToolError)) throw error
      }
    }

    for (let kill = 0; kill < kills; kill++) {
      const life = openLife()
      const { ask, gate } = paid.boot([life.method(openFakeMethod(chain))], life.store(paid.store))
      for (let i = 0; i < 3; i++) {
        const name = random(2) === 0 ? 'feed' : 'look'
        const payment = await signFor(paid, paid[name])
        const { from, nonce } = payment.payload.authorization as { from: string; nonce: string }
        const order: Order = { payment, name, answers: new Set(), key: `${from}:${nonce}` }
        orders.push(order)
        void send(ask, order)
      }
      const openOrders = orders.filter(({ answers }) => answers.size === 0)
      for (let i = 0; i < 3; i++) {
        const order = openOrders[random(openOrders.length)]
        if (order) void send(ask, order)
      }
      chain.keeping = random(6) === 0 ? 'failed' : undefined
      if (random(4) === 0) chain.land()
      if (random(3) === 0) void gate.reconcile().catch(() => undefined)
      for (let turn = random(400); turn > 0; turn--) await new Promise(setImmediate)
      life.die()
      at += random(20_000)
    }

    chain.keeping = undefined
    chain.land()
    at += 46_000
    for (const order of orders) await send(paid.ask, order)
    at += 400_000
    await paid.gate.reconcile()
    const debts = await listOwed(paid.store, new Date(at))
    const debits = orders.filter(({ key }) => chain.transfers.has(key))
    const successes = debits.filter(({ answers }) => answers.size === 1)
    expect(debits.length - successes.length - debts.length).toBe(0)
    for (const { answers } of orders) expect(answers.size).toBeLessThanOrEqual(1)
    for (const { key, answers } of orders) expect(chain.transfers.has(key)).toBe(answers.size === 1)
    for (const state of ['reserved', 'pending', 'paid', 'owed', 'lost'])
      expect(await paid.rows.count({ index: 'state', where: { state } })).toBe(0)
    expect(chain.debits()).toBe(100_000n * BigInt(debits.length))
    expect(debits.length).toBeGreaterThan(kills / 10)
    await paid.stop()
    await store?.close()
  },
  600_000,
)
