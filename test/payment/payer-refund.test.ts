import { randomBytes } from 'node:crypto'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { call, type World } from '../../mcp/kernel/call.ts'
import { PaymentRequired, ToolError } from '../../mcp/kernel/error.ts'
import { sats, tool } from '../../mcp/kernel/tool.ts'
import { encodeParameter } from '../../mcp/lib/payment-auth.ts'
import { openL402Dialect } from '../../mcp/payment/dialects/l402/l402.ts'
import { openPaymentDialect } from '../../mcp/payment/dialects/payment/payment.ts'
import { openGate } from '../../mcp/payment/gate/open.ts'
import { listOwed } from '../../mcp/payment/gate/owed.ts'
import { type Destination, refundToPayer } from '../../mcp/payment/gate/payer-refund.ts'
import { paymentRows } from '../../mcp/payment/gate/record.ts'
import { audit } from '../../mcp/payment/ledger/audit.ts'
import { openLedger } from '../../mcp/payment/ledger/index.ts'
import { openLightningMethod } from '../../mcp/payment/methods/lightning/method.ts'
import { openRates } from '../../mcp/payment/rates.ts'
import { openDevelopmentLightning, payDevelopmentInvoice } from '../../mcp/ports/lightning/devnet.ts'
import type { LightningNode, PayResult } from '../../mcp/ports/lightning/lightning.ts'
import type { Store } from '../../store/index.ts'
import { hints, incoming, serviceWith } from '../call/fixture.ts'
import { openTestWorld } from '../world.ts'
import { failing } from './gate-fixture.ts'
import { onBothEngines } from './ledger-engines.ts'

const key = '11'.repeat(32)
const wallet = 'agent:proof:0123456789ab' as const

/** Two processes over one database that sell a thought over Lightning, and a node whose outgoing payments the test decides. */
const openShop = async (first: Store, second: Store) => {
  let at = Date.parse('2026-11-22T12:00:00Z')
  const now = () => new Date(at)
  const knobs = { fail: true, runs: 0 }
  const payments: string[] = []
  const results: (PayResult | Promise<PayResult> | 'lost')[] = []
  const open = async (): Promise<LightningNode> => {
    const { paysItself: _, ...node } = await openDevelopmentLightning({ key: async () => key, now })
    return {
      ...node,
      async pay(invoice) {
        payments.push(invoice)
        const result = await (results.shift() ?? 'lost')
        if (result === 'lost') throw new Error('the connection broke')
        return result
      },
    }
  }
  const facts = {
    title: 'Reason',
    description: 'Thinks.',
    input: z.object({ text: z.string().describe('What about') }),
    output: z.object({ thought: z.string(), run: z.number() }),
    needs: [] as const,
    price: sats('100'),
    hints: { ...hints, readOnly: true },
    a2a: {},
    examples: [{ text: 'a' }] as const,
  }
  const make = (name: string) =>
    tool({ ...facts, name, examples: [{ text: 'a' }] }).run(async (_, { text }) => {
      if (knobs.fail) throw new ToolError('upstream', 'The engine is down.')
      return { thought: text, run: ++knobs.runs }
    })
  const tools = { reason: make('reason'), muse: make('muse') }
  const holder = serviceWith(tools.reason, tools.muse)
  const clock = { now }
  const test = await openTestWorld({ ports: { clock, store: first } })
  const hmacKey = randomBytes(32)
  const ledger = openLedger(now)
  const boot = (store: Store) => {
    const methods = [openLightningMethod({ network: 'lightning:regtest', open, now })]
    const dialects = [
      openL402Dialect({ hmacKey, now }),
      openPaymentDialect({ hmacKey, now, realm: () => 'pay.example.org' }),
    ]
    const gate = openGate({ methods, dialects, rates: openRates([]), store, clock, hmacKey })
    const world: World = { ...test, gate, ports: { ...test.ports, store } }
    const ask = (text: string, authorization = '', name: keyof typeof tools = 'reason') =>
      call(
        world,
        holder,
        tools[name],
        incoming({
          input: { text },
          client: 'one',
          ...(authorization !== '' && { evidence: { headers: { authorization }, meta: {} } }),
        }),
      )
    const giveBack = async (receipt: string, authorization: string, destination: Destination) =>
      refundToPayer(
        { store, methods, ledger, now },
        receipt,
        { records: gate.provenRecords({ headers: { authorization }, meta: {} }) },
        destination,
      )
    return { ask, giveBack, gate }
  }
  const quote = async (text: string) => {
    const error = await failing(shop.ask(text))
    if (!(error instanceof PaymentRequired)) throw error
    const meta = error.parts.meta as {
      'l402/challenge': { token: string; invoice: string }
      'org.paymentauth/payment-required': { challenges: { request: Record<string, unknown> }[] }
    }
    const { token, invoice } = meta['l402/challenge']
    const [challenge] = meta['org.paymentauth/payment-required'].challenges
    if (!challenge) throw new Error('no challenge')
    return { token, invoice, challenge }
  }
  const pay = (invoice: string): string => {
    const result = payDevelopmentInvoice(invoice, key, now())
    if (result.state === 'failed') throw new Error(result.detail)
    return result.preimage
  }
  const asPayment = (challenge: { request: Record<string, unknown> }, preimage: string) => {
    const wire = {
      challenge: { ...challenge, request: encodeParameter(challenge.request) },
      payload: { preimage },
    }
    return `Payment ${Buffer.from(JSON.stringify(wire)).toString('base64url')}`
  }
  const shop = boot(first)
  return {
    ...shop,
    other: boot(second),
    boot,
    quote,
    pay,
    asPayment,
    knobs,
    payments,
    results,
    ledger,
    now,
    pass: (ms: number) => {
      at += ms
    },
    /** A payment whose work has failed: the credential and the id of the receipt. */
    async owe(text = randomBytes(4).toString('hex'), dialect: 'l402' | 'payment' = 'l402') {
      const { token, invoice, challenge } = await quote(text)
      const preimage = pay(invoice)
      const credential = dialect === 'l402' ? `L402 ${token}:${preimage}` : asPayment(challenge, preimage)
      const error = await failing(shop.ask(text, credential))
      const receipt = String(error.extra.payment?.receipt)
      return { text, credential, receipt }
    },
    async invoiceOver(msat: bigint, of = '22', expirySeconds = 600) {
      const node = await openDevelopmentLightning({ key: async () => of.repeat(32), now })
      return (await node.createInvoice({ msat, memo: 'refund', expirySeconds })).invoice
    },
    balance: async () => (await ledger.balance(first, 'msat', wallet)).available.value,
    stop: () => test.stop(),
  }
}

