import { setTimeout as pause } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { openStore } from './opened.ts'
import type { Engine } from './suite.ts'

const soon = (ms: number): Date => new Date(Date.now() + ms)

export const claimTests = (engine: Engine): void => {
  describe('a claim', () => {
    test('has one winner among twenty', async () => {
      const { store } = await openStore(engine)
      const claims = await Promise.all(Array.from({ length: 20 }, () => store.claim('job', soon(60_000))))
      expect(claims.filter(Boolean)).toHaveLength(1)
      expect(await store.claim('another job', soon(60_000))).toBe(true)
    })

    test('may be claimed again, once, when its time is over', async () => {
      const { store } = await openStore(engine)
      expect(await store.claim('job', soon(3_000))).toBe(true)
      expect(await store.claim('job', soon(3_000))).toBe(false)
      await pause(3_100)
      const claims = await Promise.all(Array.from({ length: 10 }, () => store.claim('job', soon(60_000))))
      expect(claims.filter(Boolean)).toHaveLength(1)
    })

    test('lives and dies with its transaction', async () => {
      const { store } = await openStore(engine)
      const transaction = store.transaction(async tx => {
        expect(await tx.claim('job', soon(60_000))).toBe(true)
        expect(await tx.claim('job', soon(60_000))).toBe(false)
        throw new RangeError('no')
      })
      await expect(transaction).rejects.toThrow(RangeError)
      expect(await store.transaction(tx => tx.claim('job', soon(60_000)))).toBe(true)
      expect(await store.claim('job', soon(60_000))).toBe(false)
    })

    test('refuses a key that cannot be stored', async () => {
      const { store } = await openStore(engine)
      for (const key of ['', 'x'.repeat(513), 'nul\0'])
        await expect(store.claim(key, soon(60_000))).rejects.toThrow('key')
    })
  })
}
