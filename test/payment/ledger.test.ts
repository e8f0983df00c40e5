import { describe, expect, test } from 'vitest'
import type { Account } from '../../mcp/payment/ledger/account.ts'
import { credits, usdc } from '../../mcp/payment/ledger/amount.ts'
import { audit } from '../../mcp/payment/ledger/audit.ts'
import { openLedger } from '../../mcp/payment/ledger/index.ts'
import { InsufficientBalance } from '../../mcp/payment/ledger/insufficient.ts'
import { openEntries } from '../../mcp/payment/ledger/rows.ts'
import type { Store } from '../../store/index.ts'
import { openStore } from '../store/opened.ts'
import { onBothEngines } from './ledger-engines.ts'

const ledger = openLedger()
const later = new Date('2999-01-01')

const move = (id: string, from: Account, to: Account, value: bigint, memo = 'a fee') => ({
  id,
  unit: 'credit' as const,
  memo,
  postings: [
    { account: from, amount: credits(-value) },
    { account: to, amount: credits(value) },
  ],
})
const post = (store: Store, entry: ReturnType<typeof move>) => store.transaction(tx => ledger.post(tx, entry))
const total = async (store: Store, account: Account) =>
  (await ledger.balance(store, 'credit', account)).total.value
const grant = (store: Store, account: Account, value: bigint) =>
  post(store, move(`grant:${account}`, 'house:grants', account, value))

const clean = async (store: Store) => expect((await audit(store)).faults).toEqual([])