const toBalance: Destination = { kind: 'balance', balance: { account: wallet, unit: 'msat' } }
const toInvoice = (invoice: string): Destination => ({ kind: 'invoice', invoice })
const paidOut = { state: 'paid', preimage: '00'.repeat(32) } as const

onBothEngines(engine => {
  let shop: Awaited<ReturnType<typeof openShop>>
  let stores: Store[]
  let clean: () => Promise<void>
  beforeEach(async () => {
    const place = await engine.place()
    const first = await place.open()
    // An embedded store belongs to one process.
    const second = engine.name === 'postgres' ? await place.open() : first
    stores = [...new Set([first, second])]
    clean = place.clean
    shop = await openShop(first, second)
  })
  afterEach(async () => {
    await shop.stop()
    for (const store of stores) await store.close().catch(() => undefined)
    await clean()
  })
  const store = () => stores[0] as Store

  describe('a payer takes back what is owed', () => {
    test.each(['l402', 'payment'] as const)(
      'onto a balance, once, with the credential of %s',
      async dialect => {
        const { credential, receipt, text } = await shop.owe(undefined, dialect)
        const all = await Promise.all(
          Array.from({ length: 8 }, (_, i) =>
            (i % 2 ? shop : shop.other).giveBack(receipt, credential, toBalance),
          ),
        )
        expect(new Set(all.map(({ refund }) => refund))).toEqual(new Set([`refund:${receipt}`]))
        expect(await shop.balance()).toBe(100_000n)
        expect(await listOwed(store())).toEqual([])
        shop.knobs.fail = false
        expect(await failing(shop.ask(text, credential))).toMatchObject({ code: 'conflict' })
        const invoice = await shop.invoiceOver(100_000n)
        expect(await shop.giveBack(receipt, credential, toInvoice(invoice))).toMatchObject({
          refund: `refund:${receipt}`,
        })
        expect([shop.payments, shop.knobs.runs]).toEqual([[], 0])
        expect((await audit(store())).faults).toEqual([])
      },
    )

    test('by an invoice, which is paid once however often and wherever it is asked', async () => {
      const { credential, receipt } = await shop.owe()
      const invoice = await shop.invoiceOver(100_000n)
      shop.results.push(paidOut)
      const all = await Promise.allSettled(
        Array.from({ length: 8 }, (_, i) =>
          (i % 2 ? shop : shop.other).giveBack(receipt, credential, toInvoice(invoice)),
        ),
      )
      expect(all.some(({ status }) => status === 'fulfilled')).toBe(true)
      for (const each of all)
        if (each.status === 'rejected') expect(each.reason).toMatchObject({ code: 'conflict' })
      await shop.giveBack(receipt, credential, toInvoice(await shop.invoiceOver(100_000n)))
      await shop.giveBack(receipt, credential, toBalance)
      expect(shop.payments).toEqual([invoice])
      expect(await shop.balance()).toBe(0n)
    })

    test('either onto a balance or by an invoice, asked for both at once', async () => {
      for (let round = 0; round < 6; round++) {
        const { credential, receipt } = await shop.owe()
        const before = await shop.balance()
        const sent = shop.payments.length
        const invoice = await shop.invoiceOver(100_000n)
        shop.results.splice(0, Infinity, paidOut)
        await Promise.allSettled([
          shop.giveBack(receipt, credential, toInvoice(invoice)),
          shop.other.giveBack(receipt, credential, toBalance),
        ])
        const credited = (await shop.balance()) - before
        expect(credited + BigInt(shop.payments.length - sent) * 100_000n).toBe(100_000n)
      }
    })

    test('with the invoice that it began with, where nobody knows whether it was paid', async () => {
      const { credential, receipt } = await shop.owe()
      const invoice = await shop.invoiceOver(100_000n)
      await expect(shop.giveBack(receipt, credential, toInvoice(invoice))).rejects.toThrow()
      expect(await failing(shop.giveBack(receipt, credential, toBalance))).toMatchObject({
        extra: { reason: 'under_way' },
      })
      shop.pass(3_600_000)
      shop.results.push(paidOut)
      const other = await shop.invoiceOver(100_000n)
      await shop.other.giveBack(receipt, credential, toInvoice(other))
      expect(shop.payments).toEqual([invoice, invoice])
    })

    test('after the process that was paying it has died', async () => {
      const { credential, receipt } = await shop.owe()
      const invoice = await shop.invoiceOver(100_000n)
      // What a killed process leaves behind: the invoice on its record, and a lease that nobody renews.
      shop.results.push(new Promise<PayResult>(() => undefined))
      void shop.giveBack(receipt, credential, toInvoice(invoice)).catch(() => undefined)
      while (shop.payments.length === 0) await new Promise(setImmediate)
      for (const destination of [toBalance, toInvoice(await shop.invoiceOver(100_000n))])
        expect(await failing(shop.other.giveBack(receipt, credential, destination))).toMatchObject({
          code: 'conflict',
        })
      shop.pass(60_000)
      shop.results.push(paidOut)
      await shop.other.giveBack(receipt, credential, toInvoice(await shop.invoiceOver(100_000n)))
      expect(shop.payments).toEqual([invoice, invoice])
      expect(await shop.balance()).toBe(0n)
    })

    test('with another invoice, where the first one failed for good', async () => {
      const { credential, receipt } = await shop.owe()
      shop.results.push({ state: 'failed', detail: 'no route' }, paidOut)
      const [first, second] = [await shop.invoiceOver(100_000n), await shop.invoiceOver(100_000n)]
      await failing(shop.giveBack(receipt, credential, toInvoice(first)))
      expect(await listOwed(store())).toMatchObject([{ state: 'owed' }])
      await shop.giveBack(receipt, credential, toInvoice(second))
      expect(shop.payments).toEqual([first, second])
    })
  })

  describe('nothing is given back', () => {
    const nothing = async () => expect([shop.payments, await shop.balance()]).toEqual([[], 0n])

    test('to a stranger who knows the receipt, or has paid something else', async () => {
      const { receipt } = await shop.owe()
      const own = await shop.owe()
      for (const destination of [toBalance, toInvoice(await shop.invoiceOver(100_000n))]) {
        expect(await failing(shop.giveBack(receipt, '', destination))).toMatchObject({ code: 'forbidden' })
        expect(await failing(shop.giveBack(receipt, own.credential, destination))).toMatchObject({
          code: 'forbidden',
        })
      }
      await nothing()
    })

    test('for a token without its preimage, or another token over the same invoice', async () => {
      const { text, receipt, credential } = await shop.owe()
      const forged = credential.replace(/.{64}$/, '0'.repeat(64))
      expect(await failing(shop.giveBack(receipt, forged, toBalance))).toMatchObject({
        code: 'unauthenticated',
      })
      const preimage = credential.slice(-64)
      const again = await shop.quote(`${text} again`)
      const mixed = `L402 ${again.token}:${preimage}`
      expect(await failing(shop.giveBack(receipt, mixed, toBalance))).toMatchObject({
        code: 'unauthenticated',
      })
      await nothing()
    })

    test('of what was answered', async () => {
      shop.knobs.fail = false
      const { token, invoice } = await shop.quote('a')
      const credential = `L402 ${token}:${shop.pay(invoice)}`
      const { receipt } = await shop.ask('a', credential)
      for (const destination of [toBalance, toInvoice(await shop.invoiceOver(100_000n))])
        expect(await failing(shop.giveBack(receipt?.id ?? '', credential, destination))).toMatchObject({
          extra: { reason: 'not_owed' },
        })
      await nothing()
    })

    test('of what is being worked on, followed elsewhere, or was spent on something else', async () => {
      const { receipt, credential } = await shop.owe()
      const rows = paymentRows(store())
      const { rows: records } = await rows.find({ index: 'receipt', where: { receipt }, limit: 1 })
      const id = records[0]?.id ?? ''
      const lease = new Date(shop.now().getTime() + 45_000).toISOString()
      const states = [
        { state: 'paid', runner: 'somebody', lease },
        { state: 'owed', runner: null, lease: null, isFollowed: true },
        { state: 'owed', isFollowed: undefined, spentElsewhere: true },
        { state: 'pending', spentElsewhere: false },
        { state: 'failed' },
      ] as const
      for (const state of states) {
        await rows.update(id, row => ({ ...row, ...state }) as typeof row)
        for (const destination of [toBalance, toInvoice(await shop.invoiceOver(100_000n))])
          expect(await failing(shop.giveBack(receipt, credential, destination))).toMatchObject({
            code: 'conflict',
          })
      }
      await nothing()
    })

    test.each([
      ['too little', () => shop.invoiceOver(99_000n)],
      ['too much', () => shop.invoiceOver(100_001n)],
      ['hardly any time', () => shop.invoiceOver(100_000n, '22', 30)],
      ['our own node', () => shop.invoiceOver(100_000n, '11')],
      ['nothing at all', async () => 'lnbcrt1nothing'],
    ])('to an invoice of %s', async (_, make) => {
      const { receipt, credential } = await shop.owe()
      expect(await failing(shop.giveBack(receipt, credential, toInvoice(await make())))).toMatchObject({
        code: 'invalid_input',
      })
      expect(await listOwed(store())).toMatchObject([{ state: 'owed' }])
      await nothing()
    })

    test('to an invoice that another debt has named: a node would pay it once', async () => {
      const [one, two] = [await shop.owe(), await shop.owe()]
      const invoice = await shop.invoiceOver(100_000n)
      shop.results.push(paidOut, paidOut)
      await shop.giveBack(one.receipt, one.credential, toInvoice(invoice))
      expect(await failing(shop.giveBack(two.receipt, two.credential, toInvoice(invoice)))).toMatchObject({
        extra: { reason: 'invoice_used' },
      })
      expect(shop.payments).toEqual([invoice])
      await shop.giveBack(two.receipt, two.credential, toInvoice(await shop.invoiceOver(100_000n)))
    })

    test('twice, when the work is asked for again at the same time', async () => {
      for (let round = 0; round < 8; round++) {
        const { text, receipt, credential } = await shop.owe(`race ${round}`)
        const before = [shop.knobs.runs, await shop.balance()] as const
        shop.knobs.fail = false
        await Promise.allSettled([
          shop.ask(text, credential),
          shop.other.giveBack(receipt, credential, toBalance),
        ])
        shop.knobs.fail = true
        const credited = (await shop.balance()) - before[1]
        expect(shop.knobs.runs - before[0] + Number(credited / 100_000n)).toBeLessThanOrEqual(1)
      }
    })
  })

  describe('a credential of the Payment scheme over Lightning', () => {
    beforeEach(() => {
      shop.knobs.fail = false
    })
    const buy = async (text: string) => {
      const quoted = await shop.quote(text)
      return { ...quoted, preimage: shop.pay(quoted.invoice) }
    }
    const change = (challenge: { request: Record<string, unknown> }, changes: object) => ({
      ...challenge,
      request: { ...challenge.request, ...changes },
    })

    test('pays its call once, however often it comes', async () => {
      const { challenge, preimage } = await buy('a')
      const credential = shop.asPayment(challenge, preimage)
      const all = await Promise.allSettled([
        shop.ask('a', credential),
        shop.other.ask('a', credential),
        shop.ask('a', credential),
      ])
      expect(all.some(({ status }) => status === 'fulfilled')).toBe(true)
      expect((await shop.other.ask('a', credential)).output).toEqual({ thought: 'a', run: 1 })
      expect(shop.knobs.runs).toBe(1)
    })

    test('beside L402 of the same invoice is one payment, and the other one then pays nothing', async () => {
      const { challenge, token, preimage } = await buy('a')
      const payment = shop.asPayment(challenge, preimage)
      const token402 = `L402 ${token}:${preimage}`
      await Promise.allSettled([
        shop.ask('a', payment),
        shop.other.ask('a', token402),
        shop.ask('a', token402),
      ])
      expect(shop.knobs.runs).toBe(1)
      await Promise.allSettled([shop.ask('a', payment), shop.ask('a', token402)])
      expect(shop.knobs.runs).toBe(1)
      const { challenge: next, token: nextToken, preimage: nextPreimage } = await buy('b')
      const both = `L402 ${nextToken}:${nextPreimage}, ${shop.asPayment(next, nextPreimage)}`
      expect((await shop.ask('b', both)).output).toMatchObject({ thought: 'b' })
      expect((await shop.ask('b', both)).output).toMatchObject({ thought: 'b' })
      expect(shop.knobs.runs).toBe(2)
      expect(await paymentRows(store()).count({ index: 'state', where: { state: 'done' } })).toBe(2)
    })

    test('pays no other text and no other tool', async () => {
      const { challenge, preimage } = await buy('a')
      const credential = shop.asPayment(challenge, preimage)
      for (const [text, name] of [
        ['b', 'reason'],
        ['a', 'muse'],
      ] as const)
        expect(await failing(shop.ask(text, credential, name))).toMatchObject({ code: 'conflict' })
      expect((await shop.ask('a', credential)).output).toEqual({ thought: 'a', run: 1 })
    })

    test('is good for 30 days after its end, and for no day longer', async () => {
      const { challenge, preimage } = await buy('a')
      const late = await buy('b')
      shop.pass(29 * 86_400_000)
      await shop.ask('a', shop.asPayment(challenge, preimage))
      shop.pass(2 * 86_400_000)
      const error = await failing(shop.ask('b', shop.asPayment(late.challenge, late.preimage)))
      expect(error).toMatchObject({ status: 402, message: expect.stringContaining('expired') })
      expect(shop.knobs.runs).toBe(1)
    })

    test.each([
      [
        'an altered price',
        async () => {
          const { challenge, preimage } = await buy('a')
          return shop.asPayment(change(challenge, { amount: '1' }), preimage)
        },
      ],
      [
        'an altered payee',
        async () => {
          const { challenge, preimage } = await buy('a')
          return shop.asPayment(change(challenge, { recipient: 'me' }), preimage)
        },
      ],
      [
        'the quote of another call',
        async () => {
          const { challenge, preimage } = await buy('a')
          const { challenge: other } = await shop.quote('b')
          return shop.asPayment(change(challenge, { externalId: other.request.externalId }), preimage)
        },
      ],
      [
        'an end that was put off',
        async () => {
          const { challenge, preimage } = await buy('a')
          return shop.asPayment({ ...challenge, expires: '2030-01-01T00:00:00.000Z' } as never, preimage)
        },
      ],
      [
        'the preimage of another invoice',
        async () => shop.asPayment((await buy('a')).challenge, (await buy('b')).preimage),
      ],
      [
        'an invoice that is not paid, answered with its hash',
        async () => {
          const { challenge } = await shop.quote('a')
          const { paymentHash } = challenge.request.methodDetails as { paymentHash: string }
          return shop.asPayment(challenge, paymentHash)
        },
      ],
      [
        'no preimage',
        async () => shop.asPayment((await shop.quote('a')).challenge, undefined as unknown as string),
      ],
      ['no credential', async () => 'Payment bm90aGluZw'],
    ])('with %s runs nothing and is asked to pay', async (_, make) => {
      expect(await failing(shop.ask('a', await make()))).toMatchObject({ status: 402 })
      expect(shop.knobs.runs).toBe(0)
      expect(await paymentRows(store()).count({ index: 'state', where: { state: 'done' } })).toBe(0)
      expect(await listOwed(store())).toEqual([])
    })
  })
})
