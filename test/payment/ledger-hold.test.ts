import { expect, test } from 'vitest'
import type { Account } from '../../mcp/payment/ledger/account.ts'
import { type Amount, credits } from '../../mcp/payment/ledger/amount.ts'
import { audit } from '../../mcp/payment/ledger/audit.ts'
import type { Capture } from '../../mcp/payment/ledger/hold.ts'
import { openLedger } from '../../mcp/payment/ledger/index.ts'
import { InsufficientBalance } from '../../mcp/payment/ledger/insufficient.ts'
import { openStore } from '../store/opened.ts'
import type { Engine } from '../store/suite.ts'
import { onBothEngines } from './ledger-engines.ts'

/** An account with 100 credits, a clock that stands still, and the ledger's verbs in transactions of their own. */
const begin = async (engine: Engine) => {
  const { store } = await openStore(engine)
  let now = Date.parse('2026-05-01T12:00:00Z')
  const ledger = openLedger(() => new Date(now))
  const in60s = () => new Date(now + 60_000)
  const pay = (id: string, from: Account, to: Account, value: bigint) =>
    store.transaction(tx =>
      ledger.post(tx, {
        id,
        unit: 'credit',
        memo: '',
        postings: [
          { account: from, amount: credits(-value) },
          { account: to, amount: credits(value) },
        ],
      }),
    )
  await pay('grant', 'house:grants', 'user:1', 100n)
  return {
    store,
    pay,
    hold: (id: string, value: bigint, account: Account = 'user:1', until = in60s()) =>
      store.transaction(tx =>
        ledger.hold(tx, { id, unit: 'credit', account, amount: credits(value), until }),
      ),
    capture: (id: string, to: Account, amount?: Amount, memo?: string) => {
      const capture: Capture = { to, ...(amount && { amount }), ...(memo && { memo }) }
      return store.transaction(tx => ledger.capture(tx, id, capture))
    },
    release: (id: string) => store.transaction(tx => ledger.release(tx, id)),
    balance: async (account: Account = 'user:1') => {
      const { total, held, available } = await ledger.balance(store, 'credit', account)
      return [total.value, held.value, available.value]
    },
    lines: async (account: Account) => (await ledger.statement(store, 'credit', account)).lines,
    pass: (seconds: number) => {
      now += seconds * 1000
    },
    faults: async () => (await audit(store)).faults,
  }
}

