import { createHmac, randomBytes } from 'node:crypto'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { call, type World } from '../../mcp/kernel/call.ts'
import { PaymentRequired, ToolError } from '../../mcp/kernel/error.ts'
import { sats, tool, usd } from '../../mcp/kernel/tool.ts'
import { openL402Dialect } from '../../mcp/payment/dialects/l402/l402.ts'
import { x402 } from '../../mcp/payment/dialects/x402/x402.ts'
import { openGate } from '../../mcp/payment/gate/open.ts'
import { listOwed, refund } from '../../mcp/payment/gate/owed.ts'
import type { PaymentMethod } from '../../mcp/payment/method.ts'
import { openLightningMethod } from '../../mcp/payment/methods/lightning/method.ts'
import { openRates } from '../../mcp/payment/rates.ts'
import { openDevelopmentLightning, payDevelopmentInvoice } from '../../mcp/ports/lightning/devnet.ts'
import type { LightningNode, PayResult } from '../../mcp/ports/lightning/lightning.ts'
import type { Store } from '../../mcp/ports/store/port.ts'
import { hints, incoming, serviceWith } from '../call/fixture.ts'
import { openTestWorld } from '../world.ts'
import { openChain, openFakeMethod } from './fake-method.ts'
import { failing } from './gate-fixture.ts'

type Challenge = { token: string; invoice: string; expires: string }

const key = '11'.repeat(32)
const dollarRates = openRates([
  async () => ({ usd: '0.0006', rate: '1 sat = 0.0006 usd', source: 'test', at: '2026-11-22T12:00:00Z' }),
])

/** A world that sells a thought for sats, over Lightning and by a chain. */
const openShop = async () => {
  let at = Date.parse('2026-11-22T12:00:00Z')
  const now = () => new Date(at)
  const clock = { now }
  const knobs = { price: '100', fail: undefined as Error | undefined, runs: 0, isDown: false, invoices: 0 }
  const results: PayResult[] = []
  const paid: string[] = []
  const open = async (): Promise<LightningNode> => {
    const node = await openDevelopmentLightning({ key: async () => key, now })
    return {
      ...node,
      async createInvoice(order) {
        if (knobs.isDown) throw new ToolError('upstream', 'The node is down.')
        knobs.invoices++
        return node.createInvoice(order)
      },
      async pay(invoice) {
        paid.push(invoice)
        const result = results.shift()
        if (!result) throw new Error('the connection broke')
        return result
      },
    }
  }
  const reason = (name: string) =>
    tool({
      name,
      title: 'Reason',
      description: 'Thinks.',
      input: z.object({ text: z.string().describe('What about') }),
      output: z.object({ thought: z.string(), run: z.number() }),
      needs: [],
      price: sats('100'),
      quote: () => sats(knobs.price),
      hints: { ...hints, readOnly: true },
      a2a: {},
      examples: [{ text: 'a' }],
    }).run(async (_, { text }) => {
      if (knobs.fail) throw knobs.fail
      return { thought: text, run: ++knobs.runs }
    })
  const tools = { reason: reason('reason'), muse: reason('muse') }
  const holder = serviceWith(tools.reason, tools.muse)
  const test = await openTestWorld({ ports: { clock } })
  const store = test.ports.store as Store
  const hmacKey = randomBytes(32)
  const chain = openChain()
  const boot = () => {
    const lightning = openLightningMethod({ network: 'lightning:regtest', open, now })
    const fake = openFakeMethod(chain, 'base')
    const onChain: PaymentMethod = {
      ...fake,
      takes: () => true,
      offer: async (quote, rates) => {
        const { amount } = await rates.convert(quote.price, 'usd')
        return fake.offer({ ...quote, price: usd(amount, 'base') }, rates)
      },
    }
    const methods: PaymentMethod[] = [onChain, lightning]
    const dialects = [x402, openL402Dialect({ hmacKey, now })]
    const gate = openGate({ methods, dialects, rates: dollarRates, store, clock, hmacKey })
    const world: World = { ...test, gate, ports: { ...test.ports, store } }
    const ask = (text: string, more: object = {}, name: keyof typeof tools = 'reason') =>
      call(world, holder, tools[name], incoming({ input: { text }, client: 'one', ...more }))
    return { methods, ask }
  }
  const shop = boot()
  return {
    ...shop,
    boot,
    knobs,
    store,
    paid,
    results,
    pass: (ms: number) => {
      at += ms
    },
    now,
    stop: () => test.stop(),
  }
}

type Shop = Awaited<ReturnType<typeof openShop>>
let shop: Shop
beforeEach(async () => {
  shop = await openShop()
})
afterEach(() => shop.stop())

