import { describe, expect, test } from 'vitest'
import { byA, byAB, inWords, openStore, type Thing, uniqueAB } from './opened.ts'
import type { Engine } from './suite.ts'

export const declarationTests = (engine: Engine): void => {
  describe('a declaration', () => {
    test('holds for later calls that leave the indexes out', async () => {
      const { store } = await openStore(engine)
      store.collection<Thing>('things', [byA])
      await store.collection<Thing>('things').put({ id: '1', a: 1 })
      const { rows } = await store.collection<Thing>('things').find({ index: 'by_a' })
      expect(rows).toEqual([{ id: '1', a: 1 }])
      await store.transaction(async tx => {
        expect(await tx.collection<Thing>('things').count({ index: 'by_a', where: { a: 1 } })).toBe(1)
      })
    })

    test('may be repeated, and is refused when it changes', async () => {
      const { store } = await openStore(engine)
      store.collection('things', [byA, byAB])
      store.collection('things', [byAB, byA])
      expect(() => store.collection('things', [byA])).toThrow('other indexes')
      expect(() => store.collection('bad', [{ name: 'none', fields: [] }])).toThrow('field')
      expect(() => store.collection('bad', [byA, byA])).toThrow('twice')
    })

    test('may say after how many whole hours documents leave memory', async () => {
      const { store } = await openStore(engine)
      const things = store.collection<Thing>('things', [byA], { afterHours: 24 })
      await things.insert({ id: '1', a: 1 })
      await store.transaction(async tx => {
        const rows = tx.collection<Thing>('things', [byA], { afterHours: 24 })
        expect(await rows.update('1', row => ({ ...row, a: 2 }))).toEqual({ id: '1', a: 2 })
      })
      expect(await store.collection<Thing>('things').get('1')).toEqual({ id: '1', a: 2 })
      for (const afterHours of [-1, 0.5, Number.NaN, 1e6])
        expect(() => store.collection('others', [byA], { afterHours })).toThrow(
          'others: archive.afterHours must be a whole number from 0 to 4392',
        )
    })

    test('builds new indexes over what is stored already', async () => {
      const { store, reopen } = await openStore(engine)
      const things = store.collection<Thing>('things')
      for (let n = 0; n < 30; n += 1)
        await things.put({ id: `${n}`, a: n % 3, b: n, title: `Title ${n} of thirty` })
      const again = await reopen()
      const withIndexes = again.collection<Thing>('things', [byA, uniqueAB, inWords])
      expect((await withIndexes.find({ index: 'by_a', where: { a: 2 } })).rows).toHaveLength(10)
      expect(
        (await withIndexes.find({ index: 'in_words', where: { title: 'THIRTY 7' } })).rows,
      ).toMatchObject([{ id: '7' }])
      expect(await withIndexes.insert({ id: 'new', a: 0, b: 0 })).toBe(false)
    })

    test('survives reopening together with documents, claims and entries', async () => {
      const { store, reopen } = await openStore(engine)
      await store.collection<Thing>('things', [byA]).put({ id: '1', a: 'kept' })
      await store.claim('kept', new Date(Date.now() + 60_000))
      await store.append('topic', 'kept')
      const again = await reopen()
      const { rows } = await again
        .collection<Thing>('things', [byA])
        .find({ index: 'by_a', where: { a: 'kept' } })
      expect(rows).toEqual([{ id: '1', a: 'kept' }])
      expect(await again.claim('kept', new Date(Date.now() + 60_000))).toBe(false)
      expect((await again.read('topic', 0, 10)).map(({ payload }) => payload)).toEqual(['kept'])
    })

    test('refuses lists, objects and very long strings in the fields of an index', async () => {
      const { store } = await openStore(engine)
      const things = store.collection<{ id: string; a: unknown }>('things', [byA])
      await expect(things.put({ id: '1', a: [1] })).rejects.toThrow('not a list')
      await expect(things.insert({ id: '1', a: {} })).rejects.toThrow('not a list')
      await expect(things.put({ id: '1', a: 'ü'.repeat(1200) })).rejects.toThrow('2300 bytes')
      const random = Array.from({ length: 760 }, (_, n) =>
        String.fromCharCode(0x4e00 + ((n * 7919) % 20000)),
      ).join('')
      await things.put({ id: '1', a: random })
      expect((await things.find({ index: 'by_a', where: { a: random } })).rows).toHaveLength(1)
    })

    test('reports that it takes writes, and that it does not when it is closed', async () => {
      const { store } = await openStore(engine)
      expect(await store.health()).toEqual({ ok: true, engine: engine.name })
      await store.close()
      expect(await store.health()).toMatchObject({
        ok: false,
        engine: engine.name,
        detail: expect.any(String),
      })
      await expect(store.collection('things').put({ id: '1' })).rejects.toThrow('closed')
      await store.close()
    })

    test('closes only when what is under way is written', async () => {
      const { store, reopen } = await openStore(engine)
      const things = store.collection<Thing>('things')
      const writes = Array.from({ length: 30 }, (_, n) => things.put({ id: `${n}` }))
      const again = await reopen()
      await Promise.all(writes)
      expect(await again.collection('things').count()).toBe(30)
    })
  })
}
