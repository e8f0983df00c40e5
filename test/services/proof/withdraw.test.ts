import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openBooks } from '../../../mcp/accounts/ports.ts'
import { sendWithdrawal } from '../../../mcp/accounts/withdrawal/send.ts'
import { withdrawalsIn } from '../../../mcp/accounts/withdrawal/withdrawal.ts'
import { openLedger } from '../../../mcp/payment/ledger/index.ts'
import { openLightningPayouts } from '../../../mcp/payment/lightning-payouts.ts'
import { encodeInvoice } from '../../../mcp/ports/lightning/bolt11.ts'
import { openDevelopmentLightning } from '../../../mcp/ports/lightning/devnet.ts'
import { openLightningKey } from '../../../mcp/ports/lightning/key.ts'
import type { Lightning } from '../../../mcp/ports/lightning/port.ts'
import { toPaymentHash } from '../../../mcp/ports/lightning/preimage.ts'
import { toWalletBook } from '../../../mcp/services/proof/account/wallet.ts'
import { type AccountsApp, openAccountsApp } from './accounts-app.ts'

describe('withdrawing', () => {
  let shop: AccountsApp
  beforeAll(async () => {
    shop = await openAccountsApp()
  })
  afterAll(() => shop.stop())

  type Headers = Record<string, string>

  const node = () => openDevelopmentLightning({ key: () => openLightningKey(shop.dir) })
  const makeInvoice = async (sats: number, expirySeconds = 600) =>
    (await (await node()).createInvoice({ msat: BigInt(sats) * 1000n, memo: 'mine', expirySeconds })).invoice
  const withdraw = async (sats: number, headers: Headers) =>
    shop.post('/withdraw', { invoice: await makeInvoice(sats) }, headers)
  const balance = async (headers: Headers) => (await shop.get('/balance', headers)).body
  const clock = { now: () => new Date() }
  const ledger = openLedger()
  const money = () => ({ ledger, books: openBooks({ store: shop.store, clock, ledger }) })
  const lightning = openLightningPayouts({ network: 'lightning:regtest', open: node })
  const send = (id: unknown, more: Partial<Lightning> = {}) =>
    sendWithdrawal({ store: shop.store, clock, ledger }, { lightning: { ...lightning, ...more } }, String(id))

  test('pays an invoice once, for 100 sats, and shows how', async () => {
    const account = await shop.funded(10_000)
    expect(await balance(account.headers)).toMatchObject({ balance_sats: 10_000, withdrawable_sats: 10_000 })
    const { status, body } = await withdraw(6000, account.headers)
    expect(status).toBe(202)
    expect(body).toMatchObject({ sats: 6000, fee_sats: 100, state: 'queued', balance_sats: 3900 })
    await Promise.all([1, 2, 3].map(() => send(body.withdrawal_id)))
    const list = (await shop.get('/withdrawals', account.headers)).body.withdrawals as Record<
      string,
      string
    >[]
    expect(list).toMatchObject([{ state: 'sent', sats: 6000, fee_sats: 100, problem: null }])
    expect(toPaymentHash(list[0]?.preimage ?? '')).toBe(body.payment_hash)
    expect(await balance(account.headers)).toMatchObject({ balance_sats: 3900, withdrawable_sats: 3900 })
    const { lines } = (await shop.get('/balance/statement', account.headers)).body
    expect((lines as object[])[0]).toMatchObject({ kind: 'withdrawal', sats: '-6100', receipt: null })
    expect((await shop.audit()).faults).toEqual([])
  })

  test('what may not be paid is refused by name, and nothing moves', async () => {
    const account = await shop.funded(8000)
    const ask = (invoice: string) => shop.post('/withdraw', { invoice }, account.headers)
    const facts = {
      currency: 'bcrt',
      paymentHash: Buffer.alloc(32, 1),
      paymentSecret: Buffer.alloc(32, 2),
      description: '',
      expirySeconds: 3600,
      createdAt: new Date(),
      key: Buffer.alloc(32, 3),
    }
    const invoices: [string, RegExp][] = [
      [await makeInvoice(4999), /over 5000 to 1000000 sat/],
      [await makeInvoice(1_000_001), /over 5000 to 1000000 sat/],
      [await makeInvoice(6000, 60), /expired, or about to/],
      [encodeInvoice({ ...facts, msat: 6_000_001n }), /whole number of sats/],
      [encodeInvoice({ ...facts, currency: 'bc', msat: 6_000_000n }), /not one of lightning:regtest/],
      [`${(await makeInvoice(6000)).slice(0, -3)}qqq`, /no Lightning invoice/],
      ['lnbcrt1', /no Lightning invoice/],
      ['https://seller.example', /must be a Lightning invoice/],
    ]
    for (const [invoice, why] of invoices) {
      const { status, body } = await ask(invoice)
      expect([status, JSON.stringify(body.issues)]).toEqual([422, expect.stringMatching(why)])
    }
    expect((await withdraw(7901, account.headers)).body).toMatchObject({
      status: 409,
      reason: 'insufficient_withdrawable',
      params: { needed: '8001 sat', withdrawable: '8000 sat' },
    })
    expect((await withdraw(6000, {})).status).toBe(401)
    expect(await balance(account.headers)).toMatchObject({ balance_sats: 8000, held_sats: 0 })
  })

  test('an invoice is used once, whoever brings it, at once or later', async () => {
    const one = await shop.funded(20_000)
    const other = await shop.funded(20_000)
    const invoice = await makeInvoice(6000)
    const answers = await Promise.all(
      [one, other, one, other].map(({ headers }, nth) =>
        shop.post('/withdraw', { invoice: nth === 2 ? invoice.toUpperCase() : invoice }, headers),
      ),
    )
    expect(answers.map(({ status }) => status).sort()).toEqual([202, 409, 409, 409])
    for (const { status, body } of answers)
      if (status === 409) expect(body).toMatchObject({ reason: 'invoice_used' })
    const sats = [await balance(one.headers), await balance(other.headers)].map(
      ({ balance_sats }) => balance_sats,
    )
    expect(sats.sort()).toEqual([13_900, 20_000])
  })

  test('several at once take no more than there is', async () => {
    const account = await shop.funded(13_000)
    const answers = await Promise.all([1, 2, 3, 4].map(() => withdraw(6000, account.headers)))
    expect(answers.map(({ status }) => status).sort()).toEqual([202, 202, 409, 409])
    expect(await balance(account.headers)).toMatchObject({ balance_sats: 800 })
  })

  test('what came by card or x402 does not leave, whoever earns it; what came over Lightning does', async () => {
    const account = await shop.funded(6000)
    const add = (id: string, source: 'world:proof-card' | 'world:proof-x402') =>
      shop.store.transaction(tx =>
        money().books.credit(tx, {
          id,
          book: toWalletBook(account.id),
          value: 9_000_000n,
          source,
          memo: 'top up',
        }),
      )
    await add('test:card', 'world:proof-card')
    await add('test:x402', 'world:proof-x402')
    expect(await balance(account.headers)).toMatchObject({ balance_sats: 24_000, withdrawable_sats: 6000 })
    // Calls are paid out of the rest first.
    await shop.post('/review', { artifact: 'ls', artifact_type: 'shell_command' }, account.headers)
    expect(await balance(account.headers)).toMatchObject({ balance_sats: 23_800, withdrawable_sats: 6000 })
    const seller = await shop.register()
    const offer = { title: 'A report', description: 'Ten pages on tides.', price_sats: 10_000 }
    const { offer_id } = (await shop.post('/offers/create', offer, seller.headers)).body
    expect((await shop.post('/offers/buy', { offer_id }, account.headers)).status).toBe(200)
    expect(await balance(account.headers)).toMatchObject({ balance_sats: 13_800, withdrawable_sats: 0 })
    expect(await balance(seller.headers)).toMatchObject({ balance_sats: 9500, withdrawable_sats: 6000 })
    expect((await shop.post('/offers/buy', { offer_id }, account.headers)).status).toBe(200)
    expect(await balance(seller.headers)).toMatchObject({ balance_sats: 19_000, withdrawable_sats: 6000 })
    expect((await withdraw(6000, seller.headers)).body).toMatchObject({ reason: 'insufficient_withdrawable' })
    expect((await withdraw(5900, seller.headers)).status).toBe(202)
  })

  test('a message that is paid over Lightning, or out of such a balance, earns what may leave', async () => {
    const sender = await shop.funded(1000)
    const to = await shop.register()
    const message = { to_agent: to.id, content: 'hello' }
    await shop.post('/messages/dm', message, sender.headers)
    expect(await balance(to.headers)).toMatchObject({ balance_sats: 285, withdrawable_sats: 285 })
    expect(await balance(sender.headers)).toMatchObject({ balance_sats: 700, withdrawable_sats: 700 })
    const poor = await shop.funded(0)
    expect((await shop.payByLightning('/messages/dm', message, poor.headers)).status).toBe(200)
    expect(await balance(to.headers)).toMatchObject({ balance_sats: 570, withdrawable_sats: 570 })
  })

  test('what is not known stays on hold and is asked again; what failed comes back, fee and all', async () => {
    const account = await shop.funded(10_000)
    const { body } = await withdraw(6000, account.headers)
    const id = String(body.withdrawal_id)
    const lost = () => Promise.reject(new Error('a secret of the node'))
    await send(id, { pay: lost })
    const [waiting] = (await shop.get(`/withdrawals?withdrawal_id=${id}`, account.headers)).body
      .withdrawals as Record<string, string>[]
    expect(waiting).toMatchObject({ state: 'queued', problem: expect.stringMatching(/asked again/) })
    expect(await balance(account.headers)).toMatchObject({ balance_sats: 3900 })
    await send(id, { pay: async () => ({ state: 'failed', detail: 'no route' }) })
    const { withdrawals } = (await shop.get('/withdrawals', account.headers)).body
    expect(withdrawals).toMatchObject([{ state: 'failed', problem: 'no route', fee_sats: 0 }])
    expect(await balance(account.headers)).toMatchObject({ balance_sats: 10_000, withdrawable_sats: 10_000 })
    await send(id)
    expect((await withdrawalsIn(shop.store).get(id))?.state).toBe('failed')
    expect((await shop.audit()).faults).toEqual([])
  })

  test('who holds the lease asks alone, and who comes back too late asks nobody', async () => {
    const account = await shop.funded(10_000)
    const { body } = await withdraw(6000, account.headers)
    const id = String(body.withdrawal_id)
    let asked = 0
    let answer = (_: { state: 'failed'; detail: string }) => {}
    const pay = () => {
      asked++
      return new Promise<{ state: 'failed'; detail: string }>(resolve => {
        answer = resolve
      })
    }
    await withdrawalsIn(shop.store).update(id, row => ({ ...row, lease: null }))
    const first = send(id, { pay })
    while (asked === 0) await new Promise(resolve => setTimeout(resolve, 5))
    await Promise.all([send(id, { pay }), send(id, { pay })])
    expect(asked).toBe(1)
    answer({ state: 'failed', detail: 'no route' })
    await first
    const again = String((await withdraw(6000, account.headers)).body.withdrawal_id)
    let now = Date.now()
    const late = { now: () => new Date(now) }
    const store = {
      ...shop.store,
      transaction: (async work => {
        const result = await shop.store.transaction(work)
        now += 170_000
        return result
      }) as typeof shop.store.transaction,
    }
    await sendWithdrawal({ store, clock: late, ledger }, { lightning: { ...lightning, pay } }, again)
    expect(asked).toBe(1)
    expect((await withdrawalsIn(shop.store).get(again))?.state).toBe('queued')
  })

  test('after its invoice ended the node is asked what became of it, and pays nothing', async () => {
    const account = await shop.funded(20_000)
    const never = () => Promise.reject(new Error('must not be asked'))
    const later = (ms: number) => ({ now: () => new Date(Date.now() + ms) })
    const at = (id: string, ms: number, more: Partial<Lightning>) =>
      sendWithdrawal(
        { store: shop.store, clock: later(ms), ledger },
        { lightning: { ...lightning, ...more } },
        id,
      )
    const begun = String((await withdraw(6000, account.headers)).body.withdrawal_id)
    await at(begun, 0, { pay: never, find: never })
    await at(begun, 601_000, { pay: never, find: never })
    expect((await withdrawalsIn(shop.store).get(begun))?.state).toBe('queued')
    await at(begun, 3_600_000, { pay: never, find: async () => undefined })
    expect((await withdrawalsIn(shop.store).get(begun))?.state).toBe('queued')
    await at(begun, 7_200_000, { pay: never, find: async () => ({ state: 'paid', preimage: '' }) })
    expect((await withdrawalsIn(shop.store).get(begun))?.state).toBe('sent')
    const untried = String((await withdraw(6000, account.headers)).body.withdrawal_id)
    await at(untried, 570_000, { pay: never, find: never })
    expect(await withdrawalsIn(shop.store).get(untried)).toMatchObject({ state: 'failed', begun_at: null })
    expect(await balance(account.headers)).toMatchObject({ balance_sats: 13_900 })
  })

  test('withdrawals are seen by their account alone, over every transport', async () => {
    const account = await shop.funded(10_000)
    const stranger = await shop.register()
    const id = String((await withdraw(6000, account.headers)).body.withdrawal_id)
    const path = `/withdrawals?withdrawal_id=${id}`
    expect((await shop.get(path, account.headers)).status).toBe(200)
    expect((await shop.get(path, stranger.headers)).status).toBe(404)
    expect((await shop.get('/withdrawals', stranger.headers)).body.withdrawals).toEqual([])
    expect((await shop.get(path)).status).toBe(401)
    const args = { withdrawal_id: id }
    expect(await shop.callMcp('withdrawal_list', args, stranger.headers)).toMatchObject({ isError: true })
    expect(JSON.stringify(await shop.sendA2a('withdrawal_list', args, stranger.headers))).toContain('error')
    expect(JSON.stringify(await shop.sendA2a('withdrawal_list', args, account.headers))).toContain(id)
  })
})

test('a real node pays no invoice of its own', async () => {
  const key = '44'.repeat(32)
  const own = await openDevelopmentLightning({ key: async () => key })
  const { paysItself: _, ...real } = own
  const lightning = openLightningPayouts({ network: 'lightning:regtest', open: async () => real })
  const { invoice } = await own.createInvoice({ msat: 6_000_000n, memo: '', expirySeconds: 600 })
  await expect(lightning.read(invoice)).rejects.toMatchObject({ code: 'invalid_input' })
  const receiver = openLightningPayouts({
    network: 'lightning:regtest',
    open: async () => ({ node: '02', createInvoice: own.createInvoice, close: async () => undefined }),
  })
  await expect(receiver.read(invoice)).rejects.toMatchObject({ code: 'unavailable' })
})
