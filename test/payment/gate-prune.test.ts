import { afterEach, beforeEach, expect, test } from 'vitest'
import { prunePayments } from '../../mcp/payment/gate/prune.ts'
import { type PaymentRow, type PaymentState, paymentRows } from '../../mcp/payment/gate/record.ts'
import type { Store } from '../../mcp/ports/store/port.ts'
import { openTestWorld, type TestWorld } from '../world.ts'

let world: TestWorld
beforeEach(async () => {
  world = await openTestWorld()
})
afterEach(() => world.stop())

const start = new Date('2026-01-01T00:00:00.000Z')
const at = (day: number) => new Date(start.getTime() + day * 86_400_000)
const store = () => world.ports.store as Store

const put = async (id: string, state: PaymentState, day: number) => {
  const row: PaymentRow = {
    id,
    receipt: `${id}-`.padEnd(32, '0'),
    state,
    claim: state === 'failed' ? null : id,
    request: 'request',
    service: 'cat',
    tool: 'feed',
    settle: 'before',
    method: 'x402-evm',
    dialect: 'x402',
    rate: null,
    network: 'eip155:8453',
    asset: '0x01',
    payTo: '0x02',
    amount: '100000',
    payer: '0x03',
    transaction: '0x04',
    log: null,
    spentElsewhere: false,
    reverted: null,
    watch: null,
    watchEnd: null,
    offer: '{}',
    sealed: null,
    answer: '{"purr":true}',
    runner: null,
    lease: null,
    refund: null,
    created: at(day).toISOString(),
    updated: at(day).toISOString(),
  }
  await paymentRows(store()).put(row)
  return row
}
const run = (day: number) =>
  prunePayments.run({
    store: store(),
    clock: { now: () => at(day) },
    signal: new AbortController().signal,
  })
const get = (id: string) => paymentRows(store()).get(id)

test('drops the answer of a paid call after 30 days and leaves its record as it was', async () => {
  const row = await put('d', 'done', 0)
  await run(29)
  expect(await get('d')).toEqual(row)
  await run(31)
  expect(await get('d')).toEqual({ ...row, answer: null })
})

test('drops what moved no money after 30 days, and never what is owed or under way', async () => {
  const states: PaymentState[] = ['reserved', 'pending', 'paid', 'owed', 'refunding', 'refunded']
  const rows = await Promise.all(states.map(state => put(state, state, 0)))
  await put('f', 'failed', 0)
  await put('young', 'failed', 20)
  await run(31)
  expect(await get('f')).toBeUndefined()
  expect(await get('young')).toBeDefined()
  for (const row of rows) expect(await get(row.id)).toEqual(row)
})

test('reaches all of a great many, and what comes later in its own time', async () => {
  for (let n = 0; n < 450; n++) await put(`n${n}`, 'done', n % 3)
  await run(31)
  expect((await get('n0'))?.answer).toBeNull()
  expect((await get('n2'))?.answer).not.toBeNull()
  await run(40)
  for (let n = 0; n < 450; n++) expect((await get(`n${n}`))?.answer).toBeNull()
})
