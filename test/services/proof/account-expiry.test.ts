import { randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { booksIn } from '../../../mcp/accounts/books.ts'
import { openBooks } from '../../../mcp/accounts/ports.ts'
import { openLedger } from '../../../mcp/payment/ledger/index.ts'
import type { Tx } from '../../../mcp/ports/index.ts'
import { openKeys } from '../../../mcp/ports/keys.ts'
import { type Account, accountsIn } from '../../../mcp/services/proof/account/account.ts'
import { identifyAccount } from '../../../mcp/services/proof/account/caller.ts'
import { expireAccounts, unusedDays } from '../../../mcp/services/proof/account/expire.ts'
import { toBook, toWallet } from '../../../mcp/services/proof/account/wallet.ts'
import { deliver } from '../../../mcp/services/proof/messages/direct.ts'
import { areRelated, markOwner } from '../../../mcp/services/proof/residence/owner-mark.ts'
import { onBothEngines } from '../../payment/ledger-engines.ts'

const dayMs = 86_400_000
const start = new Date('2026-01-01T12:00:00.000Z')
const after = (days: number) => new Date(start.getTime() + days * dayMs)

onBothEngines(({ place }) => {
  test('only accounts that were never used and never got anything expire, after 90 days', async () => {
    const here = await place()
    const store = await here.open()
    const keys = openKeys(randomBytes(32))
    let now = start
    const clock = { now: () => now }
    const ledger = openLedger(clock.now)
    const books = openBooks({ store, clock, ledger })
    const add = (id: string, more: Partial<Account> = {}) =>
      accountsIn(store).insert({
        id,
        label: null,
        key_hash: keys.hash(`prf_${id}`),
        key_preview: '',
        created_at: now.toISOString(),
        used_on: null,
        ...more,
      })
    const use = (id: string) =>
      identifyAccount.run(
        { store, keys, clock },
        { value: `prf_${id}`, request: { method: '', url: '', headers: {} } },
      )
    const run = () =>
      expireAccounts.run({ store, clock, ledger, books, signal: new AbortController().signal })
    const write = (work: (tx: Tx) => Promise<unknown>) => store.transaction(work)
    const has = async (id: string) => (await accountsIn(store).get(id)) !== undefined
    try {
      for (const id of ['used', 'funded', 'mailed', 'idle']) await add(id)
      await add('indebted')
      await booksIn(store).put({ id: toWallet('indebted'), debt: '1000', withdrawable: '0' })
      // As accounts were stored before their use was written down.
      const { used_on: _, ...former } = (await accountsIn(store).get('idle')) as Account
      await accountsIn(store).put({ ...former, id: 'former', key_hash: 'former' } as Account)
      for (let nth = 0; nth < 150; nth++) await add(`empty${nth}`)
      await write(tx => markOwner(tx, 'idle', 'network:1'))
      await write(tx => markOwner(tx, 'used', 'network:1'))
      expect(await use('used')).toMatchObject({ id: 'used' })
      const money = { book: toBook('funded'), value: 1n, source: 'world:proof-test', memo: 'top up' } as const
      await write(tx => books.credit(tx, { id: 't1', ...money }))
      const created_at = now.toISOString()
      const mail = { id: 'm1', outbox: null, inbox: 'mailed', from: 'used', to: 'mailed', name: null }
      await write(tx => deliver(tx, { ...mail, content: 'x', read: false, earned_sats: 0, created_at }))
      now = after(unusedDays - 0.01)
      await run()
      expect(await accountsIn(store).count()).toBe(156)
      now = after(unusedDays)
      await run()
      for (const id of ['used', 'funded', 'mailed', 'indebted', 'former'])
        expect(await has(id), id).toBe(true)
      expect(await accountsIn(store).count()).toBe(5)
      expect(await use('idle')).toBeUndefined()
      expect(await write(tx => areRelated(tx, 'idle', 'used'))).toBe(false)
      // The hash of a key that expired may be anybody's again; nothing of the account is left.
      expect(await add('idle')).toBe(true)
    } finally {
      await store.close()
      await here.clean()
    }
  })

  test('a key that is used while its account expires either keeps it or is refused', async () => {
    const here = await place()
    const store = await here.open()
    const keys = openKeys(randomBytes(32))
    const clock = { now: () => after(200) }
    const ledger = openLedger(clock.now)
    const books = openBooks({ store, clock, ledger })
    try {
      for (let nth = 0; nth < 20; nth++) {
        const id = `a${nth}`
        const key_hash = keys.hash(`prf_${id}`)
        const created_at = start.toISOString()
        await accountsIn(store).insert({
          id,
          label: null,
          key_hash,
          key_preview: '',
          created_at,
          used_on: null,
        })
        const credential = { value: `prf_${id}`, request: { method: '', url: '', headers: {} } }
        const [caller] = await Promise.all([
          identifyAccount.run({ store, keys, clock }, credential),
          expireAccounts.run({ store, clock, ledger, books, signal: new AbortController().signal }),
        ])
        expect((await accountsIn(store).get(id)) !== undefined, id).toBe(caller !== undefined)
      }
    } finally {
      await store.close()
      await here.clean()
    }
  })

  test('the use of a key is written once a day', async () => {
    const here = await place()
    const store = await here.open()
    const keys = openKeys(randomBytes(32))
    let now = start
    const created_at = start.toISOString()
    const row = {
      id: 'a',
      label: null,
      key_hash: keys.hash('prf_a'),
      key_preview: '',
    }
    await accountsIn(store).insert({ ...row, created_at, used_on: null })
    const credential = { value: 'prf_a', request: { method: '', url: '', headers: {} } }
    let writes = 0
    const counting = {
      ...store,
      transaction: ((...args: Parameters<typeof store.transaction>) => {
        writes++
        return store.transaction(...args)
      }) as typeof store.transaction,
    }
    try {
      for (let call = 0; call < 5; call++)
        await identifyAccount.run({ store: counting, keys, clock: { now: () => now } }, credential)
      expect(writes).toBe(1)
      now = after(1)
      await identifyAccount.run({ store: counting, keys, clock: { now: () => now } }, credential)
      expect([writes, (await accountsIn(store).get('a'))?.used_on]).toEqual([2, '2026-01-02'])
    } finally {
      await store.close()
      await here.clean()
    }
  })
})
