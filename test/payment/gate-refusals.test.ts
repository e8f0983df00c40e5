import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { call } from '../../mcp/kernel/call.ts'
import { PaymentRequired, type ToolError } from '../../mcp/kernel/error.ts'
import type { PaymentMethod } from '../../mcp/payment/method.ts'
import { incoming } from '../call/fixture.ts'
import { type Authorization, openChain, openFakeMethod, pay } from './fake-method.ts'
import { failing, openPaid, type Paid, readQuote, signFor } from './gate-fixture.ts'
import type { Payload } from './x402.ts'

let at = Date.now()
let paid: Paid
beforeEach(async () => {
  at = Date.now()
  paid = await openPaid({ clock: () => new Date(at) })
})
afterEach(() => paid.stop())

const quoteIn = (error: ToolError) => (error as PaymentRequired).parts.structured ?? {}

const reasonOf = (error: ToolError) => (error instanceof PaymentRequired ? error.extra.reason : error.code)

describe('a bad payment', () => {
  test.each([
    ['expired', { validBefore: '1' }],
    ['not_yet_valid', { validAfter: '99999999999' }],
    ['wrong_recipient', { to: '0xsomebody' }],
    ['too_little', { value: '99999' }],
  ])('is refused as %s, and the payer may pay again', async (reason, more) => {
    const { ask, feed, chain, knobs } = paid
    const from = chain.payer()
    const offer = await readQuote(ask(feed))
    const error = await failing(ask(feed, { payment: pay(chain, from, offer, more) }))
    expect([error.status, reasonOf(error)]).toEqual([402, reason])
    expect(error.extra.payment).toMatchObject({ success: false, errorReason: reason })
    expect([knobs.runs, chain.debits()]).toEqual([0, 0n])
    await ask(feed, { payment: pay(chain, from, offer) })
    expect([knobs.runs, chain.debits()]).toEqual([1, 100_000n])
  })

  test.each([
    ['wrong_network', { network: 'eip155:1' }],
    ['wrong_asset', { asset: '0x0000000000000000000000000000000000000001' }],
    ['wrong_recipient', { payTo: '0x0000000000000000000000000000000000000001' }],
    ['too_little', { amount: '1' }],
    ['unreadable', { scheme: 'upto' as 'exact' }],
  ])('that takes another offer is refused as %s', async (reason, more) => {
    const { ask, feed, chain } = paid
    const offer = { ...(await readQuote(ask(feed))), ...more }
    expect(reasonOf(await failing(ask(feed, { payment: pay(chain, chain.payer(), offer) })))).toBe(reason)
  })

  test.each([['garbage'], [''], [7], [{}], [{ x402Version: 1 }], [[]], ['e30='], ['x'.repeat(200_000)]])(
    'that cannot be read (%#) is refused as unreadable',
    async payment => expect(reasonOf(await failing(paid.ask(paid.feed, { payment })))).toBe('unreadable'),
  )

  test('of a payer without the money is refused as insufficient_funds, and works once it is there', async () => {
    const { ask, feed, chain } = paid
    const from = chain.payer(1n)
    const payment = await signFor(paid, feed, {}, from)
    expect(reasonOf(await failing(ask(feed, { payment })))).toBe('insufficient_funds')
    chain.balances.set(from, 1_000_000n)
    expect((await ask(feed, { payment })).output).toMatchObject({ run: 1 })
  })

  test('that is forged neither blocks the real payer nor reads the answer', async () => {
    const { ask, feed, chain, knobs } = paid
    const payment = await signFor(paid, feed)
    const forgedPayment = { ...payment, payload: { ...payment.payload, signature: 'f'.repeat(64) } }
    const before = await failing(ask(feed, { payment: forgedPayment }))
    expect(reasonOf(before)).toBe('invalid_signature')
    expect(await paid.rows.count()).toBe(0)
    const [real, fake] = await Promise.allSettled([
      ask(feed, { payment }),
      ask(feed, { payment: forgedPayment }),
    ])
    expect([real.status, fake.status]).toEqual(['fulfilled', 'rejected'])
    const after = await failing(ask(feed, { payment: forgedPayment }))
    expect(['invalid_signature', 'conflict']).toContain(reasonOf(after))
    expect([knobs.runs, chain.debits()]).toEqual([1, 100_000n])
  })

  test.each(['feed', 'look', 'brush'] as const)(
    'that %s cannot settle is refused without an answer',
    async name => {
      const { ask, chain } = paid
      const payment = await signFor(paid, paid[name])
      chain.refusing = 'settlement_failed'
      const error = await failing(ask(paid[name], { payment }))
      expect([error.status, reasonOf(error)]).toEqual([402, 'settlement_failed'])
      const [row] = (await paid.rows.find({ index: 'state', where: { state: 'failed' } })).rows
      expect([row?.answer, row?.sealed, row?.claim]).toEqual([null, null, null])
      chain.refusing = undefined
      expect((await ask(paid[name], { payment })).output).toMatchObject({ said: `${name} Mia` })
      expect(chain.debits()).toBe(100_000n)
    },
  )
})

