import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { credit, toBook } from '../../mcp/accounts/books.ts'
import { accountKeysIn } from '../../mcp/kernel/person.ts'
import { audit } from '../../mcp/payment/ledger/audit.ts'
import { openLedger } from '../../mcp/payment/ledger/index.ts'
import { type Stripe, startStripe } from '../stripe.ts'
import { openPurseApp, type PurseApp } from './purse-app.ts'

let stripe: Stripe
let app: PurseApp
beforeAll(async () => {
  stripe = await startStripe()
  app = await openPurseApp({
    fetch: stripe.fetch,
    environment: { ...stripe.environment, STRIPE_WEBHOOK_SECRET: `whsec_ofanother1,${stripe.secret}` },
  })
})
afterAll(async () => {
  expect((await audit(app.store)).faults).toEqual([])
  await app.stop()
  await stripe.stop()
})

const text = async (response: Response | Promise<Response>) => (await response).text()

describe('the balance page', () => {
  test('asks for a sign-in, and leads back', async () => {
    const response = await fetch(`${app.origin}/auth/balance`, { redirect: 'manual' })
    expect([response.status, response.headers.get('location')]).toEqual([
      303,
      '/auth/sign-in?return=%2Fauth%2Fbalance',
    ])
  })

  test('shows what there is to spend, each client with its limits, and the words of strangers as text', async () => {
    const person = await app.openPerson(2_500_000n)
    await person.setLimits({ per_call: '0.20', per_day: '1.00', services: ['shop'] })
    await person.call()
    const page = await text(person.get('/auth/balance'))
    for (const part of [
      '2.40 USD',
      'Claude &lt;b&gt;',
      '0.20 USD a call · 1.00 USD a day, of which 0.10 USD are spent today · shop',
      'shop.dime',
      '-0.10',
      '/receipts/',
    ])
      expect(page).toContain(part)
    expect(page).not.toContain('<b>')
  })

  test('changes the limits of a client of its own account, from a page of ours only', async () => {
    const person = await app.openPerson(1_000_000n)
    const grant = `grant_${person.account}`
    const limits = { grant, per_call: '0.10', per_day: '', all_services: '1' }
    expect((await person.call()).status).toBe(402)
    expect(
      (await person.post('/auth/balance/limits', limits, { origin: 'https://evil.example' })).status,
    ).toBe(403)
    const stranger = await app.openPerson()
    expect((await stranger.post('/auth/balance/limits', limits)).status).toBe(404)
    expect((await person.call()).status).toBe(402)
    expect((await person.post('/auth/balance/limits', limits)).status).toBe(303)
    expect((await person.call()).status).toBe(200)
    for (const [field, value] of [
      ['per_call', '-1'],
      ['per_day', '1e9'],
      ['services', 'nothing'],
      ['per_call', '0.0000001'],
    ] as const) {
      const { all_services: _, ...some } = { ...limits, [field]: value }
      const refused = await person.post('/auth/balance/limits', some)
      expect([refused.status, await refused.text()]).toEqual([422, expect.stringContaining(field)])
    }
    const none = await person.post('/auth/balance/limits', { grant, per_call: '', per_day: '' })
    expect(none.status).toBe(303)
    expect((await person.call()).body.reason).toBe('limit_service')
  })

  test('tells every movement as CSV, in which nothing of a stranger is computed', async () => {
    const person = await app.openPerson(1_000_000n)
    await person.setLimits({ per_call: null, client: { id: 'c', name: '=cmd(),"x"' } })
    await person.call()
    const response = await person.get('/auth/balance/statement.csv')
    expect(response.headers.get('content-type')).toBe('text/csv; charset=utf-8')
    const [head, debit, first] = (await response.text()).split('\r\n')
    expect(head).toBe('created_at,book,service,kind,tool,client,amount,unit,receipt,entry')
    expect(debit).toMatch(
      /^[\d:.TZ-]+,account,shop,call,dime,"'=cmd\(\),""x""",-0\.10,USD,[0-9a-f]{32},capture:[0-9a-f]{32}$/,
    )
    expect(first).toContain(',account,,top_up,,,1.00,USD,')
    expect((await fetch(`${app.origin}/auth/balance/statement.csv`, { redirect: 'manual' })).status).toBe(303)
  })

  test('takes money out to a wallet of the account only, after a fresh sign-in, and lists it', async () => {
    const person = await app.openPerson()
    await app.store.transaction(tx =>
      credit(tx, openLedger(), {
        id: `topup:${person.account}`,
        book: toBook(person.account),
        value: 4_000_000n,
        source: 'world:account-x402-evm',
        memo: 'top-up',
      }),
    )
    const wallet = `0x${person.account.slice(5)}${'0'.repeat(16)}`
    const facts = { account: person.account, name: 'Wallet', created_at: '', last_used: '' }
    await accountKeysIn(app.store).insert({ id: `wallet:${wallet}`, kind: 'wallet', ...facts })
    expect(await text(person.get('/auth/balance'))).toContain('4.00 USD may be withdrawn')
    const asked = { book: 'account', to: wallet, usd: '1.50', invoice: '' }
    expect(
      (await person.post('/auth/balance/withdraw', { ...asked, to: `0x${'9'.repeat(40)}` })).status,
    ).toBe(422)
    const stranger = await app.openPerson()
    expect((await stranger.post('/auth/balance/withdraw', asked)).status).toBe(422)
    expect((await person.post('/auth/balance/withdraw', asked)).status).toBe(303)
    const page = await text(person.get('/auth/balance?book=account&tool=none'))
    expect(page).toContain('2.50 USD may be withdrawn')
    expect(page).toMatch(/<td>1\.50 USD<\/td>\s*<td>(queued|sent)/)
    const { lines } = (await (await person.get('/auth/balance/statement.json')).json()) as { lines: object[] }
    expect(lines).toMatchObject([{ kind: 'withdrawal', amount: '-1.50', unit: 'USD', book: 'account' }, {}])
    expect((await person.get('/auth/balance/statement.json?book=proof:x')).status).toBe(422)
    await app.store
      .collection<{ id: string; account: string; created_at: string }>('accounts.sessions')
      .find({
        index: 'account',
        where: { account: person.account },
      })
      .then(async ({ rows }) => {
        for (const row of rows)
          await app.store
            .collection('accounts.sessions')
            .put({ ...row, created_at: '2026-01-01T00:00:00.000Z' } as never)
      })
    const again = await person.post('/auth/balance/withdraw', asked)
    expect([again.status, again.headers.get('location')]).toEqual([303, expect.stringContaining('again=1')])
  })

  test('has further pages, and none for a mark that was made up', async () => {
    const person = await app.openPerson(20_000_000n)
    await person.setLimits({ per_call: null })
    for (let nth = 0; nth < 51; nth++) await person.call('dime', `t${nth}`)
    const [, after] =
      /href="(\/auth\/balance\?after=[^"]+)"/.exec(await text(person.get('/auth/balance'))) ?? []
    expect(await text(person.get(after ?? ''))).toContain('top-up')
    expect((await person.get('/auth/balance?after=made-up')).status).toBe(422)
  })

  test.each([
    ['wallet', '0.09'],
    ['wallet', '10000.01'],
    ['card', '0.99'],
    ['card', '1.001'],
    ['card', '500.01'],
    ['wallet', 'five'],
  ])('refuses to add by %s %s USD, with what can be added', async (by, usd) => {
    const person = await app.openPerson()
    const refused = await person.post('/auth/balance/top-up', { by, usd })
    expect([refused.status, await refused.text()]).toEqual([422, expect.stringContaining('usd: ')])
  })
})