const refusalOf = async (promise: Promise<unknown>): Promise<PaymentRequired> => {
  const error = await failing(promise)
  if (error instanceof PaymentRequired) return error
  throw error
}

const challengeIn = ({ parts }: PaymentRequired): Challenge => {
  const challenge = parts.meta?.['l402/challenge'] as Challenge | undefined
  if (!challenge) throw new Error('no challenge')
  return challenge
}

const pay = (invoice: string): string => {
  const result = payDevelopmentInvoice(invoice, key, shop.now())
  if (result.state === 'failed') throw new Error(result.detail)
  return result.preimage
}

const inHeader = (token: string, preimage: string, scheme = 'L402') => ({
  evidence: { headers: { authorization: `${scheme} ${token}:${preimage}` }, meta: {} },
})

/** A paid credential for a text. */
const buy = async (text: string, more: object = {}) => {
  const { token, invoice } = challengeIn(await refusalOf(shop.ask(text, more)))
  return { token, invoice, preimage: pay(invoice) }
}

const narrow = (token: string, caveat: string): string => {
  const bytes = Buffer.from(token, 'base64')
  const signature = createHmac('sha256', bytes.subarray(-32)).update(caveat).digest()
  const packet = [Buffer.from([2, caveat.length]), Buffer.from(caveat), Buffer.from([0, 0, 6, 32]), signature]
  return Buffer.concat([bytes.subarray(0, -35), ...packet]).toString('base64')
}

describe('what is asked for', () => {
  test('names both ways in words, and the sat price as dollars by the rate', async () => {
    const error = await refusalOf(shop.ask('a'))
    expect(error.message).toBe('Pay 0.06 USDC on base, or 100 sat over Lightning, and repeat the call.')
  })

  test('is one invoice for the same caller and call, and another one for anybody else', async () => {
    const first = challengeIn(await refusalOf(shop.ask('a')))
    const again = challengeIn(await refusalOf(shop.ask('a')))
    expect(again.invoice).toBe(first.invoice)
    const others = [shop.ask('b'), shop.ask('a', { client: 'two' })]
    for (const other of others) expect(challengeIn(await refusalOf(other)).invoice).not.toBe(first.invoice)
    expect(shop.knobs.invoices).toBe(3)
    shop.pass(490_000)
    expect(challengeIn(await refusalOf(shop.ask('a'))).invoice).not.toBe(first.invoice)
  })

  test('makes no invoice for a probe', async () => {
    const error = await refusalOf(shop.ask('', { input: {} }))
    expect(error.message).toContain('100 sat over Lightning')
    expect(error.parts.meta?.['l402/challenge']).toBeUndefined()
    expect(shop.knobs.invoices).toBe(0)
  })

  test('is twenty unpaid invoices at most for one client; then only the other way is shown', async () => {
    for (let n = 0; n < 20; n++) challengeIn(await refusalOf(shop.ask(`text ${n}`)))
    const error = await refusalOf(shop.ask('one more'))
    expect(error.message).toBe('Pay 0.06 USDC on base, and repeat the call.')
    expect(shop.knobs.invoices).toBe(20)
    challengeIn(await refusalOf(shop.ask('one more', { client: 'two' })))
    shop.pass(601_000)
    challengeIn(await refusalOf(shop.ask('one more')))
  })

  test('leaves Lightning out while its node is down', async () => {
    shop.knobs.isDown = true
    expect((await refusalOf(shop.ask('a'))).message).toBe('Pay 0.06 USDC on base, and repeat the call.')
  })
})