describe('a quote', () => {
  test('holds its price while the price drifts, up and down', async () => {
    const { ask, feed, chain, knobs } = paid
    for (const [index, drifted] of ['0.2', '0.05'].entries()) {
      knobs.price = '0.10'
      const payment = await signFor(paid, feed)
      knobs.price = drifted
      expect((await ask(feed, { payment })).output).toMatchObject({ run: index + 1 })
      expect(chain.debits()).toBe(100_000n * BigInt(index + 1))
    }
  })

  test('holds for its own input, price and time only', async () => {
    const { ask, feed, chain, knobs } = paid
    const offer = await readQuote(ask(feed))
    knobs.price = '0.2'
    const reasonFor = async (accepted: typeof offer, input = { cat: 'Mia' }) =>
      reasonOf(await failing(ask(feed, { input, payment: pay(chain, chain.payer(), accepted) })))
    expect(await reasonFor(offer, { cat: 'Tom' })).toBe('too_little')
    expect(await reasonFor({ ...offer, amount: '1' })).toBe('too_little')
    const [, mac] = String(offer.extra.quote).split('.')
    expect(await reasonFor({ ...offer, extra: { quote: `${at + 9e6}1234567.${mac}` } })).toBe('too_little')
    at += 301_000
    expect(await reasonFor(offer)).toBe('too_little')
    knobs.price = '0.05'
    expect(await reasonFor(offer)).toBe('too_much')
    expect(chain.debits()).toBe(0n)
  })

  test('pays the wallet that was paid before while that is changed, and no quote is made up for it', async () => {
    const { feed, chain, boot, rows, knobs } = paid
    const before = chain.payTo
    const offer = await readQuote(paid.ask(feed))
    chain.payTo = '0x00000000000000000000000000000000000000bB'
    const { ask } = boot([{ ...openFakeMethod(chain), previousPayTo: async () => before }])
    const reasonFor = async (accepted: typeof offer, asking = ask, input = { cat: 'Mia' }) =>
      reasonOf(await failing(asking(feed, { input, payment: pay(chain, chain.payer(), accepted) })))
    expect(await reasonFor(offer, paid.ask)).toBe('wrong_recipient')
    expect(await reasonFor(offer, ask, { cat: 'Tom' })).toBe('wrong_recipient')
    expect(await reasonFor({ ...(await readQuote(ask(feed))), payTo: before })).toBe('wrong_recipient')
    expect(knobs.runs).toBe(0)
    await ask(feed, { payment: pay(chain, chain.payer(), offer) })
    expect((await rows.find({ index: 'state', where: { state: 'done' } })).rows).toMatchObject([
      { payTo: before },
    ])
    at += 301_000
    expect(await reasonFor(offer)).toBe('wrong_recipient')
  })

  test('is what a probe without input gets: list price, schema and example', async () => {
    const { validateDiscoveryExtension } = await import('@x402/extensions/bazaar')
    for (const method of ['POST', 'GET']) {
      const request = { method, url: '/', headers: {} }
      const error = await failing(paid.ask(paid.feed, { input: {}, request }))
      const quote = quoteIn(error)
      expect(quote.accepts).toMatchObject([{ amount: '100000', scheme: 'exact' }])
      const { bazaar } = quote.extensions as { bazaar: Parameters<typeof validateDiscoveryExtension>[0] }
      expect(validateDiscoveryExtension(bazaar)).toEqual({ valid: true })
      expect(JSON.stringify(bazaar)).toContain('"Mia"')
    }
    const mcp = await failing(paid.ask(paid.feed, { channel: 'mcp', resource: 'mcp://tool/feed' }))
    const { bazaar } = quoteIn(mcp).extensions as never
    expect(validateDiscoveryExtension(bazaar)).toEqual({ valid: true })
    expect(paid.knobs.runs).toBe(0)
  })

  test('names every method that the price can be paid on', async () => {
    const other = openChain('eip155:8453')
    const { ask } = paid.boot([openFakeMethod(paid.chain), openFakeMethod(other, 'base')])
    const quote = quoteIn(await failing(ask(paid.feed)))
    expect(quote.accepts).toMatchObject([{ network: 'eip155:84532' }])
    const none = paid.boot([openFakeMethod(other, 'base')])
    expect((await failing(none.ask(paid.feed))).code).toBe('unavailable')
  })
})

