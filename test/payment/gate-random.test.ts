import { expect, test } from 'vitest'
import { ToolError } from '../../mcp/kernel/error.ts'
import type { AnyTool } from '../../mcp/kernel/tool.ts'
import { listOwed, refund } from '../../mcp/payment/gate/owed.ts'
import { randomFrom } from '../random.ts'
import { runs } from '../stress.ts'
import { openFakeMethod } from './fake-method.ts'
import { openPaid, signFor } from './gate-fixture.ts'
import { openLife } from './mortal.ts'
import type { Payload } from './x402.ts'

const seeds = runs(12, 2)
const steps = 120

type Order = {
  payment: Payload
  tool: AnyTool
  answers: Set<string>
  codes: Set<string>
  nonce: string
  validBefore: number
  from: string
}

const readTerms = ({ payload }: Payload) => {
  const { nonce, validBefore } = payload.authorization as { nonce: string; validBefore: string }
  return { nonce, validBefore: Number(validBefore) }
}

test.each(Array.from({ length: seeds }, (_, seed) => seed + 1))(
  'many clients, faults and dying processes lose no money (seed %i)',
  async seed => {
    const random = randomFrom(seed).below
    let at = Date.now()
    const paid = await openPaid({ clock: () => new Date(at) })
    const { chain, knobs, store, boot, feed, groom, look, brush } = paid
    const tools = [feed, groom, look, brush]
    const wrong: string[] = []
    let life = openLife()
    let { ask, gate } = boot([life.method(openFakeMethod(chain))], life.store(store))
    const reboot = () => {
      life.die()
      life = openLife()
      const next = boot([life.method(openFakeMethod(chain))], life.store(store))
      ask = next.ask
      gate = next.gate
    }
    const orders: Order[] = []
    const hasMoved = (order: Order) => chain.transfers.has(`${order.from}:${order.nonce}`)
    const send = async (order: Order, tool = order.tool) => {
      const isKept = chain.backlog.some(({ nonce }) => nonce === order.nonce)
      const before = hasMoved(order) || (isKept && at / 1000 < order.validBefore)
      try {
        const { output } = await ask(tool, { payment: order.payment })
        order.answers.add(JSON.stringify(output))
      } catch (error) {
        if (!(error instanceof ToolError)) throw error
        if (error.code === 'payment_required' && before)
          wrong.push(`402 after the money moved, or may have: ${String(error.message)}`)
        order.codes.add(error.code)
      }
    }
    const waiting: Promise<unknown>[] = []
    const fault = [
      () => {
        chain.slow = !chain.slow
      },
      () => chain.confirm(),
      () => {
        chain.refusing = chain.refusing ? undefined : 'settlement_failed'
      },
      () => {
        chain.lying = !chain.lying
      },
      () => {
        chain.breaking = chain.breaking ? undefined : new Error('rpc')
      },
      () => {
        chain.down = !chain.down
      },
      () => {
        chain.keeping = [undefined, 'failed', 'pending', 'throws'][random(4)] as typeof chain.keeping
      },
      () => chain.land(),
      () => {
        // A broadcast that nobody hears of.
        if (random(2) === 0) chain.backlog.shift()
      },
      () => {
        knobs.fail = knobs.fail ? undefined : new Error('handler')
      },
      () => {
        at += random(90_000)
      },
      reboot,
      reboot,
      () => waiting.push(gate.reconcile().catch(() => undefined)),
      async () => {
        const debts = await listOwed(store, new Date(at))
        const debt = debts[random(debts.length || 1)]
        if (debt && random(3) === 0)
          await refund(store, [openFakeMethod(chain)], debt.id, () => new Date(at)).catch(() => undefined)
      },
    ]
    for (let step = 0; step < steps; step++) {
      const dice = random(10)
      if (dice < 3 || orders.length === 0) {
        const tool = tools[random(3)] ?? feed
        const from = chain.payer()
        const payment = await signFor({ ask, chain }, tool, {}, from)
        const order = {
          payment,
          tool,
          answers: new Set<string>(),
          codes: new Set<string>(),
          ...readTerms(payment),
          from,
        }
        orders.push(order)
        const times = 1 + random(3)
        for (let i = 0; i < times; i++) waiting.push(send(order))
      } else if (dice < 7) {
        const order = orders[random(orders.length)]
        if (order) waiting.push(send(order, random(8) === 0 ? tools[random(3)] : order.tool))
      } else await fault[random(fault.length)]?.()
      for (let i = random(30); i > 0; i--) await new Promise(setImmediate)
    }
    const kind = { refusing: undefined, breaking: undefined, keeping: undefined }
    Object.assign(chain, { slow: false, lying: false, down: false, ...kind })
    chain.land()
    chain.confirm()
    knobs.fail = undefined
    reboot()
    for (const order of orders) for (const tool of tools) await send(order, tool)
    at += 400_000
    await gate.reconcile()
    const rows = (await paid.rows.find({ index: 'state', where: {}, limit: 1000 })).rows
    const charges = rows.filter(({ state }) => state !== 'failed')
    expect(wrong).toEqual([])
    for (const { state } of charges) expect(['done', 'refunded']).toContain(state)
    expect(charges.reduce((sum, { amount }) => sum + BigInt(amount), 0n)).toBe(chain.debits())
    expect(chain.refunds.size).toBe(charges.filter(({ state }) => state === 'refunded').length)
    for (const { answers } of orders) expect(answers.size).toBeLessThanOrEqual(1)
    const meals = store.collection<{ id: string; run: number }>('fixture.meals')
    const runs = charges.filter(({ state, tool }) => state === 'done' && tool !== 'look').length
    expect((await meals.get('Mia'))?.run ?? 0).toBe(runs)
    expect(orders.filter(({ answers }) => answers.size === 1).length).toBeGreaterThan(5)
    await paid.stop()
  },
)