describe('a top-up by card', () => {
  const tell = (body: string, signature = stripe.sign(body)) =>
    fetch(`${app.url}/account/card/events`, {
      method: 'POST',
      headers: { 'stripe-signature': signature },
      body,
    })
  const begin = async (usd: string) => {
    const person = await app.openPerson()
    const response = await person.post('/auth/balance/top-up', { by: 'card', usd })
    expect([response.status, response.headers.get('location')]).toEqual([
      303,
      expect.stringContaining('https://checkout.example.com/'),
    ])
    const session = stripe.sessions().at(-1)
    if (!session) throw new Error('no session')
    expect(session).toMatchObject({
      cents: Number(usd) * 100,
      form: { success_url: `${app.origin}/auth/balance` },
    })
    return { person, session }
  }

  test('is credited once, however often and in whatever order its events come', async () => {
    const { person, session } = await begin('5.00')
    const done = stripe.completed(session)
    expect((await tell(done, 't=1,v1=00')).status).toBe(403)
    expect(await person.balance()).toEqual({ available: '0.00', debt: '0.00' })
    await Promise.all([
      tell(done),
      tell(done),
      tell(stripe.settledLater(session)),
      tell(stripe.failedLater(session)),
    ])
    expect(await person.balance()).toEqual({ available: '5.00', debt: '0.00' })
  })

  test('keeps its account from being deleted while it may still be paid', async () => {
    const { person, session } = await begin('1.00')
    const page = () => text(person.get('/auth/account/delete'))
    expect(await page()).toContain('a page for one was opened')
    await tell(stripe.completed(session, false))
    expect(await page()).toContain('A payment by card is under way')
    await tell(stripe.failedLater(session))
    expect(await page()).not.toContain('It cannot be deleted yet')
  })

  test('is taken back with its refund or dispute; what was spent is owed, and paid by the next top-up', async () => {
    const { person, session } = await begin('1.00')
    await tell(stripe.completed(session))
    await person.setLimits({ per_call: null })
    expect((await person.call('half')).status).toBe(200)
    for (const body of [stripe.refunded(session, 25), stripe.disputed(session, 75)]) await tell(body)
    expect(await person.balance()).toEqual({ available: '0.00', debt: '0.50' })
    expect(await text(person.get('/auth/balance'))).toContain(
      '0.50 USD, for payments by card that were taken back',
    )
    expect((await person.call()).body.reason).toBe('balance_too_low')
    await tell(stripe.disputed(session, 75, { type: 'charge.dispute.closed', status: 'won' }))
    expect(await person.balance()).toEqual({ available: '0.25', debt: '0.00' })
  })
})

