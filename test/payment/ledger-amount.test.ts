import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type Account, checkAccount } from '../../mcp/payment/ledger/account.ts'
import { add, credits, msats, negative, subtract, type Unit, usdc } from '../../mcp/payment/ledger/amount.ts'
import { creditsToUsdc, formatAmount, parseAmount, usdcToCredits } from '../../mcp/payment/ledger/decimal.ts'
import { type Ledger, openLedger } from '../../mcp/payment/ledger/index.ts'
import type { Store, Tx } from '../../store/index.ts'

const units: Unit[] = ['USDC', 'credit', 'msat']

describe('an amount as people write it', () => {
  test.each([
    ['0.10', 'USDC', 100_000n],
    ['0.1', 'USDC', 100_000n],
    ['10', 'USDC', 10_000_000n],
    ['0.000001', 'USDC', 1n],
    ['9007199254740993.000001', 'USDC', 9_007_199_254_740_993_000_001n],
    ['20000', 'credit', 20_000n],
    ['1000', 'msat', 1000n],
    ['0', 'msat', 0n],
  ] as const)('%s %s is %s atomic units', (text, unit, value) => {
    expect(parseAmount(text, unit)).toEqual({ unit, value })
  })

  test.each([
    ['0.0000001', 'USDC'],
    ['-1', 'USDC'],
    ['+1', 'USDC'],
    ['1e3', 'USDC'],
    ['.5', 'USDC'],
    ['1.', 'USDC'],
    ['1,5', 'USDC'],
    [' 1', 'USDC'],
    ['1\n', 'USDC'],
    ['0x10', 'USDC'],
    ['١', 'USDC'],
    ['', 'USDC'],
    ['1.0', 'credit'],
    ['0.5', 'msat'],
    ['9'.repeat(41), 'msat'],
  ] as const)('%j is refused in %s', (text, unit) => {
    expect(() => parseAmount(text, unit)).toThrow(expect.objectContaining({ code: 'invalid_input' }))
  })

  test('a JavaScript number is refused, also where types were lost', () => {
    expect(() => parseAmount(0.1 as unknown as string, 'USDC')).toThrow('must be a decimal number')
  })

  test.each([
    ['0.10', usdc(100_000n)],
    ['10.00', usdc(10_000_000n)],
    ['0.005', usdc(5000n)],
    ['-0.000001', usdc(-1n)],
    ['-12.345678', usdc(-12_345_678n)],
    ['0.00', usdc(0n)],
    ['-20000', credits(-20_000n)],
    ['0', msats(0n)],
  ] as const)('is written as %s', (text, amount) => expect(formatAmount(amount)).toBe(text))

  test('what is written is read again as the same, of any size', () => {
    const any = fc.record({ unit: fc.constantFrom(...units), value: fc.bigInt({ min: 0n, max: 10n ** 30n }) })
    fc.assert(
      fc.property(any, amount => {
        expect(parseAmount(formatAmount(amount), amount.unit)).toEqual(amount)
      }),
    )
  })
})

describe('credits and USDC', () => {
  test('20,000 credits are 10.00, and back', () => {
    expect(formatAmount(creditsToUsdc(credits(20_000n)))).toBe('10.00')
    expect(usdcToCredits(parseAmount('10.00', 'USDC'))).toEqual(credits(20_000n))
  })

  test('half a credit does not exist', () => {
    expect(usdcToCredits(usdc(500n))).toEqual(credits(1n))
    expect(() => usdcToCredits(usdc(750n))).toThrow('multiple of 0.0005')
  })
})

describe('two units', () => {
  test('do not add up: the compiler refuses them, and so does the program', () => {
    expect(add(usdc(1n), usdc(2n))).toEqual(usdc(3n))
    expect(subtract(credits(1n), credits(2n))).toEqual(credits(-1n))
    expect(negative(msats(5n))).toEqual(msats(-5n))
    // @ts-expect-error USDC and credits
    expect(() => add(usdc(1n), credits(2n))).toThrow('an amount in credit where USDC is meant')
    // @ts-expect-error millisatoshis and USDC
    expect(() => subtract(msats(1n), usdc(2n))).toThrow('an amount in USDC where msat is meant')
    // @ts-expect-error USDC are no credits
    expect(() => creditsToUsdc(usdc(1n))).toThrow('where credit is meant')
    // @ts-expect-error a number is no bigint
    expect(() => add(usdc(1n), { unit: 'USDC', value: 1 })).toThrow('no bigint')
  })

  test('do not meet in an entry or a hold', async () => {
    const ledger: Ledger = openLedger()
    const tx = {} as Tx
    const [from, to] = ['user:1', 'house:fees'] as const
    const entry = { id: 'e', memo: '' }
    const posting = ledger.post(tx, {
      ...entry,
      unit: 'USDC',
      postings: [
        { account: from, amount: usdc(-1n) },
        // @ts-expect-error credits in an entry of USDC
        { account: to, amount: credits(1n) },
      ],
    })
    await expect(posting).rejects.toThrow('an amount in credit where USDC is meant')
    const hold = { id: 'h', unit: 'credit', account: from, until: new Date('2999-01-01') } as const
    // @ts-expect-error millisatoshis in a hold of credits
    await expect(ledger.hold(tx, { ...hold, amount: msats(1n) })).rejects.toThrow('where credit is meant')
    // @ts-expect-error nobody declared what accounts of a bank may do
    const strange: Account = 'bank:1'
    expect(() => checkAccount(strange)).toThrow('a known prefix')
  })

  test('the store itself is no transaction: the compiler refuses it, and so does the program', async () => {
    const store = { transaction: async () => undefined } as unknown as Store
    const amount = usdc(1n)
    const until = new Date('2999-01-01')
    const hold = { id: 'h', unit: 'USDC', account: 'user:1', amount, until } as const
    // @ts-expect-error the store is no transaction
    await expect(openLedger().hold(store, hold)).rejects.toThrow('inside of a transaction only')
  })
})
