import { setTimeout as pause } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import type { Entry, Json } from '../../store/index.ts'
import { eventually, openStore, type Thing } from './opened.ts'
import type { Engine } from './suite.ts'

const payloads = (entries: Entry[]): Json[] => entries.map(({ payload }) => payload)

const rising = (entries: Entry[]): boolean =>
  entries.every(({ at }, n) => n === 0 || at > (entries[n - 1]?.at ?? Number.POSITIVE_INFINITY))

export const logTests = (engine: Engine): void => {
  describe('a topic', () => {
    test('numbers its entries 1, 2, 3 and gives them back with topic, time and payload', async () => {
      const { store } = await openStore(engine)
      const start = Date.now() - 1000
      for (const payload of ['one', { two: [2] }, null]) await store.append('topic', payload)
      await store.append('other', 'apart')
      const entries = await store.read('topic', 0, 10)
      expect(payloads(entries)).toEqual(['one', { two: [2] }, null])
      expect(entries.map(({ at }) => at)).toEqual([1, 2, 3])
      expect(entries.every(({ topic }) => topic === 'topic')).toBe(true)
      for (const { time } of entries) {
        expect(new Date(time).toISOString()).toBe(time)
        expect(Math.abs(Date.parse(time) - start)).toBeLessThan(60_000)
      }
    })

    test('reads after a number and at most as many as asked', async () => {
      const { store } = await openStore(engine)
      await store.transaction(async tx => {
        for (let n = 1; n <= 5; n += 1) await tx.append('topic', n)
      })
      expect(payloads(await store.read('topic', 2, 2))).toEqual([3, 4])
      expect(payloads(await store.read('topic', 5, 10))).toEqual([])
      expect(await store.read('nothing', 0, 10)).toEqual([])
    })

    test('refuses a payload or a name that cannot be stored', async () => {
      const { store } = await openStore(engine)
      await expect(store.append('topic', 'nul \0')).rejects.toThrow('NUL')
      await expect(store.append('topic', undefined as unknown as Json)).rejects.toThrow('not JSON')
      await expect(store.append('', 1)).rejects.toThrow('topic')
    })

    test('never shows a reader who has read past n an entry with a smaller number later', async () => {
      const { store } = await openStore(engine)
      let writing = true
      const log: Entry[] = []
      const reader = (async () => {
        for (let last = 0, round = 0; round < 20_000; round += 1) {
          const done = !writing
          const entries = await store.read('topic', last, 7)
          log.push(...entries)
          last = entries.at(-1)?.at ?? last
          if (done && entries.length === 0) return
          if (entries.length === 0) await pause(1)
        }
      })()
      const write = (n: number) =>
        store.transaction(async tx => {
          await tx.append('topic', n)
          await tx.collection<Thing>('things').put({ id: `${n % 7}`, a: n })
          if (n % 3 === 0) await pause(n % 5)
          await tx.append('topic', n + 0.5)
        })
      await Promise.all(Array.from({ length: 80 }, (_, n) => write(n)))
      writing = false
      await reader
      expect(log).toHaveLength(160)
      expect(rising(log)).toBe(true)
      expect(log).toEqual(await store.read('topic', 0, 1000))
      for (let n = 0; n < 160; n += 2) expect(log[n + 1]?.payload).toBe(Number(log[n]?.payload) + 0.5)
    })
  })

  describe('a subscription', () => {
    test('gets each entry committed from now on, in order and once', async () => {
      const { store } = await openStore(engine)
      await store.append('topic', 'before')
      const entries: Entry[] = []
      store.subscribe('topic', entry => entries.push(entry))
      await Promise.all(Array.from({ length: 40 }, (_, n) => store.append('topic', n)))
      await store.append('other', 'not mine')
      await eventually(() => entries.length >= 40)
      await pause(30)
      expect(entries).toHaveLength(40)
      expect(rising(entries)).toBe(true)
      expect(entries).toEqual((await store.read('topic', 0, 100)).slice(1))
    })

    test('hears nothing of a transaction that was rolled back', async () => {
      const { store } = await openStore(engine)
      const payloads: Json[] = []
      store.subscribe('topic', ({ payload }) => payloads.push(payload))
      const transaction = store.transaction(async tx => {
        await tx.append('topic', 'never')
        throw new RangeError('no')
      })
      await expect(transaction).rejects.toThrow(RangeError)
      await store.append('topic', 'real')
      await eventually(() => payloads.length > 0)
      expect(payloads).toEqual(['real'])
    })

    test('is not disturbed by what another one throws', async () => {
      const { store } = await openStore(engine)
      const payloads: Json[] = []
      let error = 0
      store.subscribe('topic', () => {
        error += 1
        throw new Error('subscriber failed')
      })
      store.subscribe('topic', ({ payload }) => payloads.push(payload))
      for (const n of [1, 2, 3]) await store.append('topic', n)
      await eventually(() => payloads.length === 3 && error === 3)
      expect(payloads).toEqual([1, 2, 3])
    })

    test('ends when it is stopped, while others go on', async () => {
      const { store } = await openStore(engine)
      const beforeStop: Json[] = []
      const payloads: Json[] = []
      const stop = store.subscribe('topic', ({ payload }) => {
        beforeStop.push(payload)
        stop()
      })
      store.subscribe('topic', ({ payload }) => payloads.push(payload))
      for (const n of [1, 2]) await store.append('topic', n)
      await eventually(() => payloads.length === 2)
      expect(beforeStop).toEqual([1])
      stop()
    })
  })
}
