import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { openPaymentOperations } from '../../app/payment-operations.ts'
import type { Evidence } from '../../mcp/kernel/http.ts'
import { openLimits } from '../../mcp/kernel/pipeline/limits.ts'
import { listOwed, refund } from '../../mcp/payment/gate/owed.ts'
import { refundText, refundToPayer } from '../../mcp/payment/gate/payer-refund.ts'
import { paymentRows } from '../../mcp/payment/gate/record.ts'
import { openLedger } from '../../mcp/payment/ledger/index.ts'
import type { PaymentMethod } from '../../mcp/payment/method.ts'
import type { Store } from '../../store/index.ts'
import { openFakeMethod, pay } from './fake-method.ts'
import { failing, openPaid, type Paid, readQuote } from './gate-fixture.ts'
import { onBothEngines } from './ledger-engines.ts'
import type { Payload } from './x402.ts'

const header = (payment: object): string => Buffer.from(JSON.stringify(payment)).toString('base64')

const readReceipt = (error: { extra: { payment?: unknown } }): string =>
  (error.extra.payment as { receipt: string }).receipt

onBothEngines(engine => {
  let place: Awaited<ReturnType<typeof engine.place>>
  let stores: [Store, Store]
  let paid: Paid
  let at: number
  /** How often a transfer was signed, and what a test has it do before it is sent. */
  let signed: number
  let sending: () => Promise<void>
  beforeEach(async () => {
    place = await engine.place()
    const first = await place.open()
    stores = [first, engine.name === 'embedded' ? first : await place.open()]
    at = Date.parse('2026-11-22T12:00:00Z')
    signed = 0
    sending = async () => undefined
    paid = await openPaid({ store: first, clock: () => new Date(at) })
    paid.knobs.fail = new Error('the work fails')
  })
  afterEach(async () => {
    await paid.stop()
    for (const store of new Set(stores)) await store.close()
    await place.clean()
  })

  /** The fake method as those on chains are: it notes what it signs, sends what was noted before, and checks signatures of texts. */
  const openMethod = (): PaymentMethod => {
    const method = openFakeMethod(paid.chain)
    return {
      ...method,
      refundsFrom: async () => paid.chain.payTo.toLowerCase(),
      isSignedBy: async (payer, text, signature) => signature === `${payer} signs ${text}`,
      async refund(id, payer, amount, to, asset, notes) {
        await sending()
        if (notes?.last === undefined) {
          await notes?.note(`transfer for ${id}`)
          signed++
        }
        return method.refund(id, payer, amount, to, asset)
      },
    }
  }

  const openShop = (own: Store, options: { perDay?: number; method?: PaymentMethod } = {}) => {
    const methods = [options.method ?? openMethod()]
    const { gate, ask } = paid.boot(methods, own)
    const operations = openPaymentOperations({
      store: own,
      methods,
      limits: openLimits(),
      clock: { now: () => new Date(at) },
      gate,
      chainRefundsPerDay: options.perDay ?? 100,
    })
    let clients = 0
    const giveBack = (
      receipt: string,
      payment?: object,
      request: { to: string; signature?: string } = { to: 'payer' },
    ) =>
      operations.receipts.refund(receipt, request, {
        client: `client-${++clients}`,
        payment: { headers: payment ? { 'payment-signature': header(payment) } : {}, meta: {} },
      } as unknown as Evidence)
    return { ask, gate, giveBack, operator: operations.operator, methods }
  }

  /** A payment whose work failed, its payer and the id of its receipt. */
  const owe = async (shop: ReturnType<typeof openShop>, from = paid.chain.payer()) => {
    const payment = pay(paid.chain, from, await readQuote(shop.ask(paid.feed)))
    const receipt = readReceipt(await failing(shop.ask(paid.feed, { payment: header(payment) })))
    return { payment, receipt, from }
  }
  const balance = (address: string): bigint => paid.chain.balances.get(address) ?? 0n
  const stateOf = async (receipt: string) => {
    const { rows } = await paymentRows(paid.store).find({ index: 'receipt', where: { receipt }, limit: 1 })
    return rows[0]?.state
  }

  test('who sends the payment again gets it back at the address that paid, once, whoever asks how often and the operator too', async () => {
    const [shop, other] = [openShop(stores[0]), openShop(stores[1])]
    const { payment, receipt, from } = await owe(shop)
    const before = balance(from)
    const all = await Promise.allSettled([
      ...Array.from({ length: 6 }, (_, n) => (n % 2 ? shop : other).giveBack(receipt, payment)),
      shop.operator.refund(receipt),
      other.operator.refund(receipt),
    ])
    expect(all.some(({ status }) => status === 'fulfilled')).toBe(true)
    for (const each of all)
      if (each.status === 'rejected') expect(each.reason).toMatchObject({ code: 'conflict' })
    const done = await other.giveBack(receipt, payment)
    expect(done).toEqual({
      id: receipt,
      state: 'refunded',
      amount: '100000',
      asset: paid.chain.asset,
      refund: paid.chain.refunds.get(receipt),
    })
    expect([signed, paid.chain.refunds.size, balance(from) - before]).toEqual([1, 1, 100_000n])
    expect(await listOwed(paid.store)).toEqual([])
    paid.knobs.fail = undefined
    expect(await failing(shop.ask(paid.feed, { payment: header(payment) }))).toMatchObject({
      code: 'conflict',
    })
    expect(paid.knobs.runs).toBe(1)
  })

  test('the wallet that paid may sign instead, and nobody else', async () => {
    const shop = openShop(stores[0])
    const { receipt, from } = await owe(shop)
    const by = (who: string, text = refundText(receipt)) => ({
      to: 'payer',
      signature: `${who} signs ${text}`,
    })
    expect(await failing(shop.giveBack(receipt, undefined, by('0xmallory')))).toMatchObject({
      code: 'forbidden',
    })
    for (const text of [`Claim receipt ${receipt}`, refundText('0'.repeat(32))])
      expect(await failing(shop.giveBack(receipt, undefined, by(from, text)))).toMatchObject({
        code: 'forbidden',
      })
    expect(signed).toBe(0)
    expect(await shop.giveBack(receipt, undefined, by(from))).toMatchObject({ state: 'refunded' })
    expect(signed).toBe(1)
  })

  describe('nothing is sent', () => {
    test('to a stranger, for another payment, or for one that anybody can read off the chain', async () => {
      const shop = openShop(stores[0])
      const { receipt, payment } = await owe(shop)
      const other = await owe(shop)
      const stranger = paid.chain.payer()
      const { accepted, payload } = payment as Payload & { accepted: { network: string } }
      const tries: [object | undefined, string][] = [
        [undefined, 'unauthenticated'],
        [other.payment, 'forbidden'],
        [pay(paid.chain, stranger, (other.payment as Payload).accepted), 'forbidden'],
        [{ ...payment, accepted: { ...accepted, extra: {} } }, 'forbidden'],
        [{ x402Version: 1, scheme: 'exact', network: accepted.network, payload }, 'unauthenticated'],
        [{ x402Version: 3 }, 'unauthenticated'],
      ]
      for (const [sent, code] of tries)
        expect([code, (await failing(shop.giveBack(receipt, sent))).code]).toEqual([code, code])
      expect(await failing(shop.giveBack('0'.repeat(32), payment))).toMatchObject({ code: 'not_found' })
      expect(signed).toBe(0)
      expect(await stateOf(receipt)).toBe('owed')
    })

    test('anywhere else than to the address that paid', async () => {
      const shop = openShop(stores[0])
      const { receipt, payment } = await owe(shop)
      for (const to of ['lnbcrt1qqqqqqqqqqqqqqqqqqqq', '0x00000000000000000000000000000000000000ee'])
        expect(await failing(shop.giveBack(receipt, payment, { to }))).toMatchObject({
          code: 'invalid_input',
          message: expect.stringContaining('payer'),
        })
      expect(signed).toBe(0)
    })

    test('onto a balance, which is counted in another unit', async () => {
      const shop = openShop(stores[0])
      const { receipt, payment } = await owe(shop)
      const records = shop.gate.provenRecords({
        headers: { 'payment-signature': header(payment) },
        meta: {},
      })
      expect(records).toHaveLength(1)
      const ledger = openLedger(() => new Date(at))
      const now = () => new Date(at)
      const balance = { account: 'agent:proof:0123456789ab', unit: 'msat' } as const
      const deps = { store: stores[0], methods: shop.methods, ledger, now }
      expect(
        await failing(refundToPayer(deps, receipt, { records }, { kind: 'balance', balance })),
      ).toMatchObject({ code: 'invalid_input' })
      expect(await stateOf(receipt)).toBe('owed')
    })

    test('of what was answered, before or while it is asked for', async () => {
      const shop = openShop(stores[0])
      const other = openShop(stores[1])
      paid.knobs.fail = undefined
      const from = paid.chain.payer()
      const payment = pay(paid.chain, from, await readQuote(shop.ask(paid.feed)))
      const { receipt } = await shop.ask(paid.feed, { payment: header(payment) })
      expect(await failing(shop.giveBack(receipt?.id ?? '', payment))).toMatchObject({
        extra: { reason: 'not_owed' },
      })
      for (let round = 0; round < 6; round++) {
        paid.knobs.fail = new Error('the work fails')
        const debt = await owe(shop)
        paid.knobs.fail = undefined
        const runs = paid.knobs.runs
        const [again] = await Promise.allSettled([
          shop.ask(paid.feed, { payment: header(debt.payment) }),
          other.giveBack(debt.receipt, debt.payment),
        ])
        const answered = again.status === 'fulfilled' ? 1 : 0
        expect(paid.knobs.runs - runs).toBe(answered)
        expect(answered + (paid.chain.refunds.has(debt.receipt) ? 1 : 0)).toBeLessThanOrEqual(1)
      }
    })

    test('of money that went to another wallet, is followed elsewhere or was spent on something else', async () => {
      const shop = openShop(stores[0])
      const { receipt, payment } = await owe(shop)
      const rows = paymentRows(paid.store)
      const { rows: records } = await rows.find({ index: 'receipt', where: { receipt }, limit: 1 })
      const ours = records[0]
      if (!ours) throw new Error('no record')
      for (const change of [
        { payTo: '0x00000000000000000000000000000000000000bb' },
        { isFollowed: true },
        { spentElsewhere: true },
      ] as const) {
        await rows.put({ ...ours, ...change })
        expect(await failing(shop.giveBack(receipt, payment))).toMatchObject({
          extra: { reason: 'money_elsewhere' },
        })
      }
      expect(signed).toBe(0)
    })

    test('where the operator has set it off, or has no key to send with', async () => {
      const off = openShop(stores[0], { perDay: 0 })
      const { receipt, payment } = await owe(off)
      const { refundsFrom: _, ...keyless } = openMethod()
      for (const shop of [off, openShop(stores[0], { method: keyless })])
        expect(await failing(shop.giveBack(receipt, payment))).toMatchObject({
          code: 'unavailable',
          extra: { hint: expect.stringContaining(receipt) },
        })
      expect(await stateOf(receipt)).toBe('owed')
    })
  })

  test('an address may start five in a day, and all together what the operator allows; what was not sent does not count', async () => {
    const shop = openShop(stores[0], { perDay: 7 })
    const from = paid.chain.payer()
    sending = async () => {
      throw new Error('the node is away')
    }
    for (let n = 0; n < 6; n++) {
      const { receipt, payment } = await owe(shop)
      await expect(shop.giveBack(receipt, payment)).rejects.toThrow()
      expect(await stateOf(receipt)).toBe('owed')
    }
    sending = async () => undefined
    for (let n = 0; n < 5; n++) {
      const { receipt, payment } = await owe(shop, from)
      for (let time = 0; time < 3; time++) await shop.giveBack(receipt, payment)
    }
    const late = await owe(shop, from)
    expect(await failing(shop.giveBack(late.receipt, late.payment))).toMatchObject({
      code: 'too_many_requests',
      extra: { reason: 'refunds_of_the_day', retryAfter: 43_200 },
    })
    for (let n = 0; n < 2; n++) {
      const { receipt, payment } = await owe(shop)
      await shop.giveBack(receipt, payment)
    }
    const more = await owe(shop)
    expect(await failing(shop.giveBack(more.receipt, more.payment))).toMatchObject({
      code: 'too_many_requests',
    })
    expect([await stateOf(more.receipt), signed]).toEqual(['owed', 7])
    // The operator is bound by neither, and tomorrow is another day.
    await refund(paid.store, shop.methods, more.receipt)
    at += 86_400_000
    expect(await shop.giveBack(late.receipt, late.payment)).toMatchObject({ state: 'refunded' })
  })

  test('after the process that was sending it has died, the same transfer goes on', async () => {
    const [shop, other] = [openShop(stores[0]), openShop(stores[1])]
    const { receipt, payment, from } = await owe(shop)
    const before = balance(from)
    // What a killed process leaves behind: a transfer that was noted, and a lease that nobody renews.
    let isNoted = () => {}
    const noted = new Promise<void>(resolve => {
      isNoted = resolve
    })
    const dying: PaymentMethod = {
      ...openMethod(),
      async refund(id, _payer, _amount, _to, _asset, notes) {
        signed++
        await notes?.note(`transfer for ${id}`)
        isNoted()
        return new Promise(() => undefined)
      },
    }
    void openShop(stores[0], { method: dying })
      .giveBack(receipt, payment)
      .catch(() => undefined)
    await noted
    for (const each of [shop, other])
      expect(await failing(each.giveBack(receipt, payment))).toMatchObject({
        extra: { reason: 'under_way' },
      })
    at += 60_000
    expect(await other.giveBack(receipt, payment)).toMatchObject({ state: 'refunded' })
    expect([signed, balance(from) - before]).toEqual([1, 100_000n])
  })
})
