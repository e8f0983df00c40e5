import { describe, expect, test } from 'vitest'
import { Taken, type Tx } from '../../store/index.ts'
import { openStore, type Thing, uniqueAB } from './opened.ts'
import type { Engine } from './suite.ts'

export const collectionTests = (engine: Engine): void => {
  describe('a collection', () => {
    test('gives back the document that was put, with everything JSON can hold', async () => {
      const { store } = await openStore(engine)
      const documents = store.collection<{ id: string; value: unknown }>('documents')
      const value = {
        text: '“ä𝄞\u0001\n\\u0000"',
        list: [1, [2, { three: null }], true],
        numbers: [0, -1.5, 5e-324, 1.7976931348623157e308, 1e21, 9007199254740991, 0.1],
        '': { 'a.b': 'x' },
      }
      await documents.put({ id: 'é/1', value })
      expect(await documents.get('é/1')).toEqual({ id: 'é/1', value })
    })

    test('keeps what was put and not what the caller changes afterwards', async () => {
      const { store } = await openStore(engine)
      const things = store.collection<Thing>('things')
      const thing: Thing = { id: '1', a: 1 }
      const putting = things.put(thing)
      thing.a = 2
      await putting
      const row = await things.get('1')
      if (row) row.a = 3
      expect(await things.get('1')).toEqual({ id: '1', a: 1 })
    })

    test('knows nothing of ids it never saw, nor of ids that cannot be stored', async () => {
      const { store } = await openStore(engine)
      const things = store.collection<Thing>('things')
      for (const id of ['nobody', 'nul\0', 'half \ud83d', 'x'.repeat(600)]) {
        expect(await things.get(id)).toBeUndefined()
        expect(await things.delete(id)).toBe(false)
        expect(await things.update(id, thing => thing)).toBeUndefined()
      }
    })

    test('inserts an id once and leaves the first document as it was', async () => {
      const { store } = await openStore(engine)
      const things = store.collection<Thing>('things')
      expect(await things.insert({ id: '1', a: 'first' })).toBe(true)
      expect(await things.insert({ id: '1', a: 'second' })).toBe(false)
      expect(await things.get('1')).toEqual({ id: '1', a: 'first' })
    })

    test('adds up to a bound, whoever adds at the same time, and drops a row that counts nothing', async () => {
      const { store } = await openStore(engine)
      const counts = store.collection<{ id: string; used: number; until: string }>('counts')
      const add = (used: number, apart: boolean) =>
        counts.add('a', { used }, { max: { used: 30 }, set: { until: 'noon' }, dropAtZero: 'used', apart })
      const added = await Promise.all(Array.from({ length: 20 }, (_, n) => add(2, n % 2 === 0)))
      expect(added.filter(row => row !== undefined)).toHaveLength(15)
      expect(await counts.get('a')).toEqual({ id: 'a', used: 30, until: 'noon' })
      expect(await add(31, false)).toBeUndefined()
      expect(await add(-40, true)).toMatchObject({ used: 0 })
      expect(await counts.get('a')).toBeUndefined()
    })

    test('takes back what a transaction that fails has counted, apart or in it', async () => {
      const { store } = await openStore(engine)
      const counts = (tx: Tx) => tx.collection<{ id: string; used: number }>('counts')
      await counts(store).add('a', { used: 1 })
      const failing = store.transaction(async tx => {
        await counts(tx).add('a', { used: 3 }, { apart: true })
        await counts(tx).add('b', { used: 1 })
        await counts(tx).add('c', { used: 2 }, { apart: true, dropAtZero: 'used' })
        await counts(tx).add('c', { used: -2 }, { apart: true, dropAtZero: 'used' })
        throw new Error('no')
      })
      await expect(failing).rejects.toThrow('no')
      expect(await counts(store).get('a')).toEqual({ id: 'a', used: 1 })
      expect(await counts(store).get('b')).toBeUndefined()
      // Taken back in the order in which it was counted, it would stay.
      expect(await counts(store).get('c')).toBeUndefined()
    })

    test('lets exactly one of twenty inserts of an id win', async () => {
      const { store } = await openStore(engine)
      const things = store.collection<Thing>('things')
      const insertions = await Promise.all(
        Array.from({ length: 20 }, (_, a) => things.insert({ id: 'x', a })),
      )
      expect(insertions.filter(Boolean)).toHaveLength(1)
      expect((await things.get('x'))?.a).toBe(insertions.indexOf(true))
    })

    test('puts over what is there', async () => {
      const { store } = await openStore(engine)
      const things = store.collection<Thing>('things')
      await things.put({ id: '1', a: 1, b: 2 })
      await things.put({ id: '1', a: 3 })
      expect(await things.get('1')).toEqual({ id: '1', a: 3 })
      expect(await things.count()).toBe(1)
    })

    test('updates in one atomic step, so that fifty increments add up', async () => {
      const { store } = await openStore(engine)
      const counters = store.collection<{ id: string; n: number }>('counters')
      await counters.put({ id: 'c', n: 0 })
      await Promise.all(
        Array.from({ length: 50 }, () => counters.update('c', ({ id, n }) => ({ id, n: n + 1 }))),
      )
      expect(await counters.get('c')).toEqual({ id: 'c', n: 50 })
    })

    test('returns the updated document, and throws what the change throws without writing', async () => {
      const { store } = await openStore(engine)
      const things = store.collection<Thing>('things')
      await things.put({ id: '1', a: 1 })
      expect(await things.update('1', thing => ({ ...thing, b: 2 }))).toEqual({ id: '1', a: 1, b: 2 })
      const update = things.update('1', () => {
        throw new RangeError('no')
      })
      await expect(update).rejects.toThrow(RangeError)
      await expect(things.update('1', thing => ({ ...thing, id: '2' }))).rejects.toThrow('keep its id')
      expect(await things.get('1')).toEqual({ id: '1', a: 1, b: 2 })
    })

    test('deletes once', async () => {
      const { store } = await openStore(engine)
      const things = store.collection<Thing>('things')
      await things.put({ id: '1' })
      expect(await things.delete('1')).toBe(true)
      expect(await things.delete('1')).toBe(false)
      expect(await things.get('1')).toBeUndefined()
      expect(await things.insert({ id: '1' })).toBe(true)
    })

    test('is apart from other collections', async () => {
      const { store } = await openStore(engine)
      await store.collection('one').put({ id: '1' })
      expect(await store.collection('two').get('1')).toBeUndefined()
      expect(await store.collection('two').count()).toBe(0)
      expect(await store.collection('one').count()).toBe(1)
    })

    test('refuses what cannot be stored, with an Error that says so', async () => {
      const { store } = await openStore(engine)
      const things = store.collection<{ id: string; v?: unknown }>('things')
      const circle: { id: string; v?: unknown } = { id: 'circle' }
      circle.v = circle
      const bad: [{ id: string; v?: unknown }, RegExp][] = [
        [{ id: '' }, /not empty/],
        [{ id: 7 as unknown as string }, /string/],
        [{ id: 'x'.repeat(513) }, /513 characters/],
        [{ id: 'a\0b' }, /NUL/],
        [{ id: '\ud83d' }, /surrogate/],
        [{ id: '1', v: ['deep', { text: 'a\0b' }] }, /NUL/],
        [{ id: '1', v: { 'key\0': 1 } }, /NUL/],
        [{ id: '1', v: 'half \udc00' }, /surrogate/],
        [{ id: '1', v: 10n }, /not JSON/],
        [circle, /not JSON/],
        [[] as unknown as { id: string }, /object/],
      ]
      for (const [row, message] of bad) {
        await expect(things.put(row)).rejects.toThrow(message)
        await expect(things.insert(row)).rejects.toThrow(message)
      }
      await things.put({ id: 'x'.repeat(512), v: '\\u0000 😀' })
      expect(await things.count()).toBe(1)
    })
  })

  describe('a unique index', () => {
    test('refuses an insert of values that another document has', async () => {
      const { store } = await openStore(engine)
      const things = store.collection<Thing>('things', [uniqueAB])
      expect(await things.insert({ id: '1', a: 'x', b: 1 })).toBe(true)
      expect(await things.insert({ id: '2', a: 'x', b: 1 })).toBe(false)
      expect(await things.insert({ id: '3', a: 'x', b: '1' })).toBe(true)
      expect(await things.insert({ id: '4', a: 'X', b: 1 })).toBe(true)
      expect(await things.count()).toBe(3)
    })

    test('throws Taken from put and update, naming collection and index, and writes nothing', async () => {
      const { store } = await openStore(engine)
      const things = store.collection<Thing>('things', [uniqueAB])
      await things.put({ id: '1', a: 1, b: 1 })
      await things.put({ id: '2', a: 2, b: 2 })
      const error = await things.put({ id: '3', a: 1, b: 1 }).catch(error => error)
      expect(error).toBeInstanceOf(Taken)
      expect(error).toMatchObject({ collection: 'things', index: 'unique_a_b' })
      await expect(things.update('2', thing => ({ ...thing, a: 1, b: 1 }))).rejects.toThrow(Taken)
      expect(await things.get('3')).toBeUndefined()
      expect(await things.get('2')).toEqual({ id: '2', a: 2, b: 2 })
    })

    test('lets a document keep its own values, and frees them when it leaves', async () => {
      const { store } = await openStore(engine)
      const things = store.collection<Thing>('things', [uniqueAB])
      await things.put({ id: '1', a: 1, b: 1 })
      await things.put({ id: '1', a: 1, b: 1, text: 'again' })
      await things.put({ id: '1', a: 2, b: 2 })
      expect(await things.insert({ id: '2', a: 1, b: 1 })).toBe(true)
      await things.delete('1')
      expect(await things.insert({ id: '3', a: 2, b: 2 })).toBe(true)
    })

    test('exempts documents where every field is null or missing, but not where one is', async () => {
      const { store } = await openStore(engine)
      const things = store.collection<Thing>('things', [uniqueAB])
      expect(await things.insert({ id: '1' })).toBe(true)
      expect(await things.insert({ id: '2', a: null, b: null })).toBe(true)
      await things.put({ id: '3', a: null })
      expect(await things.insert({ id: '4', a: 1 })).toBe(true)
      expect(await things.insert({ id: '5', a: 1, b: null })).toBe(false)
      await expect(things.put({ id: '6', a: 1 })).rejects.toThrow(Taken)
    })

    test('lets exactly one of twenty concurrent inserts of a value win, and puts of one value never double it', async () => {
      const { store } = await openStore(engine)
      const things = store.collection<Thing>('things', [uniqueAB])
      const twenty = Array.from({ length: 20 }, (_, n) => n)
      const insertions = await Promise.all(twenty.map(n => things.insert({ id: `i${n}`, a: 'insert' })))
      expect(insertions.filter(Boolean)).toHaveLength(1)
      const puts = await Promise.allSettled(twenty.map(n => things.put({ id: `p${n}`, a: 'put' })))
      expect(puts.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
      for (const put of puts) if (put.status === 'rejected') expect(put.reason).toBeInstanceOf(Taken)
    })
  })
}