describe('the page of a call that waits', () => {
  test('shows anybody what it is and what it costs, and only its account who asked and why', async () => {
    const person = await app.openPerson(1_000_000n)
    const path = await person.openPage()
    const own = await text(person.get(path))
    for (const part of [
      'Claude &lt;b&gt; asks to make a call',
      'It costs more than you let it spend on one call',
      'Shop',
      'Write dime',
      '0.10 USD, once',
      'Writes a row.',
      'Your balance has 1.00 USD',
    ])
      expect(own).toContain(part)
    const anybody = await text(fetch(app.origin + path))
    for (const part of [
      'Write dime',
      '0.10 USD, once',
      `${path.replace('/auth/pay/', '/account/pay/')}/wallet`,
      'Sign in',
    ])
      expect(anybody).toContain(part)
    for (const secret of ['Claude', person.account, '1.00', 'per_call']) expect(anybody).not.toContain(secret)
    const stranger = await (await app.openPerson()).get(path)
    expect(stranger.status).toBe(403)
    expect(await stranger.text()).not.toMatch(/Claude|dime|0\.10|Shop/)
  })

  test('is paid from the balance once, by its own account, and the call runs', async () => {
    const person = await app.openPerson(1_000_000n)
    const path = await person.openPage()
    expect(
      (
        await fetch(`${app.origin}${path}/balance`, {
          method: 'POST',
          headers: { origin: app.origin },
          redirect: 'manual',
        })
      ).headers.get('location'),
    ).toContain('/auth/sign-in?return=%2Fauth%2Fpay%2F')
    expect((await (await app.openPerson(1_000_000n)).post(`${path}/balance`, {})).status).toBe(410)
    expect((await person.post(`${path}/balance`, {}, { origin: 'https://evil.example' })).status).toBe(403)
    expect((await person.post(`${path}/balance`, {}, { 'sec-fetch-site': 'cross-site' })).status).toBe(403)
    const tabs = await Promise.all([person.post(`${path}/balance`, {}), person.post(`${path}/balance`, {})])
    expect(tabs.map(({ status }) => status).sort()).toEqual([303, 410])
    expect(await text(person.get(path))).toContain('You can go back')
    expect((await fetch(app.origin + path)).status).toBe(404)
    expect((await person.call('dime', 'another')).status).toBe(402)
    expect((await person.call()).status).toBe(200)
    expect((await person.call()).status).toBe(402)
    expect(await person.balance()).toMatchObject({ available: '0.90' })
    const [, line] = (await text(person.get('/auth/balance/statement.csv'))).split('\r\n')
    expect(line).toMatch(/,account,shop,call,dime,Claude <b>,-0\.10,USD,[0-9a-f]{32},cover:/)
  })

  test('raises a limit for the client that asked, and no other', async () => {
    const person = await app.openPerson(1_000_000n)
    const path = await person.openPage()
    const fields = { per_call: '0.10', per_day: '', all_services: '1' }
    expect((await (await app.openPerson()).post(`${path}/limits`, fields)).status).toBe(410)
    expect((await person.post(`${path}/limits`, { ...fields, per_call: 'a lot' })).status).toBe(422)
    expect((await person.post(`${path}/limits`, fields)).status).toBe(303)
    expect((await person.call()).status).toBe(200)
    expect((await person.call('dime', 'b')).status).toBe(200)
    expect((await person.call('half')).status).toBe(402)
  })

  test.each(['/auth/pay/AAAAAAAAAAAAAAAAAAAAAA', '/auth/pay/x', '/auth/pay/%00', '/auth/pay/..%2fbalance'])(
    '%s tells nothing',
    async path => {
      for (const response of [await fetch(app.origin + path), await (await app.openPerson()).get(path)])
        expect([response.status, await response.text()]).toEqual([
          404,
          expect.stringContaining('This page is over'),
        ])
    },
  )

  test('names the link over A2A and in the problem of REST', async () => {
    const person = await app.openPerson(0n)
    await person.setLimits({ per_call: null })
    const { body } = await person.call()
    expect(body).toMatchObject({
      code: 'payment_required',
      reason: 'balance_too_low',
      pay_at: expect.stringContaining('/auth/pay/'),
      top_up_at: `${app.origin}/auth/balance`,
      balance: { unit: 'usd', price: '0.10', available: '0.00', top_up_at: `${app.origin}/auth/balance` },
    })
    const message = {
      kind: 'message',
      role: 'ROLE_USER',
      messageId: '1',
      parts: [{ data: { skill: 'dime', text: 'a' } }],
    }
    const response = await fetch(`${app.url}/shop/a2a`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'a2a-version': '1.0',
        authorization: `Bearer ${person.account} grant_${person.account}`,
      },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'SendMessage', params: { message } }),
    })
    expect(await response.text()).toContain(String(body.pay_at))
  })
})
