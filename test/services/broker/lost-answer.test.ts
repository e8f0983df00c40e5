import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { call } from '../../../mcp/kernel/call.ts'
import type { AnyTool } from '../../../mcp/kernel/tool.ts'
import { listOwed } from '../../../mcp/payment/gate/owed.ts'
import { paymentRows } from '../../../mcp/payment/gate/record.ts'
import { requireSettlementOrder } from '../../../mcp/payment/gate/settlement.ts'
import { openLedger } from '../../../mcp/payment/ledger/index.ts'
import type { Store } from '../../../mcp/ports/store/port.ts'
import { accountsIn } from '../../../mcp/services/broker/account.ts'
import addCredits from '../../../mcp/services/broker/add-credits.ts'
import browseFeed from '../../../mcp/services/broker/browse-feed.ts'
import getAccount from '../../../mcp/services/broker/get-account.ts'
import getListing from '../../../mcp/services/broker/get-listing.ts'
import { listingsIn } from '../../../mcp/services/broker/listing.ts'
import openThread from '../../../mcp/services/broker/open-thread.ts'
import postListing from '../../../mcp/services/broker/post-listing.ts'
import registerAccount from '../../../mcp/services/broker/register-account.ts'
import broker from '../../../mcp/services/broker/service.ts'
import setContact from '../../../mcp/services/broker/set-contact.ts'
import setRoute from '../../../mcp/services/broker/set-route.ts'
import { openPostgres } from '../../../store/postgres/open.ts'
import { incoming, serviceWith } from '../../call/fixture.ts'
import { openFakeMethod } from '../../payment/fake-method.ts'
import { type CallOptions, failing, openPaid, type Paid, signFor } from '../../payment/gate-fixture.ts'
import { freshSchema, postgresIsHere, withDatabase } from '../../store/database.ts'

const url = withDatabase()
const engines = ['embedded', ...(postgresIsHere ? ['postgres'] : [])] as const

