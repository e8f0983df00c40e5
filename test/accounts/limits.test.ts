import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { newAccountId } from '../../mcp/accounts/account.ts'
import { audit } from '../../mcp/payment/ledger/audit.ts'
import { openEmbedded } from '../../store/embedded/open.ts'
import { openPostgres } from '../../store/postgres/open.ts'
import { failing } from '../payment/gate-fixture.ts'
import { freshSchema, postgresIsHere, withDatabase } from '../store/database.ts'
import { doneIn, openPurse, toKey } from './purse-world.ts'

const url = withDatabase()

const openPerson = async (options: Parameters<typeof openPurse>[0] = {}) => {
  const purse = await openPurse(options)
  const account = newAccountId()
  const key = toKey(account, 'grant')
  return { ...purse, account, key }
}

describe('a call of a signed-in client', () => {
  test('is paid from the balance of its person at any service, with a receipt', async () => {
    const purse = await openPerson()
    await purse.topUp(purse.account, 1_000_000n)
    await purse.setLimits('grant', { account: purse.account })
    const { receipt, output } = await purse.ask(purse.dime, purse.key)
    expect(receipt).toMatchObject({ method: 'balance', payer: `agent:account:${purse.account}` })
    expect(output).toEqual({ done: receipt?.id })
    expect(await purse.balance(purse.account)).toEqual({ available: '0.90', held: '0.00', debt: '0.00' })
    expect(await purse.spentToday('grant')).toBe('0.10')
    await purse.stop()
  })

  test.each([
    [
      { per_call: '0.09' },
      'dime',
      'limit_per_call',
      /Claude may spend 0.09 USD a call; shop.dime costs 0.10 USD/,
    ],
    [
      { per_day: '0.05' },
      'dime',
      'limit_per_day',
      /0.05 USD a UTC day and has spent 0.00 USD; shop.dime costs 0.10/,
    ],
    [{ services: ['cat'] }, 'dime', 'limit_service', /may pay cat only; shop.dime costs 0.10 USD/],
    [{ services: [] }, 'dime', 'limit_service', /may pay no service only/],
    [{ per_call: '0.119999' }, 'coin', 'limit_per_call', /shop.coin costs 0.12 USD/],
    [{}, 'half', 'balance_too_low', /0.50 USD from your balance, which has 0.30 USD/],
  ] as const)(
    'with %j refuses %s with the limit, the price and where it is changed',
    async (limits, name, reason, words) => {
      const purse = await openPerson()
      await purse.topUp(purse.account, 300_000n)
      await purse.setLimits('grant', { account: purse.account, ...limits } as never)
      const error = await failing(purse.ask(purse[name], purse.key))
      expect(error.extra.reason).toBe(reason)
      expect(error.message).toMatch(words)
      expect(error.message).toContain('http://localhost:8402/auth/balance')
      expect(await purse.balance(purse.account)).toEqual({ available: '0.30', held: '0.00', debt: '0.00' })
      expect(await purse.spentToday('grant')).toBe('0.00')
      await purse.stop()
    },
  )

  test('spends nothing without limits of its own, or with those of another account', async () => {
    const purse = await openPerson()
    await purse.topUp(purse.account, 300_000n)
    expect((await failing(purse.ask(purse.dime, purse.key))).extra.reason).toBe('limit_per_call')
    await purse.setLimits('grant', { account: newAccountId() })
    expect((await failing(purse.ask(purse.dime, purse.key))).extra.reason).toBe('limit_per_call')
    await purse.stop()
  })

  test('gives the day back what a call held that failed, and a new day begins at midnight UTC', async () => {
    let at = Date.parse('2026-11-22T23:59:00Z')
    const purse = await openPerson({ clock: () => new Date(at) })
    await purse.topUp(purse.account, 1_000_000n)
    await purse.setLimits('grant', { account: purse.account, per_day: '0.10' })
    purse.knobs.fail = true
    expect((await failing(purse.ask(purse.dime, purse.key))).code).toBe('upstream')
    expect(await purse.spentToday('grant')).toBe('0.00')
    purse.knobs.fail = false
    await purse.ask(purse.dime, purse.key)
    expect((await failing(purse.ask(purse.dime, purse.key))).extra.reason).toBe('limit_per_day')
    at += 120_000
    await purse.ask(purse.dime, purse.key)
    expect(await purse.balance(purse.account)).toMatchObject({ available: '0.80' })
    await purse.stop()
  })

  test('sees a limit that changes while calls run from its next call on', async () => {
    const purse = await openPerson()
    await purse.topUp(purse.account, 1_000_000n)
    await purse.setLimits('grant', { account: purse.account, per_day: '0.20' })
    let release = () => {}
    purse.knobs.wait = new Promise<void>(resolve => {
      release = resolve
    })
    const running = [purse.ask(purse.dime, purse.key), purse.ask(purse.dime, purse.key)]
    while ((await purse.spentToday('grant')) !== '0.20') await new Promise(resolve => setTimeout(resolve, 5))
    expect((await failing(purse.ask(purse.dime, purse.key))).extra.reason).toBe('limit_per_day')
    await purse.setLimits('grant', { account: purse.account, per_day: '0.30' })
    const third = purse.ask(purse.dime, purse.key)
    while ((await purse.spentToday('grant')) !== '0.30') await new Promise(resolve => setTimeout(resolve, 5))
    await purse.setLimits('grant', { account: purse.account, per_day: '0.05' })
    expect((await failing(purse.ask(purse.dime, purse.key))).extra.reason).toBe('limit_per_day')
    release()
    await Promise.all([...running, third])
    expect(await purse.balance(purse.account)).toEqual({ available: '0.70', held: '0.00', debt: '0.00' })
    await purse.stop()
  })

  test('has its money and its limit back when its process is gone before the work is done', async () => {
    let at = Date.now()
    const purse = await openPerson({ clock: () => new Date(at) })
    await purse.topUp(purse.account, 100_000n)
    await purse.setLimits('grant', { account: purse.account, per_day: '0.10' })
    purse.knobs.wait = new Promise(() => undefined)
    void purse.ask(purse.dime, purse.key)
    while ((await purse.balance(purse.account)).held !== '0.10')
      await new Promise(resolve => setTimeout(resolve, 5))
    purse.life.die()
    purse.knobs.wait = undefined
    at += 60_000
    const next = purse.boot()
    await next.gate.reconcile()
    expect(await purse.balance(purse.account)).toEqual({ available: '0.10', held: '0.00', debt: '0.00' })
    expect(await purse.spentToday('grant')).toBe('0.00')
    await next.ask(purse.dime, purse.key)
    expect(await purse.spentToday('grant')).toBe('0.10')
    await purse.stop()
  })
})