describe('a paid invoice', () => {
  test.each(['L402', 'LSAT', 'l402'])('pays its call, once, in the header as %s', async scheme => {
    const { token, preimage } = await buy('a')
    const { output, receipt } = await shop.ask('a', inHeader(token, preimage, scheme))
    expect(output).toEqual({ thought: 'a', run: 1 })
    expect(receipt).toMatchObject({ method: 'lightning', network: 'lightning:regtest' })
    expect(JSON.stringify(receipt)).not.toContain(preimage)
    const again = await shop.ask('a', inHeader(token, preimage, scheme))
    expect(again.output).toEqual({ thought: 'a', run: 1 })
    expect(shop.knobs.runs).toBe(1)
  })

  test.each([
    ['an object', (token: string, preimage: string): unknown => ({ token, preimage })],
    ['an object with a macaroon', (macaroon: string, preimage: string): unknown => ({ macaroon, preimage })],
    ['a text', (token: string, preimage: string): unknown => `${token}:${preimage}`],
  ])('pays it in the metadata of a message, as %s', async (_, write) => {
    const { token, preimage } = await buy('a')
    const meta = { 'l402/credential': write(token, preimage) }
    const { parts } = await shop.ask('a', { evidence: { headers: {}, meta } })
    expect(parts?.meta?.['l402/receipt']).toMatchObject({ method: 'lightning' })
  })

  test('pays it after a restart, on another replica, and long after the invoice has ended', async () => {
    const { token, preimage } = await buy('a')
    shop.pass(5 * 24 * 3_600_000)
    const { output } = await shop.boot().ask('a', inHeader(token, preimage))
    expect(output).toEqual({ thought: 'a', run: 1 })
    expect((await shop.boot().ask('a', inHeader(token, preimage))).output).toEqual(output)
  })

  test('runs once, however many replicas it comes to at the same time', async () => {
    const { token, preimage } = await buy('a')
    const replicas = Array.from({ length: 4 }, () => shop.boot())
    const answers = await Promise.allSettled(replicas.map(each => each.ask('a', inHeader(token, preimage))))
    expect(answers.filter(({ status }) => status === 'fulfilled').length).toBeGreaterThan(0)
    expect(shop.knobs.runs).toBe(1)
  })

  test('keeps its price when the price goes up', async () => {
    const { token, preimage } = await buy('a')
    shop.knobs.price = '500'
    expect((await shop.ask('a', inHeader(token, preimage))).output).toEqual({ thought: 'a', run: 1 })
  })

  test('pays nothing but its call: not another text, nor another tool', async () => {
    const { token, preimage } = await buy('a')
    const others = [
      ['b', 'reason'],
      ['a', 'muse'],
    ] as const
    for (const [text, name] of others)
      expect(await failing(shop.ask(text, inHeader(token, preimage), name))).toMatchObject({
        code: 'conflict',
        extra: { reason: 'payment_owed', charged: true },
      })
    // Nobody's it is not: until its own call comes, it is owed to whoever paid.
    expect(await listOwed(shop.store)).toMatchObject([{ amount: '100000', state: 'owed' }])
    expect((await shop.ask('a', inHeader(token, preimage))).output).toEqual({ thought: 'a', run: 1 })
    for (const [text, name] of others)
      expect(await failing(shop.ask(text, inHeader(token, preimage), name))).toMatchObject({
        code: 'conflict',
      })
    expect(shop.knobs.runs).toBe(1)
  })

  test('whose work fails is owed, and the same credential runs it again for nothing', async () => {
    const { token, preimage } = await buy('a')
    shop.knobs.fail = new ToolError('upstream', 'The engine is down.')
    expect(await failing(shop.ask('a', inHeader(token, preimage)))).toMatchObject({ code: 'upstream' })
    expect(await listOwed(shop.store)).toHaveLength(1)
    shop.knobs.fail = undefined
    expect((await shop.ask('a', inHeader(token, preimage))).output).toEqual({ thought: 'a', run: 1 })
    expect(await listOwed(shop.store)).toHaveLength(0)
  })

  test('may be narrowed by its client, and ends where the client says', async () => {
    const { token, preimage } = await buy('a')
    const end = (ms: number) => Math.floor((shop.now().getTime() + ms) / 1000)
    const early = narrow(token, `fixture_valid_until=${end(-1000)}`)
    const refused = await refusalOf(shop.ask('a', inHeader(early, preimage)))
    expect(refused.message).toContain('expired')
    const never = narrow(token, 'fixture_valid_until=never')
    await refusalOf(shop.ask('a', inHeader(never, preimage)))
    const wider = narrow(narrow(token, 'color=red'), 'amount=1')
    expect((await shop.ask('a', inHeader(wider, preimage))).output).toEqual({ thought: 'a', run: 1 })
  })
})