onBothEngines(engine => {
  describe('an entry', () => {
    test('moves money between accounts, and the sum stays zero', async () => {
      const { store, reopen } = await openStore(engine)
      await grant(store, 'user:1', 20_000n)
      expect(await post(store, move('fee', 'user:1', 'house:fees', 100n))).toBe('posted')
      const again = await reopen()
      expect(await total(again, 'user:1')).toBe(19_900n)
      expect(await total(again, 'house:fees')).toBe(100n)
      expect(await total(again, 'house:grants')).toBe(-20_000n)
      expect(await audit(again)).toEqual({ entries: 2, postings: 4, balances: 3, holds: 0, faults: [] })
    })

    test('counts once, however often and from how many it comes at the same time', async () => {
      const { store } = await openStore(engine)
      await grant(store, 'user:1', 1000n)
      const results = await Promise.all(
        Array.from({ length: 20 }, () => post(store, move('fee', 'user:1', 'house:fees', 10n))),
      )
      expect(results.filter(word => word === 'posted')).toHaveLength(1)
      expect(results.filter(word => word === 'duplicate')).toHaveLength(19)
      expect(await total(store, 'user:1')).toBe(990n)
      await clean(store)
    })

    test('is the same in another order of its postings, and a conflict with any other content', async () => {
      const { store } = await openStore(engine)
      await grant(store, 'user:1', 1000n)
      const fee = move('fee', 'user:1', 'house:fees', 10n)
      await post(store, fee)
      expect(await post(store, { ...fee, postings: fee.postings.toReversed() })).toBe('duplicate')
      const others = [
        move('fee', 'user:1', 'house:fees', 11n),
        move('fee', 'user:1', 'house:other', 10n),
        move('fee', 'user:1', 'house:fees', 10n, 'another memo'),
        move('fee', 'user:1', 'house:fees', 5000n),
      ]
      for (const other of others)
        await expect(post(store, other)).rejects.toMatchObject({ code: 'conflict', name: 'ToolError' })
      const inUsdc = store.transaction(tx =>
        ledger.post(tx, {
          ...fee,
          unit: 'USDC',
          postings: [
            { account: 'world:in', amount: usdc(-10n) },
            { account: 'house:fees', amount: usdc(10n) },
          ],
        }),
      )
      await expect(inUsdc).rejects.toMatchObject({ code: 'conflict' })
      expect(await total(store, 'house:fees')).toBe(10n)
      await clean(store)
    })

    test('never takes an account of a caller below zero; the house and the world may go there', async () => {
      const { store } = await openStore(engine)
      for (const owner of ['user:1', 'agent:1', 'escrow:1'] as const) {
        await grant(store, owner, 50n)
        const posting = post(store, move(`much-${owner}`, owner, 'house:fees', 51n))
        await expect(posting).rejects.toThrow(InsufficientBalance)
        await expect(posting).rejects.toMatchObject({
          code: 'conflict',
          account: owner,
          needed: credits(51n),
          available: credits(50n),
        })
        await expect(posting).rejects.not.toThrow('50')
        expect(await post(store, move(`all-${owner}`, owner, 'house:fees', 50n))).toBe('posted')
        expect(await total(store, owner)).toBe(0n)
      }
      expect(await post(store, move('out', 'house:empty', 'world:bank', 9n))).toBe('posted')
      expect(await post(store, move('in', 'world:empty', 'house:empty', 9n))).toBe('posted')
      await clean(store)
    })

    test('keeps units apart: credits do not pay for what costs USDC', async () => {
      const { store } = await openStore(engine)
      await grant(store, 'user:1', 1000n)
      const transaction = store.transaction(tx =>
        ledger.post(tx, {
          id: 'pay',
          unit: 'USDC',
          memo: '',
          postings: [
            { account: 'user:1', amount: usdc(-1n) },
            { account: 'house:fees', amount: usdc(1n) },
          ],
        }),
      )
      await expect(transaction).rejects.toThrow(InsufficientBalance)
      expect((await ledger.balance(store, 'USDC', 'user:1')).total).toEqual(usdc(0n))
      expect(await total(store, 'user:1')).toBe(1000n)
    })

    test('that is not balanced or not well formed is the fault of the program, and writes nothing', async () => {
      const { store } = await openStore(engine)
      const good = move('e', 'house:a', 'world:b', 5n)
      const [first, second] = good.postings as [(typeof good.postings)[0], (typeof good.postings)[0]]
      const third = { account: 'house:c' as const, amount: credits(0n) }
      const bad: [typeof good, string][] = [
        [{ ...good, postings: [first, { ...second, amount: credits(4n) }] }, 'do not sum to zero'],
        [{ ...good, postings: [second] }, '2 to 100 postings'],
        [{ ...good, postings: [] }, '2 to 100 postings'],
        [{ ...good, postings: [first, second, third] }, 'moves nothing'],
        [{ ...good, postings: [first, { ...second, account: 'house:a' }] }, 'occurs twice'],
        [{ ...good, postings: [first, { ...second, account: 'bank:1' as 'house:1' }] }, 'a known prefix'],
        [{ ...good, postings: [first, { ...second, account: 'user:' }] }, 'a known prefix'],
        [{ ...good, postings: [first, { ...second, account: 'user:a b' }] }, 'a known prefix'],
        [{ ...good, id: '' }, 'visible ASCII'],
        [{ ...good, id: 'two words' }, 'visible ASCII'],
        [{ ...good, id: 'capture:h' }, 'for captures'],
        [{ ...good, memo: 'x'.repeat(501) }, 'longer than 500'],
      ]
      for (const [entry, why] of bad) await expect(post(store, entry)).rejects.toThrow(why)
      expect(await audit(store)).toEqual({ entries: 0, postings: 0, balances: 0, holds: 0, faults: [] })
    })

    test('holds amounts beyond what a number can say', async () => {
      const { store } = await openStore(engine)
      const huge = 2n ** 80n + 1n
      await grant(store, 'user:1', huge)
      await post(store, move('one', 'user:1', 'house:fees', 1n))
      expect(await total(store, 'user:1')).toBe(huge - 1n)
      await clean(store)
    })
  })

  describe('the transaction of the caller', () => {
    test('seals the money together with other documents, or neither of them', async () => {
      const { store } = await openStore(engine)
      await grant(store, 'user:1', 100n)
      const buy = (id: string, fails: boolean) =>
        store.transaction(async tx => {
          await tx.collection('deals').put({ id })
          await ledger.post(tx, move(id, 'user:1', 'house:fees', 10n))
          await ledger.hold(tx, {
            id,
            unit: 'credit',
            account: 'user:1',
            amount: credits(5n),
            until: later,
          })
          if (fails) throw new Error('the power is gone')
        })
      await expect(buy('lost', true)).rejects.toThrow('the power is gone')
      await buy('kept', false)
      expect(await store.collection('deals').get('lost')).toBeUndefined()
      expect(await store.collection('deals').get('kept')).toBeDefined()
      expect(await total(store, 'user:1')).toBe(90n)
      expect(await audit(store)).toMatchObject({ entries: 2, holds: 1, faults: [] })
    })

    test('may go on after a refusal, of which nothing is left', async () => {
      const { store } = await openStore(engine)
      await grant(store, 'user:1', 10n)
      const results = await store.transaction(async tx => {
        const much = ledger.post(tx, {
          ...move('much', 'agent:a', 'user:1', 5n),
          postings: [
            { account: 'agent:a', amount: credits(5n) },
            { account: 'agent:b', amount: credits(6n) },
            { account: 'user:1', amount: credits(-11n) },
          ],
        })
        const errorName = await much.catch((error: Error) => error.name)
        return [errorName, await ledger.post(tx, move('much', 'user:1', 'house:fees', 4n))]
      })
      expect(results).toEqual(['InsufficientBalance', 'posted'])
      expect(await total(store, 'agent:a')).toBe(0n)
      expect(await total(store, 'user:1')).toBe(6n)
      await clean(store)
    })

    test('may post without awaiting one by one', async () => {
      const { store } = await openStore(engine)
      await grant(store, 'user:1', 100n)
      const results = await store.transaction(tx =>
        Promise.allSettled(
          Array.from({ length: 12 }, (_, n) => ledger.post(tx, move(`e${n}`, 'user:1', 'house:fees', 10n))),
        ),
      )
      expect(results.map(({ status }) => status)).toEqual([
        ...Array.from({ length: 10 }, () => 'fulfilled'),
        'rejected',
        'rejected',
      ])
      expect(await total(store, 'user:1')).toBe(0n)
      await clean(store)
    })
  })

  describe('a statement', () => {
    test('lists what happened on one account, the newest first, page by page', async () => {
      const { store } = await openStore(engine)
      await grant(store, 'user:1', 100n)
      await grant(store, 'user:2', 100n)
      for (let n = 1; n <= 6; n += 1)
        await post(store, move(`e${n}`, n % 2 ? 'user:1' : 'user:2', 'house:fees', BigInt(n), `memo ${n}`))
      const first = await ledger.statement(store, 'credit', 'user:1', { limit: 2 })
      expect(first.lines).toMatchObject([
        { entry: 'e5', memo: 'memo 5', amount: credits(-5n) },
        { entry: 'e3', memo: 'memo 3', amount: credits(-3n) },
      ])
      await post(store, move('late', 'user:1', 'house:fees', 1n))
      const rest = await ledger.statement(store, 'credit', 'user:1', {
        ...(first.next && { after: first.next }),
      })
      expect(rest.lines.map(({ entry }) => entry)).toEqual(['e1', 'grant:user:1'])
      expect(rest.next).toBeUndefined()
      const oldest = await ledger.statement(store, 'credit', 'user:1', { order: 'asc', limit: 1 })
      expect(oldest.lines).toMatchObject([{ entry: 'grant:user:1', amount: credits(100n) }])
      expect((await ledger.statement(store, 'credit', 'house:fees')).lines).toHaveLength(7)
      expect((await ledger.statement(store, 'USDC', 'user:1')).lines).toEqual([])
      await expect(ledger.statement(store, 'credit', 'user:1', { after: 'x' })).rejects.toThrow('"next"')
    })

    test('keeps the order of commits when a clock runs backwards', async () => {
      const { store } = await openStore(engine)
      let now = Date.parse('2026-05-01')
      const own = openLedger(() => new Date(now))
      for (const id of ['a', 'b', 'c']) {
        await store.transaction(tx => own.post(tx, move(id, 'world:in', 'user:1', 1n)))
        now -= 1000
      }
      const { lines } = await own.statement(store, 'credit', 'user:1')
      expect(lines.map(({ entry }) => entry)).toEqual(['c', 'b', 'a'])
    })
  })

  describe('an audit', () => {
    test('finds a balance that somebody changed, a lost line, and a one-sided entry', async () => {
      const { store } = await openStore(engine)
      await grant(store, 'user:1', 100n)
      await post(store, move('fee', 'user:1', 'house:fees', 10n))
      await clean(store)
      const balances = store.collection<{ id: string; value: string }>('ledger.balance')
      await balances.update('credit user:1', row => ({ ...row, value: '91' }))
      expect((await audit(store)).faults).toEqual(['balance credit user:1: 91 where the journal says 90'])
      await balances.update('credit user:1', row => ({ ...row, value: '90' }))
      await store.collection('ledger.line').delete('fee user:1')
      expect((await audit(store)).faults).toEqual([
        '3 lines where the journal has 4 postings',
        'lines of credit user:1: 100 where the journal says 90',
      ])
      await openEntries(store).update('fee', row => ({ ...row, postings: row.postings.slice(1) }))
      expect((await audit(store)).faults).toContain('entry fee does not sum to zero')
      await balances.put({ id: 'credit user:ghost', value: '5' })
      expect((await audit(store)).faults.join()).toContain('balances where the journal knows')
    })
  })
})
