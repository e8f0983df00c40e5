import { randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { booksIn } from '../../../mcp/accounts/books.ts'
import { openBooks } from '../../../mcp/accounts/ports.ts'
import { apiKeysIn } from '../../../mcp/kernel/person.ts'
import { openLedger } from '../../../mcp/payment/ledger/index.ts'
import { openKeys } from '../../../mcp/ports/keys/keys.ts'
import type { Store, Tx } from '../../../mcp/ports/store/port.ts'
import { accountsIn } from '../../../mcp/services/proof/account/account.ts'
import { identifyAccount } from '../../../mcp/services/proof/account/caller.ts'
import { expireAccounts, unusedKeyDays } from '../../../mcp/services/proof/account/expire.ts'
import { toWalletAccount, toWalletBook } from '../../../mcp/services/proof/account/wallet.ts'
import { deliverMessage } from '../../../mcp/services/proof/message.ts'
import { areRelated, markOwner } from '../../../mcp/services/proof/trade.ts'
import { onBothEngines } from '../../payment/ledger-engines.ts'

const dayMs = 86_400_000
const start = new Date('2026-01-01T12:00:00.000Z')
const after = (days: number) => new Date(start.getTime() + days * dayMs)

type Keys = ReturnType<typeof openKeys>

/** An account and its key; false where one of them is taken. */
const addAccount = (store: Store, keys: Keys, id: string, now: Date, used_on: string | null = null) =>
  store.transaction(async tx => {
    const created_at = now.toISOString()
    const key = { id: keys.hash(`prf_${id}`), prefix: 'prf', holder: id, preview: '', ends_at: null }
    const hasKey = await apiKeysIn(tx).insert({ ...key, created_at, used_on })
    return (await accountsIn(tx).insert({ id, label: null, created_at })) && hasKey
  })

onBothEngines(({ place }) => {
  test('only accounts that were never used and never got anything expire, after 90 days', async () => {
    const here = await place()
    const store = await here.open()
    const keys = openKeys(randomBytes(32))
    let now = start
    const clock = { now: () => now }
    const ledger = openLedger(clock.now)
    const books = openBooks({ store, clock, ledger })
    const add = (id: string, used_on: string | null = null) => addAccount(store, keys, id, now, used_on)
    const use = (id: string) =>
      identifyAccount.run(
        { store, keys, clock },
        { value: `prf_${id}`, request: { method: '', url: '', headers: {} } },
      )
    const run = () =>
      expireAccounts.run({ store, clock, ledger, books, keys, signal: new AbortController().signal })
    const write = (work: (tx: Tx) => Promise<unknown>) => store.transaction(work)
    const has = async (id: string) => (await accountsIn(store).get(id)) !== undefined
    try {
      for (const id of ['used', 'funded', 'mailed', 'idle']) await add(id)
      await add('indebted')
      await booksIn(store).put({ id: toWalletAccount('indebted'), debt: '1000', withdrawable: '0' })
      await add('former', '2026-01-01')
      for (let nth = 0; nth < 150; nth++) await add(`empty${nth}`)
      await write(tx => markOwner(tx, 'idle', 'network:1'))
      await write(tx => markOwner(tx, 'used', 'network:1'))
      expect(await use('used')).toMatchObject({ id: 'used' })
      const money = {
        book: toWalletBook('funded'),
        value: 1n,
        source: 'world:proof-test',
        memo: 'top up',
      } as const
      await write(tx => books.credit(tx, { id: 't1', ...money }))
      const created_at = now.toISOString()
      const mail = { id: 'm1', outbox: null, inbox: 'mailed', from: 'used', to: 'mailed', name: null }
      await write(tx =>
        deliverMessage(tx, { ...mail, content: 'x', read: false, earned_sats: 0, created_at }),
      )
      now = after(unusedKeyDays - 0.01)
      await run()
      expect(await accountsIn(store).count()).toBe(156)
      now = after(unusedKeyDays)
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
        await addAccount(store, keys, id, start)
        const credential = { value: `prf_${id}`, request: { method: '', url: '', headers: {} } }
        const [caller] = await Promise.all([
          identifyAccount.run({ store, keys, clock }, credential),
          expireAccounts.run({ store, clock, ledger, books, keys, signal: new AbortController().signal }),
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
    await addAccount(store, keys, 'a', start)
    const credential = { value: 'prf_a', request: { method: '', url: '', headers: {} } }
    let writes = 0
    const counting = {
      ...store,
      collection: ((...args: Parameters<Store['collection']>) => {
        const rows = store.collection(...args)
        const update: typeof rows.update = (...change) => {
          writes++
          return rows.update(...change)
        }
        return { ...rows, update }
      }) as Store['collection'],
    }
    try {
      for (let call = 0; call < 5; call++)
        await identifyAccount.run({ store: counting, keys, clock: { now: () => now } }, credential)
      expect(writes).toBe(1)
      now = after(1)
      await identifyAccount.run({ store: counting, keys, clock: { now: () => now } }, credential)
      expect([writes, (await apiKeysIn(store).get(keys.hash('prf_a')))?.used_on]).toEqual([2, '2026-01-02'])
    } finally {
      await store.close()
      await here.clean()
    }
  })
})
