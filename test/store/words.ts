import { describe, expect, test } from 'vitest'
import type { Tx } from '../../store/index.ts'
import { inWords, openStore, type Thing } from './opened.ts'
import type { Engine } from './suite.ts'

const toId = (n: number): string => `thing_${String(n).padStart(9, '0')}`

/** All ids of a search, page by page. */
const readPages = async (tx: Tx, text: string, order: 'asc' | 'desc'): Promise<string[]> => {
  const things = tx.collection<Thing>('things', [inWords])
  const ids: string[] = []
  for (let after: string | undefined; ; ) {
    const page = { order, limit: 3, ...(after !== undefined && { after }) }
    const { rows, next } = await things.find({ index: 'in_words', where: { text }, ...page })
    ids.push(...rows.map(({ id }) => id))
    if (next === undefined) return ids
    after = next
  }
}

export const wordsTests = (engine: Engine): void => {
  describe('a words index', () => {
    test('finds documents in which all words occur, in any of its fields and any case', async () => {
      const { store } = await openStore(engine)
      const things = store.collection<Thing>('things', [inWords])
      await things.put({ id: '1', title: 'The Quick Brown Fox', text: 'jumps over' })
      await things.put({ id: '2', title: 'Lazy dog', text: 'the brown one, over there' })
      await things.put({ id: '3', text: 'Straße №5, ＷＩＤＥ 東京' })
      const ids = async (text: string) =>
        (await things.find({ index: 'in_words', where: { text } })).rows.map(({ id }) => id)
      expect(await ids('brown')).toEqual(['1', '2'])
      expect(await ids('OVER brown!')).toEqual(['1', '2'])
      expect(await ids('brown fox')).toEqual(['1'])
      expect(await ids('bro')).toEqual([])
      expect(await ids('brown cat')).toEqual([])
      expect(await ids('wide 東京')).toEqual(['3'])
      expect(await ids('straße')).toEqual(['3'])
      expect(await ids('?!')).toEqual(['1', '2', '3'])
      expect(await ids('\'{x},\\"')).toEqual([])
      expect(await things.count({ index: 'in_words', where: { title: 'brown' } })).toBe(2)
    })

    test('follows puts, updates and deletes', async () => {
      const { store } = await openStore(engine)
      const things = store.collection<Thing>('things', [inWords])
      const count = (text: string) => things.count({ index: 'in_words', where: { text } })
      await things.insert({ id: '1', text: 'alpha' })
      await things.insert({ id: '2', text: 'alpha' })
      await things.put({ id: '1', text: 'beta' })
      await things.update('2', thing => ({ ...thing, title: 'gamma' }))
      expect([await count('alpha'), await count('beta'), await count('gamma alpha')]).toEqual([1, 1, 1])
      await things.delete('2')
      expect([await count('alpha'), await count('beta')]).toEqual([0, 1])
    })

    test('takes words of any length', async () => {
      const { store } = await openStore(engine)
      const things = store.collection<Thing>('things', [inWords])
      const long = Array.from({ length: 6000 }, (_, n) => ((n * 7919) % 36).toString(36)).join('')
      await things.put({ id: '1', text: `before ${long} after` })
      expect(await things.count({ index: 'in_words', where: { text: long } })).toBe(1)
      expect(await things.count({ index: 'in_words', where: { text: `${long}1` } })).toBe(0)
    })

    test('finds common words that seldom meet once each and in order, also what the transaction has written', async () => {
      const { store } = await openStore(engine)
      await store.transaction(async tx => {
        const things = tx.collection<Thing>('things', [inWords])
        for (let n = 0; n < 4000; n++) {
          const meet = n === 500 || n === 3000
          await things.put({ id: toId(n * 2), text: meet ? 'even odd' : n % 2 === 0 ? 'even' : 'odd' })
        }
      })
      for (const order of ['asc', 'desc'] as const) {
        const committedIds = [toId(1000), toId(6000)]
        if (order === 'desc') committedIds.reverse()
        expect(await readPages(store, 'even odd', order)).toEqual(committedIds)
        await store.transaction(async tx => {
          const things = tx.collection<Thing>('things', [inWords])
          const own = [1, 1501, 4501, 7999].map(toId)
          for (const id of own) await things.put({ id, text: 'odd even' })
          await things.put({ id: toId(6000), text: 'even' })
          const expected = [...own, toId(1000)].sort()
          if (order === 'desc') expected.reverse()
          expect(await readPages(tx, 'even odd', order)).toEqual(expected)
          await things.put({ id: toId(6000), text: 'even odd' })
          for (const id of own) await things.delete(id)
        })
      }
    })
  })
}