describe.each(engines)('an answer of the broker that was lost, %s store,', engine => {
  let paid: Paid
  let close = async () => {}
  let store: Store
  beforeEach(async () => {
    const other =
      engine === 'postgres' ? await openPostgres({ url: url(), schema: freshSchema() }) : undefined
    close = async () => other?.close()
    paid = await openPaid(other && { store: other })
    store = paid.store
  })
  afterEach(async () => {
    await paid.stop()
    await close()
  })

  /** The broker behind a gate of its own, as a process that has just started has it. */
  const boot = () => {
    const { world } = paid.boot([openFakeMethod(paid.chain, 'base')])
    const ports = { ...world.ports, ledger: openLedger() }
    const ask = (tool: AnyTool, { payment, ...more }: CallOptions & { key?: string } = {}) => {
      const { key, ...asked } = more
      const evidence = { headers: {}, meta: payment === undefined ? {} : { 'x402/payment': payment } }
      const credentials = key === undefined ? {} : { apiKey: key }
      return call({ ...world, ports }, broker, tool, incoming({ credentials, evidence, ...asked }))
    }
    return { ask, chain: paid.chain }
  }
  const sign = (
    tool: AnyTool,
    asked: CallOptions & { key?: string } = {},
    from = paid.chain.payer(60_000_000n),
  ) => signFor(boot() as never, tool, asked, from)

  test('shows the key again, another one each time, until one is used', async () => {
    const input = { usd: '50.00' }
    const payment = await sign(addCredits, { input })
    const first = await boot().ask(addCredits, { input, payment })
    expect(first.output).toMatchObject({ added: 100_000, available: 100_000 })
    const keys = [String(first.output.api_key)]
    for (let n = 0; n < 3; n++) {
      const again = await boot().ask(addCredits, { input, payment, client: '198.51.100.9' })
      expect(again).toMatchObject({ replayed: true, receipt: { id: first.receipt?.id } })
      expect(again.output).toEqual({ ...first.output, api_key: expect.stringMatching(/^brk_/) })
      keys.push(String(again.output.api_key))
    }
    expect(new Set(keys).size).toBe(4)
    const { ask } = boot()
    for (const old of keys.slice(0, 3))
      expect(await failing(ask(getAccount, { key: old }))).toMatchObject({ status: 401 })
    expect((await ask(getAccount, { key: keys[3] ?? '' })).output).toMatchObject({
      account_id: first.output.account_id,
    })
    const late = await failing(ask(addCredits, { input, payment }))
    expect(late).toMatchObject({
      status: 409,
      extra: { reason: 'key_in_use', charged: true, params: { account_id: first.output.account_id } },
    })
    expect(late.extra.payment).toMatchObject({ success: true, receipt: first.receipt?.id })
    expect((await ask(getAccount, { key: keys[3] ?? '' })).output.account_id).toBeTruthy()
    expect(paid.chain.debits()).toBe(50_000_000n)
  })

  test('shows the key of a read that opened an account, with what is there to read now', async () => {
    const seller = await boot().ask(registerAccount, { input: { accepted_terms: true } })
    const listing = { listing_type: 'sell', title: 'A briefing', body: 'Ten pages.', price_usd: 5 }
    const key = String(seller.output.api_key)
    const posted = await boot().ask(postListing, { input: listing, key })
    const input = { id: posted.output.listing_id }
    for (const [tool, asked] of [
      [browseFeed, {}],
      [getListing, input],
    ] as const) {
      const payment = await sign(tool, { input: asked })
      const first = await boot().ask(tool, { input: asked, payment })
      const again = await boot().ask(tool, { input: asked, payment })
      const { api_key, account_id } = again.output.opened_account as Record<string, string>
      expect(first.output.opened_account).toMatchObject({ account_id })
      expect(again.output).toEqual({ ...first.output, opened_account: { account_id, api_key } })
      const account = await boot().ask(getAccount, { key: api_key ?? '' })
      expect(account.output.credits).toMatchObject({ available: 999 })
      expect(await failing(boot().ask(tool, { input: asked, payment }))).toMatchObject({
        extra: { charged: true, reason: 'key_in_use' },
      })
    }
  })

  test('shows one working key to replicas that are asked at once', async () => {
    const payment = await sign(addCredits)
    await boot().ask(addCredits, { payment })
    const all = await Promise.all([1, 2, 3, 4].map(() => boot().ask(addCredits, { payment })))
    const statuses = await Promise.all(
      all.map(({ output }) =>
        boot()
          .ask(getAccount, { key: String(output.api_key) })
          .then(
            () => 200,
            ({ status }) => status,
          ),
      ),
    )
    expect(statuses.sort()).toEqual([200, 401, 401, 401])
  })

  test('belongs to its payment: one of the same wallet that came later opens nothing', async () => {
    const wallet = paid.chain.payer(60_000_000n)
    const [one, other] = [await sign(addCredits, {}, wallet), await sign(addCredits, {}, wallet)]
    const first = await boot().ask(addCredits, { payment: one })
    expect((await boot().ask(addCredits, { payment: other })).output).toMatchObject({ api_key: null })
    const again = await boot().ask(addCredits, { payment: other })
    expect(again.output).toMatchObject({ api_key: null, account_id: first.output.account_id })
    expect((await boot().ask(addCredits, { payment: one })).output.api_key).toMatch(/^brk_/)
  })

  test('is not shown for somebody else’s copy of the signature', async () => {
    const payment = await sign(addCredits)
    await boot().ask(addCredits, { payment })
    const quote = await sign(addCredits)
    const copied = { ...payment, accepted: quote.accepted }
    expect(await failing(boot().ask(addCredits, { payment: copied }))).toMatchObject({ status: 409 })
    const bare = { ...payment.accepted, extra: {} }
    expect(await failing(boot().ask(addCredits, { payment: { ...payment, accepted: bare } }))).toMatchObject({
      status: 409,
    })
    expect(await failing(boot().ask(addCredits))).toMatchObject({ status: 402 })
  })

  test('is told of as charged where it is kept no longer', async () => {
    const { output } = await boot().ask(registerAccount, { input: { accepted_terms: true } })
    const key = String(output.api_key)
    const payment = await sign(addCredits, { key })
    const first = await boot().ask(addCredits, { payment, key })
    const { rows } = await paymentRows(store).find({
      index: 'receipt',
      where: { receipt: first.receipt?.id ?? '' },
      limit: 1,
    })
    await paymentRows(store).update(rows[0]?.id ?? '', row => ({ ...row, answer: null }))
    expect(await failing(boot().ask(addCredits, { payment, key }))).toMatchObject({
      status: 409,
      extra: { charged: true, reason: 'answer_not_kept' },
    })
  })

  /** A caller that is set up to trade and has nothing, and a listing of somebody else. */
  const market = async () => {
    const register = async (n: number) => {
      const { output } = await boot().ask(registerAccount, { input: { accepted_terms: true } })
      const key = String(output.api_key)
      const contact = { contact_name: `Agent ${n}`, contact_email: `agent${n}@agents${n}.dev` }
      await boot().ask(setContact, { input: contact, key })
      await boot().ask(setRoute, { input: { deal_route: `https://agents${n}.dev/a2a` }, key })
      return key
    }
    const [seller, buyer] = [await register(1), await register(2)]
    const listing = { listing_type: 'sell', title: 'A briefing', body: 'Ten pages.', price_usd: 5 }
    const { output } = await boot().ask(postListing, { input: listing, key: seller })
    const id = String(output.listing_id)
    return { buyer, id, input: { listing: id, text: 'I take it.' } }
  }

  test('of a call that was refused after its top-up was settled leaves credits and no debt', async () => {
    const { buyer: key, id, input } = await market()
    const payment = await sign(openThread, { input, key })
    // The listing goes while the money moves.
    paid.chain.hooks.after = async () => void (await listingsIn(store).delete(id))
    const refused = await failing(boot().ask(openThread, { input, key, payment }))
    paid.chain.hooks.after = undefined as never
    expect(refused).toMatchObject({
      status: 404,
      extra: { charged: true, params: { creditsAdded: 2000, creditsRemaining: 2000 } },
    })
    expect(refused.extra.hint).toContain('2000 credits')
    expect(await listOwed(store)).toEqual([])
    const account = await boot().ask(getAccount, { key })
    expect(account.output.credits).toMatchObject({ available: 2000 })
    const again = await failing(boot().ask(openThread, { input, key, payment }))
    expect(again.toProblem()).toEqual(refused.toProblem())
    expect((await boot().ask(getAccount, { key })).output.credits).toMatchObject({ available: 2000 })
    expect(paid.chain.debits()).toBe(1_000_000n)
  })

  test('is the same for the same payment, also when credits would pay for the call by now', async () => {
    const { output } = await boot().ask(registerAccount, { input: { accepted_terms: true } })
    const key = String(output.api_key)
    const input = { listing_type: 'sell', title: 'A briefing', body: 'Ten pages.', price_usd: 5 }
    for (let n = 0; n < 3; n++) await boot().ask(postListing, { input, key })
    const payment = await sign(postListing, { input, key })
    const first = await boot().ask(postListing, { input, key, payment })
    const again = await boot().ask(postListing, { input, key, payment })
    expect([again.output, again.replayed]).toEqual([first.output, true])
    expect(await listingsIn(store).count()).toBe(4)
    const account = await boot().ask(getAccount, { key })
    expect(account.output.credits).toMatchObject({ available: 1000 - 201 })
  })

  test('of such a refusal to a payer without a key brings the key, again where it was lost', async () => {
    const { id } = await market()
    const input = { id }
    const payment = await sign(getListing, { input })
    paid.chain.hooks.after = async () => void (await listingsIn(store).delete(id))
    const refused = await failing(boot().ask(getListing, { input, payment }))
    paid.chain.hooks.after = undefined as never
    const opened = ({ extra }: typeof refused) => extra.params?.opened_account as Record<string, string>
    expect(refused).toMatchObject({ status: 404, extra: { charged: true } })
    const again = await failing(boot().ask(getListing, { input, payment }))
    expect(again).toMatchObject({ status: 404, extra: { charged: true } })
    expect(opened(again).account_id).toBe(opened(refused).account_id)
    const key = opened(again).api_key ?? ''
    expect((await boot().ask(getAccount, { key })).output.credits).toMatchObject({ available: 1000 })
    expect(await failing(boot().ask(getListing, { input, payment }))).toMatchObject({
      status: 409,
      extra: { charged: true, reason: 'key_in_use' },
    })
    expect(await listOwed(store)).toEqual([])
    const rows = await paymentRows(store).find({ index: 'state', limit: 100 })
    expect(JSON.stringify(rows.rows)).not.toMatch(/brk_[\w-]{20}/)
    expect(await accountsIn(store).count()).toBe(3)
  })
})

test('a priced tool with a secret that cannot be had again does not start', () => {
  const { reissue: _, ...forgetful } = addCredits
  expect(() => requireSettlementOrder([serviceWith(forgetful as AnyTool)])).toThrow(
    /declare reissue: fixture.add_credits/,
  )
  expect(() => requireSettlementOrder([broker])).not.toThrow()
})
