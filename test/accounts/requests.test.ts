import { expect, test } from 'vitest'
import { newAccountId } from '../../mcp/accounts/account.ts'
import {
  coverByLimits,
  coverFromBalance,
  openTopUpRequest,
  paymentRequestsIn,
  sweepRequests,
} from '../../mcp/accounts/payment-requests.ts'
import { audit } from '../../mcp/payment/ledger/audit.ts'
import { pay } from '../payment/fake-method.ts'
import { failing, readQuote } from '../payment/gate-fixture.ts'
import { doneIn, openPurse, toKey } from './purse-world.ts'

/** A client that may spend nothing by itself, of a person with 1.00 USD. */
const openAsked = async () => {
  let at = Date.parse('2026-11-23T10:00:00Z')
  const purse = await openPurse({ clock: () => new Date(at) })
  const account = newAccountId()
  const key = toKey(account, 'grant')
  await purse.topUp(account, 1_000_000n)
  await purse.setLimits('grant', { account, per_call: '0.00' })
  const refused = (text = 'a') => failing(purse.ask(purse.dime, key, { input: { text } }))
  const openPage = async (text = 'a') => {
    const { ask, params } = (await refused(text)).extra
    if (!ask) throw new Error('no page')
    expect(params?.pay_at).toBe(ask.url)
    return ask.id
  }
  const deps = { ledger: purse.ledger, clock: purse.clock }
  /** Pays a request with a wallet of its own. */
  const payByWallet = async (id: string) => {
    const payer = purse.chain.payer()
    const payment = pay(purse.chain, payer, await readQuote(purse.pay(id)))
    return { payment, ...(await purse.pay(id, payment)) }
  }
  const sweep = () => sweepRequests({ store: purse.store, ...deps, signal: new AbortController().signal })
  const cover = (id: string, who = account) =>
    purse.store.transaction(tx => coverFromBalance(tx, deps, who, id))
  return {
    ...purse,
    account,
    key,
    refused,
    openPage,
    payByWallet,
    sweep,
    cover,
    tick: (minutes: number) => {
      at += minutes * 60_000
    },
    done: () => doneIn(purse.store).count({ index: 'grant', where: { grant: 'grant' } }),
  }
}

test('a call that is not covered names one page for ten minutes, and a wallet of anybody pays it there for one run', async () => {
  const purse = await openAsked()
  const refusal = await purse.refused()
  const id = await purse.openPage()
  expect(refusal.message).toMatch(
    /^For the person who uses this: cover this call at http:\/\/localhost:8402\/auth\/pay\/[\w-]{22} within ten minutes\. limit_per_call: Claude may spend 0\.00 USD a call; shop\.dime costs 0\.10 USD/,
  )
  expect(refusal.extra.params).toMatchObject({ pay_until: '2026-11-23T10:10:00.000Z', price: '0.10' })
  const { output } = await purse.payByWallet(id)
  expect(output).toMatchObject({ usd: '0.10', credited_to: 'call' })
  const { receipt } = await purse.ask(purse.dime, purse.key)
  expect(receipt).toMatchObject({ method: 'balance', payer: `agent:account:${purse.account}` })
  expect(await purse.balance(purse.account)).toMatchObject({ available: '1.00', held: '0.00' })
  expect((await purse.refused()).extra.reason).toBe('limit_per_call')
  expect(await purse.done()).toBe(1)
  expect((await audit(purse.store)).faults).toEqual([])
  await purse.stop()
})

test('what is covered pays its own call only: not another input, not another tool, not another account', async () => {
  const purse = await openAsked()
  await purse.cover(await purse.openPage('a'))
  expect(await purse.balance(purse.account)).toMatchObject({ available: '0.90' })
  expect((await purse.refused('b')).extra.reason).toBe('limit_per_call')
  expect((await failing(purse.ask(purse.coin, purse.key))).extra.reason).toBe('limit_per_call')
  const stranger = toKey(newAccountId(), 'grant')
  expect((await failing(purse.ask(purse.dime, stranger))).extra.reason).toBe('limit_per_call')
  await purse.ask(purse.dime, purse.key)
  expect(await purse.done()).toBe(1)
  await purse.stop()
})

