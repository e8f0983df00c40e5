import { describe, expect, test } from 'vitest'
import { type Store, Taken } from '../../store/index.ts'
import { byA, openStore, type Thing, uniqueAB } from './opened.ts'
import type { Engine } from './suite.ts'

type Account = { id: string; balance: number }

const debit = (store: Store, id: string, amount: number): Promise<boolean> =>
  store.transaction(async tx => {
    const accounts = tx.collection<Account>('accounts')
    const account = await accounts.get(id)
    if (!account || account.balance < amount) return false
    await accounts.put({ id, balance: account.balance - amount })
    return true
  })

export const transactionTests = (engine: Engine): void => {
  describe('a transaction', () => {
    test('writes all or nothing, and returns what the work returns', async () => {
      const { store } = await openStore(engine)
      const things = store.collection<Thing>('things')
      await things.put({ id: 'old' })
      const transaction = store.transaction(async tx => {
        await tx.collection<Thing>('things').put({ id: 'new' })
        await tx.collection('others').insert({ id: 'new' })
        await tx.collection('things').delete('old')
        await tx.append('topic', 'never')
        await tx.claim('key', new Date(Date.now() + 60_000))
        throw new RangeError('work failed')
      })
      await expect(transaction).rejects.toThrow(RangeError)
      expect(await things.get('new')).toBeUndefined()
      expect(await things.get('old')).toBeDefined()
      expect(await store.collection('others').count()).toBe(0)
      expect(await store.read('topic', 0, 10)).toEqual([])
      expect(await store.claim('key', new Date(Date.now() + 60_000))).toBe(true)
      const result = await store.transaction(async tx => {
        await tx.collection<Thing>('things').put({ id: 'new' })
        return 42
      })
      expect(result).toBe(42)
      expect(await things.get('new')).toEqual({ id: 'new' })
    })

    test('of many writes takes each value of a unique index once, and again when it is free', async () => {
      const { store } = await openStore(engine)
      await store.collection<Thing>('things', [uniqueAB]).put({ id: 'old', a: 0 })
      await store.transaction(async tx => {
        const things = tx.collection<Thing>('things')
        for (let n = 1; n <= 20; n++) expect(await things.insert({ id: `own-${n}`, a: n })).toBe(true)
        expect(await things.insert({ id: 'other', a: 7 })).toBe(false)
        expect(await things.insert({ id: 'other', a: 0 })).toBe(false)
        await things.put({ id: 'own-7', a: 70 })
        expect(await things.insert({ id: 'other', a: 7 })).toBe(true)
        expect(await things.insert({ id: 'another', a: 70 })).toBe(false)
        await things.put({ id: 'old', a: 100 })
        await things.delete('own-8')
        expect(await things.insert({ id: 'own-21', a: 0 })).toBe(true)
        expect(await things.insert({ id: 'own-22', a: 8 })).toBe(true)
        await things.put({ id: 'own-22', a: 8, b: 'changed' })
        expect(await things.insert({ id: 'own-8', a: 8 })).toBe(true)
      })
      expect(await store.collection<Thing>('things').count()).toBe(24)
    })

    test('sees its own writes in every verb, and nobody else does before it commits', async () => {
      const { store } = await openStore(engine)
      const outside = store.collection<Thing>('things', [byA])
      await outside.put({ id: 'old', a: 1 })
      await store.transaction(async tx => {
        const things = tx.collection<Thing>('things')
        await things.put({ id: 'new', a: 1 })
        await things.update('new', thing => ({ ...thing, b: 'own' }))
        await things.delete('old')
        expect(await things.get('new')).toEqual({ id: 'new', a: 1, b: 'own' })
        expect(await things.get('old')).toBeUndefined()
        expect(await things.insert({ id: 'new' })).toBe(false)
        expect((await things.find({ index: 'by_a', where: { a: 1 } })).rows).toMatchObject([{ id: 'new' }])
        expect(await things.count()).toBe(1)
      })
      expect((await outside.find({ index: 'by_a' })).rows).toMatchObject([{ id: 'new' }])
    })

    test('goes on after a refused insert and a caught Taken', async () => {
      const { store } = await openStore(engine)
      const things = store.collection<Thing>('things', [uniqueAB])
      await things.put({ id: '1', a: 1 })
      await store.transaction(async tx => {
        const inside = tx.collection<Thing>('things')
        expect(await inside.insert({ id: '1' })).toBe(false)
        expect(await inside.insert({ id: '2', a: 1 })).toBe(false)
        await expect(inside.put({ id: '3', a: 1 })).rejects.toThrow(Taken)
        await expect(inside.put({ id: '' })).rejects.toThrow('not empty')
        await inside.put({ id: '4', a: 4 })
      })
      expect(await things.get('4')).toEqual({ id: '4', a: 4 })
      expect(await things.count()).toBe(2)
    })

    test('keeps order among verbs that are not awaited one by one', async () => {
      const { store } = await openStore(engine)
      const counters = store.collection<{ id: string; n: number }>('counters')
      await counters.put({ id: 'c', n: 0 })
      await store.transaction(async tx => {
        const inside = tx.collection<{ id: string; n: number }>('counters')
        await Promise.all(
          Array.from({ length: 10 }, () => inside.update('c', ({ id, n }) => ({ id, n: n + 1 }))),
        )
      })
      expect(await counters.get('c')).toEqual({ id: 'c', n: 10 })
    })

    test('refuses verbs after its end', async () => {
      const { store } = await openStore(engine)
      const late = await store.transaction(async tx => ({ things: tx.collection<Thing>('things'), tx }))
      await expect(late.things.put({ id: 'late' })).rejects.toThrow('over')
      await expect(late.tx.append('topic', 1)).rejects.toThrow('over')
      expect(await store.collection('things').count()).toBe(0)
    })

    test('lets fifty concurrent debits of one account never overdraw it', async () => {
      const { store } = await openStore(engine)
      const accounts = store.collection<Account>('accounts')
      await accounts.put({ id: 'a', balance: 300 })
      const debits = await Promise.all(Array.from({ length: 50 }, () => debit(store, 'a', 10)))
      expect(debits.filter(Boolean)).toHaveLength(30)
      expect(await accounts.get('a')).toEqual({ id: 'a', balance: 0 })
    })

    test('prevents write skew: of two doctors on call only one may leave', async () => {
      const { store } = await openStore(engine)
      const doctors = store.collection<{ id: string; onCall: boolean }>('doctors')
      for (let round = 0; round < 5; round += 1) {
        for (const id of ['ann', 'bob']) await doctors.put({ id, onCall: true })
        const leave = (id: string) =>
          store.transaction(async tx => {
            const inside = tx.collection<{ id: string; onCall: boolean }>('doctors')
            const both = await Promise.all([inside.get('ann'), inside.get('bob')])
            if (both.filter(doctor => doctor?.onCall).length < 2) return false
            await inside.put({ id, onCall: false })
            return true
          })
        const departures = await Promise.all([leave('ann'), leave('bob')])
        expect(departures.filter(Boolean)).toHaveLength(1)
      }
    })

    test('prevents phantoms: what was counted or found empty is still so at the commit', async () => {
      const { store } = await openStore(engine)
      const seats = store.collection<Thing>('seats', [byA])
      const book = (id: string, how: 'count' | 'find') =>
        store.transaction(async tx => {
          const inside = tx.collection<Thing>('seats')
          const query = { index: 'by_a', where: { a: how } }
          const count = how === 'count' ? await inside.count(query) : (await inside.find(query)).rows.length
          if (count >= 3) return false
          await inside.put({ id: `${how}${id}`, a: how })
          return true
        })
      for (const how of ['count', 'find'] as const) {
        const bookings = await Promise.all(Array.from({ length: 12 }, (_, n) => book(`${n}`, how)))
        expect(bookings.filter(Boolean)).toHaveLength(3)
        expect(await seats.count({ index: 'by_a', where: { a: how } })).toBe(3)
      }
    })

    test('treats a refused insert as something it has read', async () => {
      const { store } = await openStore(engine)
      const locks = store.collection<Thing>('locks')
      for (let round = 0; round < 5; round += 1) {
        await locks.put({ id: 'lock' })
        await locks.delete('note')
        const taker = store.transaction(async tx => {
          const inside = tx.collection<Thing>('locks')
          const isNew = await inside.insert({ id: 'lock' })
          if (!isNew) await inside.put({ id: 'note', a: 'it was taken' })
          return isNew
        })
        const giver = store.transaction(async tx => {
          const inside = tx.collection<Thing>('locks')
          const note = await inside.get('note')
          await inside.delete('lock')
          return note !== undefined
        })
        const [isNew, hasNote] = await Promise.all([taker, giver])
        // Taker first: it fails and the giver reads the note. Giver first: no note yet, and the taker gets the lock.
        expect(hasNote).toBe(!isNew)
      }
    })

    test('moves money between ten accounts at random and keeps the sum', async () => {
      const { store } = await openStore(engine)
      const accounts = store.collection<Account>('accounts')
      for (let n = 0; n < 10; n += 1) await accounts.put({ id: `${n}`, balance: 100 })
      const move = (n: number) =>
        store.transaction(async tx => {
          const inside = tx.collection<Account>('accounts')
          const [from, to] = [`${n % 10}`, `${(n * 3 + 1) % 10}`]
          if (from === to) return
          const source = await inside.get(from)
          if (!source || source.balance < 30) return
          await inside.put({ id: from, balance: source.balance - 30 })
          await inside.update(to, account => ({ ...account, balance: account.balance + 30 }))
        })
      await Promise.all(Array.from({ length: 60 }, (_, n) => move(n)))
      const balances = await Promise.all(Array.from({ length: 10 }, (_, n) => accounts.get(`${n}`)))
      expect(balances.reduce((sum, account) => sum + (account?.balance ?? Number.NaN), 0)).toBe(1000)
      expect(balances.every(account => account && account.balance >= 0)).toBe(true)
    })
  })
}
