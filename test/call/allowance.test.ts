import { expect, onTestFinished, test } from 'vitest'
import {
  type Allowance,
  type AllowanceUse,
  countUses,
  recountTotals,
  takeUse,
} from '../../mcp/kernel/allowance.ts'
import type { Store } from '../../store/index.ts'
import { onBothEngines } from '../payment/ledger-engines.ts'
import type { Engine } from '../store/suite.ts'

const allowance: Allowance = { name: 'test', client: { rows: 5, bytes: 1_000 }, allBytes: 4_000 }

type Thing = AllowanceUse & { id: string }
type Counter = { id: string; rows: number; bytes: number }

const byRows = [{ name: 'rows', fields: ['rows'] }]
const sum = (numbers: readonly number[]) => numbers.reduce((total, one) => total + one, 0)

/** Two processes of one installation; the embedded engine has only one. */
const replicas = async (engine: Engine): Promise<Store[]> => {
  const place = await engine.place()
  const first = await place.open()
  const stores = engine.name === 'postgres' ? [first, await place.open()] : [first]
  onTestFinished(async () => {
    await Promise.all(stores.map(store => store.close()))
    await place.clean()
  })
  return stores
}

const add = (store: Store, client: string, key: string, bytes = 100) =>
  store.transaction(async tx => {
    const use = { allowance, client, key, rows: 1, bytes }
    const full = await takeUse(tx, use)
    if (!full) await tx.collection<Thing>('things', byRows).insert({ ...use, id: key })
    return full ?? 'added'
  })

const counters = async (store: Store) =>
  (await store.collection<Counter>('call.allowance').find({ index: 'id', limit: 1000 })).rows
const things = async (store: Store) =>
  (await store.collection<Thing>('things', byRows).find({ index: 'rows', limit: 1000 })).rows

onBothEngines(engine => {
  test('many at once on all replicas never pass a bound, and counters are what is stored', async () => {
    const stores = await replicas(engine)
    const [store] = stores as [Store]
    const one = await Promise.all(
      Array.from({ length: 12 }, (_, n) => add(stores[n % stores.length] ?? store, 'a', `a${n}`)),
    )
    expect(one.filter(answer => answer === 'added')).toHaveLength(5)
    expect(one.filter(answer => answer === 'client')).toHaveLength(7)
    expect(await add(store, 'wide', 'w', 1_001)).toBe('client')

    const many = await Promise.all(
      Array.from({ length: 60 }, (_, n) => add(stores[n % stores.length] ?? store, `c${n}`, `k${n}`)),
    )
    expect(many).toContain('all')
    const rows = await things(store)
    const all = await counters(store)
    const parts = all.filter(({ id }) => id.includes(' part '))
    expect(sum(rows.map(({ bytes }) => bytes))).toBeLessThanOrEqual(4_000)
    for (const kind of [parts, all.filter(({ id }) => id.includes(' client '))]) {
      expect(sum(kind.map(({ bytes }) => bytes))).toBe(sum(rows.map(({ bytes }) => bytes)))
      expect(sum(kind.map(counter => counter.rows))).toBe(rows.length)
    }
  })

  test('what is dropped is given back, and no counter of nothing stays', async () => {
    const [store] = (await replicas(engine)) as [Store]
    for (let n = 0; n < 5; n++) await add(store, 'a', `a${n}`)
    expect(await add(store, 'a', 'more')).toBe('client')
    const drop = async (count: number) =>
      store.transaction(async tx => {
        const rows = (await things(store)).slice(0, count)
        for (const { id } of rows) await tx.collection<Thing>('things').delete(id)
        await countUses(
          tx,
          rows.map(row => ({ ...row, allowance, rows: -1, bytes: -row.bytes })),
        )
      })
    await drop(1)
    expect(await add(store, 'a', 'again')).toBe('added')
    await drop(5)
    expect(await counters(store)).toEqual([])
  })

  test('a transaction that fails counts nothing', async () => {
    const [store] = (await replicas(engine)) as [Store]
    const failing = store.transaction(async tx => {
      await takeUse(tx, { allowance, client: 'a', key: 'a', rows: 1, bytes: 10 })
      throw new Error('the process dies here')
    })
    await expect(failing).rejects.toThrow('dies')
    expect(await counters(store)).toEqual([])
  })

  test('a total that killed processes left off is counted anew, up and down', async () => {
    const [store] = (await replicas(engine)) as [Store]
    for (let n = 0; n < 5; n++) await add(store, 'a', `a${n}`)
    const parts = async () => (await counters(store)).filter(({ id }) => id.includes(' part '))
    const total = async () => [
      sum((await parts()).map(({ rows }) => rows)),
      sum((await parts()).map(({ bytes }) => bytes)),
    ]
    const [clients] = (await counters(store)).filter(({ id }) => id.includes(' client '))
    const leave = (part: string, rows: number, bytes: number) =>
      store.collection<Counter>('call.allowance').add(part, { rows, bytes }, { dropAtZero: 'rows' })
    await leave('test part 8', 2, 700)
    await leave('other part 1', 1, 50)
    expect(await total()).toEqual([8, 1250])
    // A program that stops waits for no second reading.
    await recountTotals(store, 3_600_000, AbortSignal.abort())
    expect(await total()).toEqual([8, 1250])
    await recountTotals(store, 0)
    expect(await total()).toEqual([5, 500])
    for (const { id, rows, bytes } of await parts()) await leave(id, -rows, -bytes)
    await recountTotals(store, 0)
    expect(await total()).toEqual([5, 500])
    expect(await counters(store)).toContainEqual(clients)
  })
})
