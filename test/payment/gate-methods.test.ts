import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { call, type Incoming } from '../../mcp/kernel/call.ts'
import { PaymentRequired, ToolError } from '../../mcp/kernel/error.ts'
import { type AnyTool, type Price, tool, usd } from '../../mcp/kernel/tool.ts'
import { x402 } from '../../mcp/payment/dialects/x402/x402.ts'
import { openGate } from '../../mcp/payment/gate/open.ts'
import { listOwed, refund } from '../../mcp/payment/gate/owed.ts'
import { loadReceipt } from '../../mcp/payment/gate/receipt.ts'
import { credits } from '../../mcp/payment/ledger/amount.ts'
import { audit } from '../../mcp/payment/ledger/audit.ts'
import { openLedger } from '../../mcp/payment/ledger/index.ts'
import type { Offer } from '../../mcp/payment/method.ts'
import { configuredRates, openRates } from '../../mcp/payment/rates.ts'
import { incoming } from '../call/fixture.ts'
import { openFakeMethod, pay } from './fake-method.ts'
import { failing, openPaid, type Paid } from './gate-fixture.ts'
import { openBalance, openInvoices, testDialect, testHeader } from './test-methods.ts'
import type { Requirements } from './x402.ts'

const requirementsIn = (error: ToolError): Requirements[] =>
  (error instanceof PaymentRequired ? (error.parts.structured?.accepts ?? []) : []) as Requirements[]

let paid: Paid
let shop: ReturnType<typeof openShop>
beforeEach(async () => {
  paid = await openPaid()
  shop = openShop()
})
afterEach(() => paid.stop())

/** The tools of the fixture behind three methods and two dialects, with a stated rate: 1 sat is 0.001 USD. */
const openShop = () => {
  const ledger = openLedger()
  const invoices = openInvoices()
  const clock = { now: () => new Date() }
  const gate = openGate({
    methods: [openFakeMethod(paid.chain), invoices.method, openBalance(ledger)],
    dialects: [testDialect, x402],
    rates: openRates([configuredRates({ sat: '0.001' }, clock.now)]),
    store: paid.store,
    clock,
    hmacKey: paid.hmacKey,
  })
  const world = { ...paid.world, gate }
  const ask = (which: AnyTool, headers: Record<string, string> = {}, more: Partial<Incoming> = {}) =>
    call(
      world,
      paid.holder,
      which,
      incoming({ input: { cat: 'Mia' }, evidence: { headers, meta: {} }, ...more }),
    )
  const offers = async (which: AnyTool): Promise<Offer[]> =>
    ((await failing(ask(which))) as PaymentRequired).parts.meta?.['test/offers'] as Offer[]
  const findOffer = async (which: AnyTool, kind: string): Promise<Offer> => {
    const offer = (await offers(which)).find(each => each.kind === kind)
    if (!offer) throw new Error(`no ${kind}`)
    return offer
  }
  const invoice = async (which: AnyTool) => {
    const preimage = invoices.pay(String((await findOffer(which, 'bolt11')).extra.hash))
    return {
      authorization: testHeader({ kind: 'bolt11', network: 'test:invoices', proof: preimage, preimage }),
    }
  }
  const account = (name: string, nonce: string) => ({
    authorization: testHeader({ kind: 'account', network: 'test:book', proof: nonce, account: name, nonce }),
  })
  const fund = (name: string, amount: bigint) =>
    paid.store.transaction(tx =>
      ledger.post(tx, {
        id: `fund:${name}`,
        unit: 'credit',
        memo: '',
        postings: [
          { account: 'house:grants', amount: credits(-amount) },
          { account: `user:${name}`, amount: credits(amount) },
        ],
      }),
    )
  const balance = (name: string) =>
    paid.store.transaction(async tx => {
      const { available, held } = await ledger.balance(tx, 'credit', `user:${name}`)
      return [available.value, held.value]
    })
  return { ledger, invoices, ask, offers, findOffer, invoice, account, fund, balance }
}

