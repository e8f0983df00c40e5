import { describe, expect, test } from 'vitest'
import type { Collection, Query, Scalar } from '../../store/index.ts'
import { byA, byAB, openStore, type Thing, uniqueAB } from './opened.ts'
import type { Engine } from './suite.ts'

/** In the documented order: null, false, true, numbers, strings by UTF-8 bytes (U+FFFD before U+1F600). */
const scalars: Scalar[] = [
  null, false, true,
  -1.7976931348623157e308, -1e21, -2, -1.5, -5e-324, 0, 5e-324, 0.5, 2, 10, 1e21, 1.7976931348623157e308,
  '', ' ', '10', '9', 'B', 'Z', 'a', 'a b', 'aa', 'b', 'z', '~', 'Ä', 'ä', 'ﬀ', '\ufffd', '𝄞', '😀',
] // biome-ignore format: one line per kind

const ids = async (things: Collection<Thing>, query: Query): Promise<string[]> =>
  (await things.find(query)).rows.map(({ id }) => id)

export const queryTests = (engine: Engine): void => {
  describe('a query', () => {
    test('orders null, false, true, numbers and strings by their bytes, whatever the collation', async () => {
      const { store } = await openStore(engine)
      const things = store.collection<Thing>('things', [byA])
      const order = scalars.map((_, n) => n).sort((x, y) => ((x * 7) % 31) - ((y * 7) % 31))
      await Promise.all(order.map(n => things.put({ id: `${n}`, a: scalars[n] ?? null })))
      const up = (await things.find({ index: 'by_a' })).rows.map(({ a }) => a)
      expect(up).toEqual(scalars)
      const down = (await things.find({ index: 'by_a', order: 'desc' })).rows.map(({ a }) => a)
      expect(down).toEqual(scalars.toReversed())
    })

    test('orders ids by their bytes too, and missing fields as null', async () => {
      const { store } = await openStore(engine)
      const things = store.collection<Thing>('things', [byA])
      for (const id of ['😀', 'a', '\ufffd', 'B', 'Ä', '_', '10', '9']) await things.put({ id })
      expect(await ids(things, { index: 'by_a' })).toEqual(['10', '9', 'B', '_', 'a', 'Ä', '\ufffd', '😀'])
      expect(await ids(things, { index: 'by_a', where: { a: null } })).toHaveLength(8)
    })

    test('finds by the leading fields, and keeps kinds apart', async () => {
      const { store } = await openStore(engine)
      const things = store.collection<Thing>('things', [byAB])
      await things.put({ id: '1', a: 1, b: 'x' })
      await things.put({ id: '2', a: '1', b: 'x' })
      await things.put({ id: '3', a: 1, b: 'w' })
      await things.put({ id: '4', a: true, b: 'x' })
      expect(await ids(things, { index: 'by_a_b', where: { a: 1 } })).toEqual(['3', '1'])
      expect(await ids(things, { index: 'by_a_b', where: { a: 1 }, order: 'desc' })).toEqual(['1', '3'])
      expect(await ids(things, { index: 'by_a_b', where: { a: '1', b: 'x' } })).toEqual(['2'])
      expect(await ids(things, { index: 'by_a_b', where: { a: true, b: 'x' } })).toEqual(['4'])
      expect(await ids(things, { index: 'by_a_b', where: { a: 2 } })).toEqual([])
    })

    test('takes a range on the next field, open or closed at either end', async () => {
      const { store } = await openStore(engine)
      const things = store.collection<Thing>('things', [byAB])
      for (let b = 0; b < 6; b += 1) await things.put({ id: `${b}`, a: 'k', b })
      await things.put({ id: 'text', a: 'k', b: 'text' })
      await things.put({ id: 'none', a: 'k' })
      const at = (b: object) => ids(things, { index: 'by_a_b', where: { a: 'k', b } })
      expect(await at({ gt: 1, lt: 4 })).toEqual(['2', '3'])
      expect(await at({ gte: 1, lte: 4 })).toEqual(['1', '2', '3', '4'])
      expect(await at({ gt: 4 })).toEqual(['5', 'text'])
      expect(await at({ lt: 1 })).toEqual(['none', '0'])
      expect(await at({ gt: null, lt: 1 })).toEqual(['0'])
      expect(await at({ gt: 4, lt: 4 })).toEqual([])
      expect(await at({ gte: '' })).toEqual(['text'])
    })

    test('orders a unique index by its fields and then by id', async () => {
      const { store } = await openStore(engine)
      const things = store.collection<Thing>('things', [uniqueAB])
      for (const id of ['d', 'b', 'c']) await things.put({ id })
      await things.put({ id: 'z', a: 1, b: 1 })
      await things.put({ id: 'y', a: 1, b: 2 })
      await things.put({ id: 'x', b: 0 })
      expect(await ids(things, { index: 'unique_a_b' })).toEqual(['b', 'c', 'd', 'x', 'z', 'y'])
      const first = await things.find({ index: 'unique_a_b', limit: 2 })
      expect(await ids(things, { index: 'unique_a_b', after: first.next ?? '' })).toEqual([
        'd',
        'x',
        'z',
        'y',
      ])
    })

    test('counts what it would find, or all', async () => {
      const { store } = await openStore(engine)
      const things = store.collection<Thing>('things', [byA])
      for (let n = 0; n < 20; n += 1) await things.put({ id: `${n}`, a: n % 4 })
      expect(await things.count()).toBe(20)
      expect(await things.count({ index: 'by_a' })).toBe(20)
      expect(await things.count({ index: 'by_a', where: { a: 1 } })).toBe(5)
      expect(await things.count({ index: 'by_a', where: { a: { gte: 2 } } })).toBe(10)
      expect(await things.count({ index: 'by_a', where: { a: 'no\0body' } })).toBe(0)
    })

    test('refuses an unknown index, a field out of order and a range that is not last', async () => {
      const { store } = await openStore(engine)
      const things = store.collection<Thing>('things', [byAB])
      await expect(things.find({ index: 'nope' })).rejects.toThrow('"nope" is not declared')
      await expect(things.find({ index: 'by_a_b', where: { b: 1 } })).rejects.toThrow('fields before it')
      await expect(things.find({ index: 'by_a_b', where: { c: 1 } })).rejects.toThrow('no field "c"')
      await expect(things.find({ index: 'by_a_b', where: { a: { gt: 1 }, b: 1 } })).rejects.toThrow('range')
      await expect(things.count({ index: 'nope' })).rejects.toThrow('not declared')
    })

    test('finds values with quotes, backslashes and braces as they are', async () => {
      const { store } = await openStore(engine)
      const odd = `it's "\\{}' || $1 --`
      const things = store.collection<Record<string, string> & { id: string }>('things', [
        { name: 'odd', fields: [odd] },
      ])
      await things.put({ id: odd, [odd]: odd })
      expect((await things.find({ index: 'odd', where: { [odd]: odd } })).rows).toEqual([
        { id: odd, [odd]: odd },
      ])
    })
  })
}
