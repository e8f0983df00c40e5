import { afterAll, describe, expect, test } from 'vitest'
import { openPaymentOperations } from '../../app/payment-operations.ts'
import { ToolError } from '../../mcp/kernel/error.ts'
import { openLimits } from '../../mcp/kernel/pipeline/limits.ts'
import type { AnyTool } from '../../mcp/kernel/tool.ts'
import { listOwed } from '../../mcp/payment/gate/owed.ts'
import { refundToPayer } from '../../mcp/payment/gate/payer-refund.ts'
import { listSales } from '../../mcp/payment/gate/sales.ts'
import type { Store } from '../../mcp/ports/store/port.ts'
import { openPostgres } from '../../store/postgres/open.ts'
import { firstSeed, randomFrom } from '../random.ts'
import { freshSchema, postgresIsHere, withDatabase } from '../store/database.ts'
import { isRandom, isStress, runs } from '../stress.ts'
import { type Authorization, openFakeMethod } from './fake-method.ts'
import { openPaid, signFor } from './gate-fixture.ts'
import { openLife } from './mortal.ts'
import type { Payload } from './x402.ts'

const url = withDatabase()
const steps = 140

/** Where the walks begin: anywhere with `SEEDS=random`, `STORE_SEED` repeats one. */
const booksSeed = () => (isRandom || process.env.STORE_SEED ? firstSeed() : 1)

type Order = { payment: Payload; tool: AnyTool; authorization: Authorization; isSent: boolean }

/**
 * One walk of everything that may happen to money: calls that are paid, repeated, left by their clients, dropped and killed, transfers that others carry out,
 * deposits, chains that take transfers and refunds back, refunds by operator and payer, clocks that differ, and `replicas` of them.
 */