describe('nothing runs and nothing is told for', () => {
  const zeros = '0'.repeat(64)
  test.each([
    ['a wrong preimage', async () => inHeader((await buy('a')).token, zeros)],
    ['no preimage', async () => inHeader((await buy('a')).token, '')],
    [
      'the preimage of another invoice',
      async () => inHeader((await buy('a')).token, (await buy('b')).preimage),
    ],
    [
      'an unpaid invoice, answered with its own hash',
      async () => {
        const { token } = challengeIn(await refusalOf(shop.ask('a')))
        return inHeader(token, Buffer.from(token, 'base64').toString('hex').slice(0, 64))
      },
    ],
    [
      'an altered token',
      async () => {
        const { token, preimage } = await buy('a')
        const bytes = Buffer.from(token, 'base64')
        const place = bytes.indexOf('amount=100000') + 7
        bytes[place] = 0x30
        return inHeader(bytes.toString('base64'), preimage)
      },
    ],
    [
      'a token without its last caveat',
      async () => {
        const { token, preimage } = await buy('a')
        const bytes = Buffer.from(token, 'base64')
        const place = bytes.indexOf('fixture_valid_until')
        return inHeader(
          Buffer.concat([bytes.subarray(0, place - 2), bytes.subarray(-35)]).toString('base64'),
          preimage,
        )
      },
    ],
    [
      'a token of another server',
      async () => {
        const elsewhere = await openShop()
        const { token } = challengeIn(await refusalOf(elsewhere.ask('a')))
        await elsewhere.stop()
        return inHeader(token, (await buy('a')).preimage)
      },
    ],
    ['no macaroon', async () => inHeader('bm90IGEgbWFjYXJvb24=', zeros)],
    ['a cut one', async () => inHeader((await buy('a')).token.slice(0, 60), zeros)],
  ])('%s', async (_, make) => {
    const error = await failing(shop.ask('a', await make()))
    expect(error).toMatchObject({ status: 402 })
    expect((error as Error).message).not.toContain(key)
    expect(shop.knobs.runs).toBe(0)
    expect(await listOwed(shop.store)).toHaveLength(0)
  })

  test('random bytes', async () => {
    for (let n = 0; n < 300; n++) {
      const bytes = randomBytes(n)
      bytes[0] = 2
      const token = bytes.toString('base64')
      await refusalOf(shop.ask('a', inHeader(token, zeros)))
    }
  })
})

describe('a refund', () => {
  const owe = async () => {
    const { token, preimage } = await buy('a')
    shop.knobs.fail = new ToolError('upstream', 'The engine is down.')
    await failing(shop.ask('a', inHeader(token, preimage)))
    const [owed] = await listOwed(shop.store)
    return owed?.id ?? ''
  }
  const giveBack = (receipt: string, to?: string) => refund(shop.store, shop.methods, receipt, shop.now, to)
  const invoiceOver = async (msat: bigint) => {
    const wallet = await openDevelopmentLightning({ key: async () => '22'.repeat(32), now: shop.now })
    return (await wallet.createInvoice({ msat, memo: 'refund', expirySeconds: 600 })).invoice
  }

  test('needs an invoice of the payer, over exactly what was paid', async () => {
    const receipt = await owe()
    expect(await failing(giveBack(receipt))).toMatchObject({ extra: { reason: 'needs_bolt11' } })
    expect(await failing(giveBack(receipt, 'lnbcrt1nothing'))).toMatchObject({ code: 'invalid_input' })
    const less = await failing(giveBack(receipt, await invoiceOver(99_000n)))
    expect(less).toMatchObject({ message: 'The invoice must be over exactly 100 sat over Lightning.' })
    expect(shop.paid).toEqual([])
  })

  test('pays it once', async () => {
    const receipt = await owe()
    const invoice = await invoiceOver(100_000n)
    shop.results.push({ state: 'paid', preimage: '00'.repeat(32) })
    const transaction = await giveBack(receipt, invoice)
    expect(await giveBack(receipt, await invoiceOver(100_000n))).toBe(transaction)
    expect(shop.paid).toEqual([invoice])
  })

  test('goes to no invoice that another one went to', async () => {
    await owe()
    await owe()
    const [first = '', second = ''] = (await listOwed(shop.store)).map(({ id }) => id)
    const invoice = await invoiceOver(100_000n)
    shop.results.push({ state: 'paid', preimage: '00'.repeat(32) })
    await giveBack(first, invoice)
    expect(await failing(giveBack(second, invoice))).toMatchObject({ extra: { reason: 'invoice_used' } })
    expect(shop.paid).toEqual([invoice])
    expect((await listOwed(shop.store)).map(({ id }) => id)).toEqual([second])
  })

  test('of which nobody knows whether it was sent goes on with the same invoice, whatever is named then', async () => {
    const receipt = await owe()
    const [first, second] = [await invoiceOver(100_000n), await invoiceOver(100_000n)]
    await expect(giveBack(receipt, first)).rejects.toThrow('the connection broke')
    shop.pass(120_000)
    shop.results.push({ state: 'paid', preimage: '00'.repeat(32) })
    await giveBack(receipt, second)
    expect(shop.paid).toEqual([first, first])
  })

  test('that has failed for good takes another invoice', async () => {
    const receipt = await owe()
    const [first, second] = [await invoiceOver(100_000n), await invoiceOver(100_000n)]
    shop.results.push({ state: 'failed', detail: 'no route' }, { state: 'paid', preimage: '00'.repeat(32) })
    expect(await failing(giveBack(receipt, first))).toMatchObject({ code: 'upstream' })
    await giveBack(receipt, second)
    expect(shop.paid).toEqual([first, second])
  })
})
