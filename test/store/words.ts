import { describe, expect, test } from 'vitest'
import { inWords, opened, type Thing } from './opened.ts'
import type { Engine } from './suite.ts'

export const wordsTests = (engine: Engine): void => {
  describe('a words index', () => {
    test('finds documents in which all words occur, in any of its fields and any case', async () => {
      const { store } = await opened(engine)
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
      const { store } = await opened(engine)
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
      const { store } = await opened(engine)
      const things = store.collection<Thing>('things', [inWords])
      const long = Array.from({ length: 6000 }, (_, n) => ((n * 7919) % 36).toString(36)).join('')
      await things.put({ id: '1', text: `before ${long} after` })
      expect(await things.count({ index: 'in_words', where: { text: long } })).toBe(1)
      expect(await things.count({ index: 'in_words', where: { text: `${long}1` } })).toBe(0)
    })
  })
}