const walk = async (seed: number, replicas: number, openStore: (() => Promise<Store>) | undefined) => {
  const random = randomFrom(seed * 7 + replicas).below
  let at = Date.now()
  const now = () => new Date(at)
  const stores = openStore ? await Promise.all(Array.from({ length: replicas }, openStore)) : []
  const paid = await openPaid({ clock: now, ...(stores[0] && { store: stores[0] }) })
  const { chain, knobs, store, boot, feed, groom, look, brush, alarms } = paid
  const skew = (random(7) - 3) * 1000
  chain.now = () => at + skew
  chain.settledMs = 40_000
  const tools = [feed, groom, look, brush]
  const wrong: string[] = []
  const openReplica = (index: number) => {
    const life = openLife()
    const own = life.store(stores[index] ?? store)
    const method = life.method(openFakeMethod(chain))
    return { life, method, own, ...boot([method], own) }
  }
  const open = Array.from({ length: replicas }, (_, index) => openReplica(index))
  const some = () => open[random(open.length)] as (typeof open)[number]
  const reboot = () => {
    const index = random(open.length)
    open[index]?.life.die()
    open[index] = openReplica(index)
  }
  const orders: Order[] = []
  const key = ({ from, nonce }: Authorization) => `${from}:${nonce}`
  const send = async (order: Order, tool = order.tool, replica = some()) => {
    order.isSent = true
    const had = chain.transfers.get(key(order.authorization))?.transaction
    // Some clients leave before their answer.
    const client = new AbortController()
    if (random(6) === 0) setTimeout(() => client.abort(), random(4))
    try {
      await replica.ask(tool, { payment: order.payment, signal: client.signal })
    } catch (error) {
      if (!(error instanceof ToolError)) throw error
      const has = chain.transfers.get(key(order.authorization))?.transaction
      if (error.code === 'payment_required' && had !== undefined && had === has)
        wrong.push(`402 with the money here: ${error.message}`)
    }
  }
  const waiting: Promise<unknown>[] = []
  const later = (work: Promise<unknown>) => void waiting.push(work.catch(() => undefined))
  const operations = (from: { own: Store; method: ReturnType<typeof openFakeMethod> }) =>
    openPaymentOperations({
      store: from.own,
      methods: [from.method],
      limits: openLimits(),
      clock: { now },
    }).operator
  const pick = async () => {
    const debts = await listOwed(store, now())
    return debts[random(debts.length || 1)]
  }
  const events = [
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
      chain.down = !chain.down
    },
    () => {
      chain.keeping = [undefined, 'failed', 'pending', 'throws'][random(4)] as typeof chain.keeping
    },
    () => chain.land(),
    () => void chain.backlog.shift(),
    () => {
      knobs.fail = knobs.fail ? undefined : new Error('handler')
    },
    () => {
      at += random(90_000)
    },
    reboot,
    () => chain.reorganize(random(2) === 0, chain.now() - 30_000),
    () => chain.reorganizeRefunds(),
    () => later(some().gate.reconcile()),
    () => later(operations(some()).audit(true)),
    async () => {
      const debt = await pick()
      if (debt) later(operations(some()).refund(debt.id))
    },
    async () => {
      const debt = await pick()
      const order = orders.find(({ authorization }) => authorization.from === debt?.payer)
      if (!debt || !order) return
      const { gate, own, method } = some()
      const evidence = { headers: {}, meta: { 'x402/payment': order.payment } }
      const proof = { records: gate.provenRecords(evidence) }
      const deps = { store: own, methods: [method], ledger: undefined, now, allow: async () => {} }
      later(refundToPayer(deps, debt.id, proof, { kind: 'payer' }))
    },
    () => void chain.deposit(chain.payer(), BigInt(1 + random(9))),
    // Somebody else carries a payment out, before it comes or after it was refused.
    () => {
      const order = orders[random(orders.length || 1)]
      if (!order || chain.transfers.has(key(order.authorization))) return
      if (chain.now() / 1000 < Number(order.authorization.validBefore)) chain.execute(order.authorization)
    },
  ]
  for (let step = 0; step < steps; step++) {
    const dice = random(10)
    if (dice < 3 || orders.length === 0) {
      const tool = tools[random(tools.length)] ?? feed
      const wasDown = chain.down
      chain.down = false
      const payment = await signFor({ ask: some().ask, chain }, tool)
      chain.down = wasDown
      const authorization = payment.payload.authorization as Authorization
      const order: Order = { payment, tool, authorization, isSent: false }
      orders.push(order)
      if (random(4) === 0) chain.execute(authorization)
      for (let i = random(4); i > 0; i--) waiting.push(send(order))
    } else if (dice < 6) {
      const order = orders[random(orders.length)]
      if (order) waiting.push(send(order, random(8) === 0 ? tools[random(tools.length)] : order.tool))
    } else await events[random(events.length)]?.()
    for (let i = random(random(4) === 0 ? 150 : 25); i > 0; i--) await new Promise(setImmediate)
  }
  const kind = { refusing: undefined, keeping: undefined }
  Object.assign(chain, { slow: false, lying: false, down: false, ...kind })
  chain.land()
  chain.confirm()
  knobs.fail = undefined
  for (let index = 0; index < replicas; index++) {
    open[index]?.life.die()
    open[index] = openReplica(index)
  }
  const [first] = open
  if (!first) throw new Error('no replica')
  // What dead processes of another machine hold, they hold for a minute.
  at += 61_000
  for (const order of orders) if (order.isSent) await send(order, order.tool, first)
  for (let round = 0; round < 4; round++) {
    at += 400_000
    await first.gate.reconcile()
  }
  const operator = operations(first)
  const report = await operator.audit(true)
  const sent = new Set(orders.filter(({ isSent }) => isSent).map(({ authorization: { from } }) => from))
  const nobodys = report.unexplained.filter(({ payer }) => sent.has(payer))
  for (const { id } of report.unexplained) await operator.owe(id, false)
  const after = await operator.audit(true)
  const rows = (await paid.rows.find({ index: 'state', where: {}, limit: 1000 })).rows
  const lost = new Set(alarms.filter(({ event }) => event === 'lost').map(({ id }) => id))
  const sum = (states: readonly string[]) =>
    rows
      .filter(row => states.includes(row.state) && !lost.has(row.receipt))
      .reduce((total, { amount }) => total + BigInt(amount), 0n)
  const { sales } = await listSales(first.own, [first.method], '', '9999')
  const standing = sales.filter(({ receipt }) => !lost.has(receipt))
  const atomic = (name: 'amount' | 'refunded') =>
    standing.reduce((total, sale) => total + BigInt(sale[name].replace('.', '') || '0'), 0n)
  const result = {
    wrong,
    nobodys,
    faults: after.faults.filter(({ id }) => !lost.has(id)),
    unexplained: after.unexplained,
    open: rows.filter(({ state }) => state === 'reserved' || state === 'pending').length,
    in: chain.debits(),
    salesIn: atomic('amount'),
    salesRefunded: atomic('refunded'),
    sold: sum(['done']),
    refunded: sum(['refunded']),
    owed: sum(['owed', 'paid', 'refunding']),
  }
  await paid.stop()
  for (const each of stores) await each.close()
  return result
}

type Figures = Awaited<ReturnType<typeof walk>>

const walks: Figures[] = []

const expectBalanced = (figures: Figures) => {
  const { sold, refunded, owed, ...result } = figures
  const nothing = { wrong: [], nobodys: [], faults: [], unexplained: [], open: 0 }
  const all = sold + refunded + owed
  expect(result).toEqual({ ...nothing, in: all, salesIn: all, salesRefunded: refunded })
  expect(sold > 0n).toBe(true)
  walks.push(figures)
}

const printFigures = () => {
  const sum = (name: 'in' | 'sold' | 'refunded' | 'owed') =>
    walks.reduce((total, figures) => total + figures[name], 0n)
  console.info(
    `${walks.length} walks: in ${sum('in')} = sold ${sum('sold')} + refunded ${sum('refunded')} + owed ${sum('owed')}`,
  )
}

describe('whatever happens, what came in is sold, refunded or owed, to the atom', () => {
  if (isStress) afterAll(printFigures)

  const seeds = Array.from({ length: runs(10, 2) }, (_, index) => booksSeed() + index)

  test.each(seeds)('one process, seed %i', async seed => expectBalanced(await walk(seed, 1, undefined)))

  test.each(seeds)('two gates on one store, seed %i', async seed =>
    expectBalanced(await walk(seed, 2, undefined)),
  )

  test.skipIf(!postgresIsHere).each(seeds)('two replicas over PostgreSQL, seed %i', async seed => {
    const schema = freshSchema()
    expectBalanced(await walk(seed, 2, () => openPostgres({ url: url(), schema })))
  })
})
