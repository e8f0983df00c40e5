import { describe, expect, test } from 'vitest'
import type { Collection, Query } from '../../store/index.ts'
import { byA, byAB, inWords, openStore, type Thing } from './opened.ts'
import type { Engine } from './suite.ts'

const pages = async (
  things: Collection<Thing>,
  query: Query,
  between: () => Promise<void>,
): Promise<string[]> => {
  const ids: string[] = []
  let after: string | undefined
  for (let page = 0; page < 50; page += 1) {
    const { rows, next } = await things.find({ ...query, ...(after && { after }) })
    ids.push(...rows.map(({ id }) => id))
    if (!next) return ids
    after = next
    await between()
  }
  throw new Error('paging never ends')
}

const pad = (n: number): string => String(n).padStart(3, '0')

export const pagingTests = (engine: Engine): void => {
  describe('paging', () => {
    for (const order of ['asc', 'desc'] as const)
      test(`${order}ending, shows every document once while others are inserted around it`, async () => {
        const { store } = await openStore(engine)
        const things = store.collection<Thing>('things', [byAB])
        const kinds = [null, true, 7, 'seven', '😀']
        for (let n = 0; n < 25; n += 1) await things.put({ id: pad(n), a: kinds[n % 5] ?? null, b: n % 2 })
        let more = 0
        const ids = await pages(things, { index: 'by_a_b', order, limit: 3 }, async () => {
          more += 1
          await things.put({ id: `first${more}` })
          await things.put({ id: `last${more}`, a: '😀😀' })
        })
        const old = ids.filter(id => /^\d/.test(id))
        expect(old).toHaveLength(25)
        expect(new Set(ids).size).toBe(ids.length)
        const all = (await things.find({ index: 'by_a_b', order })).rows.map(({ id }) => id)
        expect(ids).toEqual(all.filter(id => ids.includes(id)))
      })

    test('goes on behind a row that has been deleted', async () => {
      const { store } = await openStore(engine)
      const things = store.collection<Thing>('things', [byA])
      for (let n = 0; n < 6; n += 1) await things.put({ id: pad(n), a: 1 })
      const first = await things.find({ index: 'by_a', where: { a: 1 }, limit: 2 })
      await things.delete('001')
      const rest = await things.find({ index: 'by_a', where: { a: 1 }, after: first.next ?? '' })
      expect(rest.rows.map(({ id }) => id)).toEqual(['002', '003', '004', '005'])
      expect(rest.next).toBeUndefined()
    })

    test('keeps to the range of its query', async () => {
      const { store } = await openStore(engine)
      const things = store.collection<Thing>('things', [byA])
      for (let n = 0; n < 20; n += 1) await things.put({ id: pad(n), a: n >> 1 })
      const query: Query = { index: 'by_a', where: { a: { gte: 2, lt: 6 } }, limit: 3, order: 'desc' }
      const expected = [11, 10, 9, 8, 7, 6, 5, 4].map(pad)
      expect(await pages(things, query, async () => undefined)).toEqual(expected)
    })

    test('orders a words index by id and pages through it both ways', async () => {
      const { store } = await openStore(engine)
      const things = store.collection<Thing>('things', [inWords])
      for (let n = 0; n < 9; n += 1)
        await things.put({ id: pad((n * 4) % 9), text: n % 3 ? 'red hat' : 'blue hat' })
      const query: Query = { index: 'in_words', where: { text: 'hat' }, limit: 2 }
      const all = Array.from({ length: 9 }, (_, n) => pad(n))
      expect(await pages(things, query, async () => undefined)).toEqual(all)
      expect(await pages(things, { ...query, order: 'desc' }, async () => undefined)).toEqual(
        all.toReversed(),
      )
    })

    test('gives a next only when there is more', async () => {
      const { store } = await openStore(engine)
      const things = store.collection<Thing>('things', [byA])
      for (let n = 0; n < 4; n += 1) await things.put({ id: pad(n) })
      expect((await things.find({ index: 'by_a', limit: 4 })).next).toBeUndefined()
      expect((await things.find({ index: 'by_a', limit: 3 })).next).toEqual(expect.any(String))
    })

    test('returns 100 rows unless told, and at most 1000', async () => {
      const { store } = await openStore(engine)
      const things = store.collection<Thing>('things', [byA])
      await store.transaction(async tx => {
        for (let n = 0; n < 101; n += 1) await tx.collection<Thing>('things').put({ id: pad(n) })
      })
      expect((await things.find({ index: 'by_a' })).rows).toHaveLength(100)
      expect((await things.find({ index: 'by_a', limit: 1000 })).rows).toHaveLength(101)
      for (const limit of [0, -1, 1.5, 1001, Number.NaN])
        await expect(things.find({ index: 'by_a', limit })).rejects.toThrow('1 to 1000')
    })

    test('refuses a cursor that was tampered with or belongs to another index', async () => {
      const { store } = await openStore(engine)
      const things = store.collection<Thing>('things', [byA, byAB])
      for (let n = 0; n < 3; n += 1) await things.put({ id: pad(n), a: n })
      const { next = '' } = await things.find({ index: 'by_a', limit: 1 })
      const other = next[3] === 'A' ? 'B' : 'A'
      for (const after of [
        `${next}x`,
        next.slice(1),
        `${next.slice(0, 3)}${other}${next.slice(4)}`,
        'x',
        '',
        '.',
      ])
        await expect(things.find({ index: 'by_a', after })).rejects.toThrow('after')
      await expect(things.find({ index: 'by_a_b', after: next })).rejects.toThrow('after')
    })
  })
}