onBothEngines(engine => {
  test('a hold keeps money back from debits and from other holds', async () => {
    const { hold, pay, balance, faults } = await begin(engine)
    expect(await hold('h1', 70n)).toBe('held')
    expect(await balance()).toEqual([100n, 70n, 30n])
    await expect(pay('p1', 'user:1', 'house:fees', 31n)).rejects.toMatchObject({ available: credits(30n) })
    await expect(hold('h2', 31n)).rejects.toThrow(InsufficientBalance)
    expect(await pay('p2', 'user:1', 'house:fees', 30n)).toBe('posted')
    expect(await balance()).toEqual([70n, 70n, 0n])
    expect(await faults()).toEqual([])
  })

  test('a capture moves all or a part of it and frees the rest', async () => {
    const { hold, capture, balance, lines, faults } = await begin(engine)
    await hold('all', 40n)
    await hold('part', 50n)
    await capture('all', 'agent:seller')
    await capture('part', 'agent:seller', credits(20n), 'deal 7')
    expect(await balance()).toEqual([40n, 0n, 40n])
    expect(await balance('agent:seller')).toEqual([60n, 0n, 60n])
    expect(await lines('agent:seller')).toMatchObject([
      { entry: 'capture:part', memo: 'deal 7', amount: credits(20n) },
      { entry: 'capture:all', amount: credits(40n) },
    ])
    expect(await faults()).toEqual([])
  })

  test('no more than what is held can be captured, nor nothing, nor another unit, nor to the same account', async () => {
    const { hold, capture, balance, faults } = await begin(engine)
    await hold('h', 40n)
    await expect(capture('h', 'agent:s', credits(41n))).rejects.toMatchObject({ code: 'conflict' })
    await expect(capture('h', 'agent:s', credits(0n))).rejects.toThrow('above zero')
    await expect(capture('h', 'agent:s', credits(-1n))).rejects.toThrow('above zero')
    await expect(capture('h', 'agent:s', { unit: 'USDC', value: 1n })).rejects.toThrow(
      'where credit is meant',
    )
    await expect(capture('h', 'user:1')).rejects.toThrow('occurs twice')
    expect(await balance()).toEqual([100n, 40n, 60n])
    expect(await faults()).toEqual([])
  })

  test('a hold ends once: no second capture, no release after it, no capture after a release', async () => {
    const { hold, capture, release, balance, faults } = await begin(engine)
    await hold('captured', 30n)
    await hold('released', 30n)
    await capture('captured', 'agent:s', credits(10n))
    await release('released')
    const conflict = { code: 'conflict' }
    await expect(capture('captured', 'agent:s', credits(10n))).rejects.toMatchObject(conflict)
    await expect(release('captured')).rejects.toMatchObject(conflict)
    await expect(capture('released', 'agent:s')).rejects.toMatchObject(conflict)
    await expect(release('released')).rejects.toMatchObject(conflict)
    await expect(release('unknown')).rejects.toMatchObject({ code: 'not_found' })
    await expect(capture('unknown', 'agent:s')).rejects.toMatchObject({ code: 'not_found' })
    expect(await balance()).toEqual([90n, 0n, 90n])
    expect(await faults()).toEqual([])
  })

  test('of many who capture and release at the same time, one does', async () => {
    const { hold, capture, release, balance, faults } = await begin(engine)
    await hold('h', 30n)
    const results = await Promise.allSettled(
      Array.from({ length: 12 }, (_, n) => (n % 2 ? release('h') : capture('h', 'agent:s'))),
    )
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    const [total, held] = await balance()
    expect([70n, 100n]).toContain(total)
    expect(held).toBe(0n)
    expect(await faults()).toEqual([])
  })

  test('a hold is made once per id, and another one under its id is a conflict', async () => {
    const { hold, capture, balance, faults } = await begin(engine)
    const results = await Promise.all(Array.from({ length: 8 }, () => hold('h', 60n)))
    expect(results.filter(word => word === 'held')).toHaveLength(1)
    expect(await balance()).toEqual([100n, 60n, 40n])
    await expect(hold('h', 59n)).rejects.toMatchObject({ code: 'conflict' })
    await expect(hold('h', 60n, 'user:2')).rejects.toMatchObject({ code: 'conflict' })
    await capture('h', 'agent:s')
    expect(await hold('h', 60n)).toBe('duplicate')
    expect(await balance()).toEqual([40n, 0n, 40n])
    expect(await faults()).toEqual([])
  })

  test('a hold ends by itself when its time is over, and its money can be spent', async () => {
    const { hold, pay, pass, capture, release, balance, faults } = await begin(engine)
    await hold('h1', 60n)
    await hold('h2', 30n, 'user:1', new Date('2026-05-01T13:00:00Z'))
    pass(59)
    await expect(pay('early', 'user:1', 'house:fees', 11n)).rejects.toThrow(InsufficientBalance)
    pass(1)
    expect(await balance()).toEqual([100n, 30n, 70n])
    await expect(capture('h1', 'agent:s')).rejects.toMatchObject({ code: 'gone' })
    expect(await faults()).toEqual([])
    await expect(pay('late', 'user:1', 'house:fees', 71n)).rejects.toMatchObject({ available: credits(70n) })
    expect(await pay('late', 'user:1', 'house:fees', 70n)).toBe('posted')
    expect(await balance()).toEqual([30n, 30n, 0n])
    await expect(capture('h1', 'agent:s')).rejects.toMatchObject({ code: 'gone' })
    await release('h1')
    expect(await balance()).toEqual([30n, 30n, 0n])
    await capture('h2', 'agent:s')
    expect(await balance()).toEqual([0n, 0n, 0n])
    expect(await faults()).toEqual([])
  })

  test('an expired hold makes room for another one, and may be released as any', async () => {
    const { hold, pass, release, balance, faults } = await begin(engine)
    await hold('h1', 100n)
    pass(60)
    expect(await hold('h2', 90n)).toBe('held')
    await release('h1')
    expect(await balance()).toEqual([100n, 90n, 10n])
    pass(60)
    await release('h2')
    expect(await balance()).toEqual([100n, 0n, 100n])
    expect(await faults()).toEqual([])
  })

  test('a hold that means nothing is the fault of the program', async () => {
    const { hold, faults } = await begin(engine)
    await expect(hold('h', 0n)).rejects.toThrow('above zero')
    await expect(hold('h', -5n)).rejects.toThrow('above zero')
    await expect(hold('h', 5n, 'house:fees')).rejects.toThrow('no floor')
    await expect(hold('h', 5n, 'user:1', new Date('2026-05-01T12:00:00Z'))).rejects.toThrow('a time to come')
    await expect(hold('h', 5n, 'user:1', new Date(Number.NaN))).rejects.toThrow('a time to come')
    await expect(hold('a b', 5n)).rejects.toThrow('visible ASCII')
    await expect(hold('x'.repeat(200), 5n)).rejects.toThrow('1 to 200')
    expect(await faults()).toEqual([])
  })
})
