import { randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { openKeys } from '../../mcp/ports/keys/keys.ts'
import { onBothEngines } from '../payment/ledger-engines.ts'

const holder = { prefix: 'brk', holder: 'acc_1' }
/** Noon of this day: what a store claims for a day ends by its own clock. */
const start = Date.parse(`${new Date().toISOString().slice(0, 10)}T12:00:00.000Z`)

onBothEngines(({ place }) => {
  test('a key is its holder’s alone, is replaced at once or after a while, and ends with its account', async () => {
    const here = await place()
    const store = await here.open()
    const keys = openKeys(randomBytes(32))
    let at = start
    const now = () => new Date(at)
    const clock = { now }
    const find = async (key: string, prefix = 'brk') =>
      (await keys.find({ store, clock }, prefix, key))?.holder
    const rotate = (overlapMinutes?: number) =>
      store.transaction(tx =>
        keys.rotate(tx, { ...holder, now: now(), ...(overlapMinutes !== undefined && { overlapMinutes }) }),
      )
    try {
      const first = await store.transaction(tx => keys.issue(tx, { ...holder, now: now() }))
      const other = await store.transaction(tx =>
        keys.issue(tx, { prefix: 'prf', holder: 'acc_1', now: now() }),
      )
      expect(first.key_preview).toBe(`${first.api_key.slice(0, 8)}…`)
      expect(await find(first.api_key)).toBe('acc_1')
      // The key of one service is none at another, whatever it claims to be.
      expect(await find(other.api_key)).toBeUndefined()
      expect(await find(`brk_${other.api_key.slice(4)}`)).toBeUndefined()
      expect(await find(first.api_key, 'prf')).toBeUndefined()
      expect(JSON.stringify(await keys.list(store, holder))).not.toContain(first.api_key.slice(8))

      at += 1000
      const second = await rotate(10)
      expect([await find(first.api_key), await find(second.api_key)]).toEqual(['acc_1', 'acc_1'])
      at += 1000
      // Replacing the new one gives the older one no more time.
      const third = await rotate(1440)
      at = start + 1000 + 10 * 60_000
      expect(await find(first.api_key)).toBeUndefined()
      expect([await find(second.api_key), await find(third.api_key)]).toEqual(['acc_1', 'acc_1'])
      const fourth = await rotate()
      expect([await find(second.api_key), await find(third.api_key)]).toEqual([undefined, undefined])
      expect(await keys.list(store, holder)).toMatchObject([
        { used_on: new Date(start).toISOString().slice(0, 10), ends_at: null },
      ])
      for (let nth = 3; nth < 10; nth++) await rotate(1440)
      await expect(rotate()).rejects.toMatchObject({ code: 'too_many_requests' })
      expect(await find(fourth.api_key)).toBe('acc_1')

      await store.transaction(tx => keys.revoke(tx, holder))
      expect(await find(fourth.api_key)).toBeUndefined()
      expect(await find(other.api_key, 'prf')).toBe('acc_1')
    } finally {
      await store.close()
      await here.clean()
    }
  })
})