test('it is covered once: by the same person in two tabs, by two wallets, and never by another account', async () => {
  const purse = await openAsked()
  const id = await purse.openPage()
  expect((await failing(purse.cover(id, newAccountId()))).code).toBe('gone')
  const tabs = await Promise.allSettled([purse.cover(id), purse.cover(id), purse.cover(id)])
  expect(tabs.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
  expect(await purse.balance(purse.account)).toMatchObject({ available: '0.90' })
  const other = await purse.openPage('b')
  const payments = await Promise.all(
    [1, 2].map(async () => pay(purse.chain, purse.chain.payer(), await readQuote(purse.pay(other)))),
  )
  const both = await Promise.all(payments.map(payment => purse.pay(other, payment)))
  expect(both.map(({ output }) => output.credited_to).sort()).toEqual(['balance', 'call'])
  expect(await purse.balance(purse.account)).toMatchObject({ available: '1.00' })
  // The same payment again is answered as before.
  const [first] = payments
  expect((await purse.pay(other, first)).replayed).toBe(true)
  expect(await purse.balance(purse.account)).toMatchObject({ available: '1.00' })
  expect((await audit(purse.store)).faults).toEqual([])
  await purse.stop()
})

test('a payment that is confirmed when the page is over goes to the balance, and says so; without one the page is gone', async () => {
  const purse = await openAsked()
  const id = await purse.openPage()
  const payment = pay(purse.chain, purse.chain.payer(), await readQuote(purse.pay(id)))
  purse.chain.slow = true
  expect((await failing(purse.pay(id, payment))).code).toBe('payment_pending')
  purse.tick(11)
  expect((await failing(purse.pay(id))).code).toBe('gone')
  expect((await failing(purse.cover(id))).code).toBe('gone')
  purse.chain.confirm()
  const { output } = await purse.pay(id, payment)
  expect(output).toMatchObject({
    credited_to: 'balance',
    note: expect.stringContaining('after the page was over'),
  })
  expect(await purse.balance(purse.account)).toMatchObject({ available: '1.10' })
  expect((await failing(purse.pay('AAAAAAAAAAAAAAAAAAAAAA'))).code).toBe('gone')
  await purse.stop()
})

test('a second payment after the first was taken is added to the balance', async () => {
  const purse = await openAsked()
  const id = await purse.openPage()
  const second = pay(purse.chain, purse.chain.payer(), await readQuote(purse.pay(id)))
  await purse.payByWallet(id)
  const { output } = await purse.pay(id, second)
  expect(output).toMatchObject({
    credited_to: 'balance',
    note: expect.stringContaining('the balance has the 0.10 USD'),
  })
  expect(await purse.balance(purse.account)).toMatchObject({ available: '1.10' })
  await purse.stop()
})

test('a covered call that fails may be made again, and what no call takes within the hour goes to the balance', async () => {
  const purse = await openAsked()
  await purse.cover(await purse.openPage())
  purse.knobs.fail = true
  expect((await failing(purse.ask(purse.dime, purse.key))).code).toBe('upstream')
  purse.knobs.fail = false
  await purse.ask(purse.dime, purse.key)
  await purse.cover(await purse.openPage('b'))
  expect(await purse.balance(purse.account)).toMatchObject({ available: '0.80' })
  purse.tick(71)
  await purse.sweep()
  expect(await purse.balance(purse.account)).toMatchObject({ available: '0.90' })
  expect((await purse.refused('b')).extra.reason).toBe('limit_per_call')
  expect((await audit(purse.store)).faults).toEqual([])
  await purse.stop()
})

test('a call that comes back from its page waits for its person, once, and goes on when they raise the limit', async () => {
  const purse = await openAsked()
  const id = await purse.openPage()
  const evidence = { headers: {}, meta: {}, page: { id } }
  const waiting = purse.ask(purse.dime, purse.key, { evidence })
  await new Promise(resolve => setTimeout(resolve, 50))
  await purse.store.transaction(async tx => {
    await coverByLimits(tx, purse.clock, purse.account, id)
  })
  await purse.setLimits('grant', { account: purse.account, per_call: '0.20' })
  expect((await waiting).receipt).toMatchObject({ method: 'balance' })
  expect(await purse.balance(purse.account)).toMatchObject({ available: '0.90' })
  await purse.stop()
})

test('a client that went away, or names the page of somebody else, does not wait and is not asked again', async () => {
  const purse = await openAsked()
  const id = await purse.openPage()
  for (const page of [{ id, signal: { aborted: true } }, { id: 'BBBBBBBBBBBBBBBBBBBBBB' }]) {
    const error = await failing(
      purse.ask(purse.dime, purse.key, { evidence: { headers: {}, meta: {}, page } }),
    )
    expect(error.extra.ask).toBeUndefined()
    expect(error.extra.params?.pay_at).toContain(id)
  }
  await purse.stop()
})

test('an account has fifty pages open at most; the calls past them are refused without one', async () => {
  const purse = await openAsked()
  for (let nth = 0; nth < 50; nth++) await purse.openPage(`t${nth}`)
  const { extra, message } = await purse.refused('more')
  expect([extra.ask, extra.params?.top_up_at]).toEqual([undefined, 'http://localhost:8402/auth/balance'])
  expect(message).toContain('limit_per_call')
  await expect(
    purse.store.transaction(tx =>
      openTopUpRequest(tx, purse.clock, { account: purse.account, amount: '1000000', sats: null }),
    ),
  ).rejects.toMatchObject({ code: 'too_many_requests' })
  purse.tick(11)
  await purse.openPage('more')
  expect(await paymentRequestsIn(purse.store).count({ index: 'kept' })).toBe(51)
  purse.tick(2 * 24 * 60)
  await purse.sweep()
  expect(await paymentRequestsIn(purse.store).count({ index: 'kept' })).toBe(0)
  await purse.stop()
})

test('a top-up is credited once for each payment that comes for it', async () => {
  const purse = await openAsked()
  const { id } = await purse.store.transaction(tx =>
    openTopUpRequest(tx, purse.clock, { account: purse.account, amount: '250000', sats: null }),
  )
  const { output, payment } = await purse.payByWallet(id)
  expect(output).toMatchObject({
    usd: '0.25',
    credited_to: 'balance',
    note: 'The balance has 0.25 USD more.',
  })
  await purse.pay(id, payment)
  expect(await purse.balance(purse.account)).toMatchObject({ available: '1.25' })
  expect((await failing(purse.pay(id))).code).toBe('gone')
  await purse.stop()
})

test('a caller without an account reads in one line over MCP how to sign in', async () => {
  const purse = await openAsked()
  const error = await failing(purse.ask(purse.dime, 'nobody', { credentials: {}, channel: 'mcp' }))
  expect(error.message).toContain('Or sign in to this server with your client')
  expect(error.extra.ask).toBeUndefined()
  await purse.stop()
})