describe('a payment that adds to an account', () => {
  const as = (name: string) => ({ credentials: { bearer: name } })
  const topUp = () => ({ ...paid.feed, credits: true }) as typeof paid.feed

  test.each([
    ['as it is', (payment: Payload) => payment],
    [
      'without its terms',
      ({ payload, accepted: { scheme, network } }: Payload) => ({ x402Version: 1, scheme, network, payload }),
    ],
    [
      'under another quote than it was made for',
      (payment: Payload) => ({ ...payment, accepted: { ...payment.accepted, extra: {} } }),
    ],
  ])('gains whoever copies it nothing, sent %s first', async (_, copied) => {
    const { chain, ask, knobs } = paid
    const payment = await signFor(paid, topUp(), as('ada'))
    const stolen = await failing(ask(topUp(), { payment: copied(payment), ...as('bob') }))
    expect([reasonOf(stolen), knobs.runs, chain.debits()]).toEqual(['other_account', 0, 0n])
    expect((await ask(topUp(), { payment, ...as('ada') })).output).toMatchObject({ run: 1 })
    expect(chain.debits()).toBe(100_000n)
  })

  test('is taken late, at the same price, when its own account sends it', async () => {
    const payment = await signFor(paid, topUp(), as('ada'))
    at += 30_000
    expect((await paid.ask(topUp(), { payment, ...as('ada') })).output).toMatchObject({ run: 1 })
  })

  test('is taken from the wallet that the account is, whatever terms came with it', async () => {
    const from = paid.chain.payer()
    const isWallet = {
      ...paid.holder,
      identify: {
        bearer: { needs: [], run: async () => ({ id: `${offer.network}:${from}`, via: 'bearer' }) },
      },
    } as never
    const offer = await readQuote(paid.ask(topUp()))
    const payment = { ...pay(paid.chain, from, offer), accepted: { ...offer, extra: {} } }
    const evidence = { headers: {}, meta: { 'x402/payment': payment } }
    const answer = await call(
      paid.world,
      isWallet,
      topUp(),
      incoming({ input: { cat: 'Mia' }, evidence, ...as('x') }),
    )
    expect(answer.output).toMatchObject({ run: 1 })
  })
})

test('the same payment twice at once: the second looks itself where the first was refused before the money came', async () => {
  const { brush, chain, boot } = paid
  const payment = await signFor(paid, brush)
  const method = openFakeMethod(chain)
  let answer = () => {}
  const looked = new Promise<void>(resolve => {
    answer = resolve
  })
  let isLooking = () => {}
  const looking = new Promise<void>(resolve => {
    isLooking = resolve
  })
  const slowToAnswer: PaymentMethod = {
    ...method,
    async find(...asked) {
      const found = await method.find(...asked)
      isLooking()
      await looked
      return found
    },
  }
  const { ask } = boot([slowToAnswer])
  chain.refusing = 'settlement_failed'
  const first = failing(ask(brush, { payment }))
  await looking
  chain.execute(payment.payload.authorization as Authorization)
  const second = ask(brush, { payment })
  answer()
  expect(await first).toBeInstanceOf(PaymentRequired)
  expect((await second).output).toMatchObject({ said: 'brush Mia', run: 1 })
  expect(chain.debits()).toBe(100_000n)
})

test.each([
  ['holds its price while keys are rotated', true],
  ['is none once the key before is read no more', false],
])('a quote that was signed with the key before %s', async (_, isRotating) => {
  const { ask, feed, chain, store, hmacKey } = paid
  const offer = await readQuote(ask(feed))
  const next = await openPaid({
    store,
    chain,
    clock: () => new Date(at),
    ...(isRotating && { previousHmacKey: hmacKey }),
  })
  next.knobs.price = '0.20'
  const answer = next.ask(next.feed, { payment: pay(chain, chain.payer(), offer) })
  if (isRotating) expect((await answer).output).toMatchObject({ said: 'feed Mia' })
  else expect(reasonOf(await failing(answer))).toBe('too_little')
})