/** One store twice, as two replicas have it; the embedded one has a single process. */
const engines = [
  {
    name: 'the embedded store',
    here: true,
    open: async () => {
      const store = await openEmbedded({ dir: await mkdtemp(join(tmpdir(), 'octagent-purse-')) })
      return [store, store] as const
    },
  },
  {
    name: 'PostgreSQL, two replicas',
    here: postgresIsHere,
    open: async () => {
      const schema = freshSchema()
      return [await openPostgres({ url: url(), schema }), await openPostgres({ url: url(), schema })] as const
    },
  },
]

describe.each(engines.filter(({ here }) => here))('fifty calls at once on $name', ({ open }) => {
  test.each([
    ['a day of 1.30 USD', { per_day: '1.30' }, 10_000_000n, 13, 'limit_per_day'],
    ['a balance of 1.75 USD', {}, 1_750_000n, 17, 'balance_too_low'],
  ] as const)('take exactly what %s covers', async (_, limits, money, covered, reason) => {
    const [store, other] = await open()
    const purse = await openPerson({ store })
    const second = purse.boot(other)
    await purse.topUp(purse.account, money)
    await purse.setLimits('grant', { account: purse.account, ...limits })
    const calls = Array.from({ length: 50 }, (_, nth) =>
      (nth % 2 ? purse : second).ask(purse.dime, purse.key, { input: { text: String(nth) } }),
    )
    const all = await Promise.allSettled(calls)
    expect(all.filter(({ status }) => status === 'fulfilled')).toHaveLength(covered)
    for (const each of all) if (each.status === 'rejected') expect(each.reason.extra.reason).toBe(reason)
    expect(await purse.spentToday('grant')).toBe(`${covered / 10}0`)
    expect(await doneIn(store).count({ index: 'grant', where: { grant: 'grant' } })).toBe(covered)
    expect((await audit(store)).faults).toEqual([])
    await purse.stop()
    await other.close().catch(() => undefined)
  })
})