describe('one refusal for every payer', () => {
  test('has the challenges, headers and quotes of all dialects, and says in words what can be paid', async () => {
    const error = await failing(shop.ask(paid.feed))
    expect(error).toBeInstanceOf(PaymentRequired)
    const { parts } = error as PaymentRequired
    expect(parts.challenges).toEqual([
      'Test kind="eip3009", amount="100000"',
      'Test kind="bolt11", amount="100"',
      'Test kind="account", amount="100"',
    ])
    expect(parts.headers).toHaveProperty('PAYMENT-REQUIRED')
    expect(parts.structured).toMatchObject({ x402Version: 2, accepts: [{ network: 'eip155:84532' }] })
    expect(parts.a2a).toMatchObject({
      'x402.payment.status': 'payment-required',
      'test.offers': expect.any(Array),
    })
    expect(error.message).toContain('0.10 USDC on base-sepolia, or 100 sat by invoice')
  })

  test('leaves out a method that cannot offer now, and is unavailable only when none is left', async () => {
    shop.invoices.block('node unreachable')
    expect((await shop.offers(paid.feed)).map(({ kind }) => kind)).toEqual(['eip3009', 'account'])
    const alone = openGate({
      methods: [shop.invoices.method],
      dialects: [testDialect],
      rates: openRates([configuredRates({ sat: '0.001' }, () => new Date())]),
      store: paid.store,
      clock: { now: () => new Date() },
      hmacKey: paid.hmacKey,
    })
    const world = { ...paid.world, gate: alone }
    const answer = call(world, paid.holder, paid.feed, incoming({ input: { cat: 'Mia' } }))
    expect(await failing(answer)).toMatchObject({ code: 'unavailable' })
  })

  test('of a payment that cannot be read names where it is', async () => {
    const error = await failing(shop.ask(paid.feed, { authorization: 'Test ???' }))
    expect(error).toMatchObject({ code: 'payment_required', extra: { reason: 'unreadable' } })
    expect(error.message).toMatch(/^Authorization: /)
    expect((await failing(shop.ask(paid.feed, { 'payment-signature': '???' }))).message).toMatch(
      /^PAYMENT-SIGNATURE: /,
    )
  })
})

describe('a price without a rate', () => {
  test('is offered by the methods that need none', async () => {
    const gate = openGate({
      methods: [openFakeMethod(paid.chain), shop.invoices.method],
      dialects: [testDialect],
      rates: openRates([]),
      store: paid.store,
      clock: { now: () => new Date() },
      hmacKey: paid.hmacKey,
    })
    const answer = call({ ...paid.world, gate }, paid.holder, paid.feed, incoming({ input: { cat: 'Mia' } }))
    const { parts } = (await failing(answer)) as PaymentRequired
    expect(parts.challenges).toEqual(['Test kind="eip3009", amount="100000"'])
  })
})

describe('money that the payer moved before the call', () => {
  test.each(['feed', 'look', 'brush'] as const)('pays %s once, with the rate in its receipt', async name => {
    const header = await shop.invoice(paid[name])
    const first = await shop.ask(paid[name], header)
    expect(first.output).toMatchObject({ said: `${name} Mia` })
    expect(first.parts?.headers).toHaveProperty('Test-Receipt')
    expect(await shop.ask(paid[name], header)).toMatchObject({ output: first.output, replayed: true })
    expect(paid.knobs.runs).toBe(1)
    const receipt = await loadReceipt(paid.store, first.receipt?.id ?? '')
    const rate = { rate: '1 sat = 0.001 usd', source: 'configured' }
    expect(receipt).toMatchObject({ method: 'invoice', amount: '100', asset: 'sat', rate })
  })

  test('is owed when the work fails, also of a tool that is settled after it ran, and is served later', async () => {
    const header = await shop.invoice(paid.look)
    paid.knobs.fail = new ToolError('upstream', 'No light.')
    const error = await failing(shop.ask(paid.look, header))
    expect(error).toMatchObject({ code: 'upstream', extra: { charged: true, payment: { success: true } } })
    const [debt] = await listOwed(paid.store)
    expect(debt).toMatchObject({ state: 'owed', method: 'invoice' })
    const methods = [shop.invoices.method]
    await expect(refund(paid.store, methods, debt?.id ?? '')).rejects.toMatchObject({
      extra: { reason: 'needs_bolt11' },
    })
    expect(await listOwed(paid.store)).toMatchObject([{ state: 'owed' }])
    paid.knobs.fail = undefined
    expect((await shop.ask(paid.look, header)).output).toMatchObject({ said: 'look Mia' })
    expect(await listOwed(paid.store)).toEqual([])
  })

  test('is given back to where the payer wants it, once', async () => {
    const header = await shop.invoice(paid.look)
    paid.knobs.fail = new ToolError('upstream', 'No light.')
    await failing(shop.ask(paid.look, header))
    const [debt] = await listOwed(paid.store)
    const give = (to: string) =>
      refund(paid.store, [shop.invoices.method], debt?.id ?? '', () => new Date(), to)
    expect(await give('lnbc1')).toBe('lnbc1')
    expect(await give('lnbc2')).toBe('lnbc1')
    expect((await failing(shop.ask(paid.look, header))).code).toBe('conflict')
  })

  test('that it did not move is a conflict, never a new quote, and leaves no record', async () => {
    const header = { authorization: testHeader({ kind: 'bolt11', network: 'test:invoices', preimage: '00' }) }
    expect(await failing(shop.ask(paid.feed, header))).toMatchObject({
      code: 'conflict',
      extra: { reason: 'payment_rejected' },
    })
    expect([await paid.rows.count(), paid.knobs.runs]).toEqual([0, 0])
  })

  test('pays one call: another one is a conflict', async () => {
    const header = await shop.invoice(paid.feed)
    await shop.ask(paid.feed, header)
    expect((await failing(shop.ask(paid.groom, header))).code).toBe('conflict')
    expect(paid.knobs.runs).toBe(1)
  })
})

