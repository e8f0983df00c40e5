import { expect, test } from 'vitest'
import { services } from '../../app/services.ts'
import { accountsIn, newAccountId } from '../../mcp/accounts/account.ts'
import { credit, loadBook, toBook } from '../../mcp/accounts/books.ts'
import { listStatementLines } from '../../mcp/accounts/statement.ts'
import { transferBetween } from '../../mcp/accounts/transfer.ts'
import { accountKeysIn } from '../../mcp/kernel/person.ts'
import { audit } from '../../mcp/payment/ledger/audit.ts'
import { openLedger } from '../../mcp/payment/ledger/index.ts'
import { openRates } from '../../mcp/payment/rates.ts'
import type { Book } from '../../mcp/ports/books/port.ts'
import { openKeys } from '../../mcp/ports/keys/keys.ts'
import type { Account } from '../../mcp/ports/payment/port.ts'
import { onBothEngines } from '../payment/ledger-engines.ts'

const serviceBooks = services.flatMap(({ slug, name, book }) => (book ? [{ ...book, slug, name }] : []))
const wallet = `0x${'ab'.repeat(20)}`

onBothEngines(({ place }) => {
  test('money moves between books of a person once, as it is or at the stated rate, and leaves as before', async () => {
    const here = await place()
    const store = await here.open()
    const clock = { now: () => new Date() }
    const ledger = openLedger(clock.now)
    const keys = openKeys(Buffer.alloc(32, 7))
    const rate = { usd: '0.0006', rate: '1 sat = 0.0006 usd', source: 'config', at: '' }
    const rates = openRates([async unit => (unit === 'sat' ? rate : undefined)])
    const deps = { store, ledger, keys, rates, serviceBooks, take: async () => true }
    const openPerson = async () => {
      const account = newAccountId()
      const at = clock.now().toISOString()
      await accountsIn(store).insert({ id: account, name: null, created_at: at, last_used: at.slice(0, 10) })
      return account
    }
    const [ada, eve] = [await openPerson(), await openPerson()]
    const at = clock.now().toISOString()
    const key = { account: ada, kind: 'wallet', name: 'Wallet', created_at: at, last_used: at } as const
    await accountKeysIn(store).insert({ id: `wallet:${wallet}`, ...key })
    const holder = 'a'.repeat(24)
    await store.transaction(async tx => {
      for (const each of [
        { prefix: 'prf', holder },
        { prefix: 'brk', holder: 'acc_1' },
      ]) {
        const { api_key } = await keys.issue(tx, { ...each, now: clock.now() })
        await keys.claim(tx, { key: api_key, person: ada, now: clock.now() })
      }
      await store.collection('tasks.accounts').insert({ id: `eip155:8453:${wallet}` })
    })
    const dollars = toBook(ada)
    const sats: Book = { account: `agent:proof:${holder}`, unit: 'msat' }
    const tasks: Book = { account: `agent:tasks:eip155:8453:${wallet}`, unit: 'USDC', isOpen: true }
    const add = (id: string, book: Book, value: bigint, source: Account) =>
      store.transaction(tx => credit(tx, ledger, { id, book, value, source, memo: 'top-up' }))
    await add('topup:r1', dollars, 3_000_000n, 'world:account-x402-evm')
    await add('card:one:0', dollars, 2_000_000n, 'world:account-card')
    await add('topup:r3', sats, 9_000_000n, 'world:proof-lightning')
    const names = {
      dollars: 'account',
      sats: `proof:${holder}`,
      tasks: tasks.account.slice(6),
      credits: 'broker:acc_1',
    }
    let count = 0
    const move = (
      from: keyof typeof names,
      to: keyof typeof names,
      amount: string,
      { account = ada, once = String(++count).padStart(32, '0') } = {},
    ) =>
      transferBetween(deps, account, { from: names[from], to: names[to], amount, once }).catch(
        ({ code }: { code: string }) => code,
      )
    const has = async (book: Book) => {
      const { total, withdrawable } = await loadBook(store, ledger, book)
      return [total, withdrawable]
    }

    const once = 'f'.repeat(32)
    expect(await move('dollars', 'sats', '1.20', { once })).toBe('2000 sat')
    await move('dollars', 'sats', '1.20', { once })
    expect(await move('dollars', 'sats', '1.30', { once })).toBe('conflict')
    expect(await has(dollars)).toEqual([3_800_000n, 3_000_000n])
    expect(await has(sats)).toEqual([11_000_000n, 9_000_000n])
    expect(await move('sats', 'dollars', '1000.5')).toBe('0.6003 USD')
    expect(await has(dollars)).toEqual([4_400_300n, 3_000_000n])
    expect(await move('sats', 'dollars', '0.001')).toBe('invalid_input')
    const lines = await Promise.all(
      [dollars, sats].map(book => listStatementLines(store, ledger, [book], { limit: 9 })),
    )
    for (const { lines: own } of lines)
      expect(own.filter(({ entry }) => entry === `transfer:${ada}:${once}`)).toMatchObject([
        { kind: 'transfer', memo: '1 sat = 0.0006 usd (config)' },
      ])

    expect(await move('dollars', 'tasks', '3.01')).toBe('conflict')
    expect(await move('dollars', 'tasks', '1.00')).toBe('1.00 USD')
    expect(await has(tasks)).toEqual([1_000_000n, 1_000_000n])
    expect(await has(dollars)).toEqual([3_400_300n, 2_000_000n])
    expect(await move('tasks', 'dollars', '1.00')).toBe('1.00 USD')
    expect(await has(dollars)).toEqual([4_400_300n, 3_000_000n])
    expect(await move('sats', 'tasks', '100')).toBe('invalid_input')
    expect(await move('dollars', 'credits', '1')).toBe('invalid_input')
    expect(await move('credits', 'dollars', '1')).toBe('invalid_input')
    expect(await move('dollars', 'dollars', '1')).toBe('invalid_input')
    expect(await move('dollars', 'sats', '5')).toBe('conflict')
    expect(await move('dollars', 'sats', '1', { account: eve })).toBe('invalid_input')

    const many = await Promise.all(Array.from({ length: 8 }, () => move('dollars', 'sats', '0.88')))
    expect(many.filter(answer => answer === 'conflict')).toHaveLength(3)
    expect((await has(dollars))[0]).toBe(300n)
    expect((await audit(store)).faults).toEqual([])
    await store.close()
    await here.clean()
  })
})