describe('money in our own book', () => {
  test('is held with the record, captured with the payment, and never taken twice', async () => {
    await shop.fund('ada', 250n)
    const header = shop.account('ada', 'n1')
    const all = await Promise.all(Array.from({ length: 4 }, () => shop.ask(paid.feed, header)))
    expect(new Set(all.map(({ receipt }) => receipt?.id)).size).toBe(1)
    expect(await shop.balance('ada')).toEqual([150n, 0n])
    await shop.ask(paid.look, shop.account('ada', 'n2'))
    expect(await shop.balance('ada')).toEqual([50n, 0n])
    const poor = await failing(shop.ask(paid.feed, shop.account('ada', 'n3')))
    expect(poor).toMatchObject({ code: 'payment_required', extra: { reason: 'balance_too_low' } })
    expect([await shop.balance('ada'), paid.knobs.runs]).toEqual([[50n, 0n], 2])
    expect(await audit(paid.store)).toMatchObject({ faults: [] })
  })

  test.each(['look', 'feed'] as const)('is released when the work of %s fails', async name => {
    await shop.fund('ada', 100n)
    paid.knobs.fail = new ToolError('upstream', 'No light.')
    const error = await failing(shop.ask(paid[name], shop.account('ada', 'n1')))
    expect(error).toMatchObject({ code: 'upstream', extra: { charged: false } })
    expect(await shop.balance('ada')).toEqual([100n, 0n])
    expect(await listOwed(paid.store)).toEqual([])
  })
})

describe('two payments in one call', () => {
  test('of different money are refused, and nothing moves', async () => {
    const [offer] = requirementsIn(await failing(shop.ask(paid.feed)))
    if (!offer) throw new Error('no offer')
    const payment = pay(paid.chain, paid.chain.payer(), offer)
    const header = await shop.invoice(paid.feed)
    const both = { ...header, 'payment-signature': Buffer.from(JSON.stringify(payment)).toString('base64') }
    expect(await failing(shop.ask(paid.feed, both))).toMatchObject({ extra: { reason: 'ambiguous_payment' } })
    expect([paid.knobs.runs, paid.chain.debits(), await paid.rows.count()]).toEqual([0, 0n, 0])
  })

  test('of the same money in two dialects are one payment', async () => {
    const [offer] = requirementsIn(await failing(shop.ask(paid.feed)))
    if (!offer) throw new Error('no offer')
    const payment = pay(paid.chain, paid.chain.payer(), offer)
    const same = { kind: 'eip3009', network: offer.network, proof: 'mine', ...payment.payload }
    const both = {
      authorization: testHeader(same),
      'payment-signature': Buffer.from(JSON.stringify(payment)).toString('base64'),
    }
    expect((await shop.ask(paid.feed, both)).output).toMatchObject({ run: 1 })
    expect([paid.knobs.runs, paid.chain.debits()]).toEqual([1, 100_000n])
    // The other framing alone is another record of money that is held: a conflict, and no second debit.
    const other = { 'payment-signature': both['payment-signature'] }
    expect((await failing(shop.ask(paid.feed, other))).code).toBe('conflict')
    expect(paid.chain.debits()).toBe(100_000n)
  })
})

test('a call brings a payee and an exact amount of its own, and names the order that is paid', async () => {
  const worker = '0x00000000000000000000000000000000000000bb'
  const terms = { kind: 'eip3009', payTo: worker, amount: '123456', order: 'task-7' }
  const price: Price = { ...usd('0.10', 'base-sepolia'), terms }
  const lane = (name: string): AnyTool =>
    tool({ ...(paid.feed as AnyTool), name, quote: () => price }).run(paid.feed.run)
  const gate = openGate({
    methods: [openFakeMethod(paid.chain)],
    dialects: [x402],
    rates: openRates([]),
    store: paid.store,
    clock: { now: () => new Date() },
    hmacKey: paid.hmacKey,
  })
  const ask = (which: AnyTool, payment?: unknown) =>
    call(
      { ...paid.world, gate },
      paid.holder,
      which,
      incoming({
        input: { cat: 'Mia' },
        evidence: { headers: {}, meta: payment ? { 'x402/payment': payment } : {} },
      }),
    )
  const [first, second] = [lane('pay-worker'), lane('pay-worker-again')]
  const [offer] = requirementsIn(await failing(ask(first)))
  if (!offer) throw new Error('no offer')
  expect(offer).toMatchObject({ payTo: worker, amount: '123456' })
  const payment = pay(paid.chain, paid.chain.payer(), offer)
  const answer = await ask(first, payment)
  expect(await ask(second, payment)).toMatchObject({ output: answer.output, replayed: true })
  expect(paid.knobs.runs).toBe(1)
})
