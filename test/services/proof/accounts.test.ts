import { describe, expect, test } from 'vitest'
import { apiKeysIn } from '../../../mcp/kernel/person.ts'
import { accountsIn } from '../../../mcp/services/proof/account/account.ts'
import { opened } from '../../opened.ts'
import { openAccountsApp } from './accounts-app.ts'

const shop = opened(openAccountsApp)

const command = { artifact: 'rm -rf /', artifact_type: 'shell_command' }

describe('registering', () => {
  test('a name with a control character is refused by its field', async () => {
    const { status, body } = await shop.post('/register', { label: 'ada\u0000' })
    expect([status, body.detail]).toEqual([422, 'label: must hold no control characters'])
  })

  test('is free and shows a key once, which is stored as a hash', async () => {
    const { status, body } = await shop.post('/register', { label: 'ada' })
    expect(status).toBe(201)
    expect(body).toMatchObject({ balance_sats: 0, free_calls: 5, api_key: expect.stringMatching(/^prf_/) })
    const row = await accountsIn(shop.store).get(String(body.account_id))
    expect(row).toMatchObject({ label: 'ada' })
    const keys = await apiKeysIn(shop.store).find({ index: 'holder', where: { prefix: 'prf' } })
    expect(keys.rows.length).toBeGreaterThan(0)
    expect(JSON.stringify([row, keys])).not.toContain(String(body.api_key))
  })

  test.each([
    ['Authorization', (key: string) => ({ authorization: `Bearer ${key}` })],
    ['X-API-Key', (key: string) => ({ 'x-api-key': key })],
  ])('its key is taken as %s', async (_, headers) => {
    const { key, id } = await shop.register()
    expect((await shop.get('/balance', headers(key))).body).toMatchObject({ account_id: id, balance_sats: 0 })
  })

  test('an unknown key is refused, also for what the public may call', async () => {
    const headers = { 'x-api-key': `prf_${'a'.repeat(43)}` }
    expect((await shop.get('/balance', headers)).status).toBe(401)
    expect((await shop.post('/review', command, headers)).status).toBe(401)
    expect((await shop.get('/balance')).status).toBe(401)
  })

  test('a rotated key works and the old one does not; balance and free calls stay', async () => {
    const { key } = await shop.register()
    await shop.post('/review', command, { 'x-api-key': key })
    const { body } = await shop.post('/keys/rotate', {}, { 'x-api-key': key })
    expect((await shop.get('/balance', { 'x-api-key': key })).status).toBe(401)
    const after = await shop.get('/balance', { 'x-api-key': String(body.api_key) })
    expect(after.body).toMatchObject({ free_calls_left: 4 })
  })
})

describe('the first calls of a key', () => {
  test('are free five times, and then the price is asked for', async () => {
    const { headers } = await shop.register()
    for (let nth = 0; nth < 5; nth++) expect((await shop.post('/review', command, headers)).status).toBe(200)
    const { status, body } = await shop.post('/review', command, headers)
    expect(status).toBe(402)
    expect(body).toMatchObject({
      code: 'payment_required',
      reason: 'balance_too_low',
      balance: { unit: 'sat', price: '200', available: '0', top_up: ['POST /topup', 'POST /topup/card'] },
    })
    expect(body.detail).toContain('200 sat from your balance, which has 0 sat')
  })

  test('are no more with more keys of one address', async () => {
    const address = shop.newAddress()
    const codes: number[] = []
    for (let nth = 0; nth < 3; nth++) {
      const { headers } = await shop.register(address)
      for (let call = 0; call < 3; call++) codes.push((await shop.post('/review', command, headers)).status)
    }
    expect(codes.filter(code => code === 200)).toHaveLength(5)
    expect(codes.slice(5).every(code => code === 402)).toBe(true)
  })

  test('are not used up by a call that fails, nor by one that is paid', async () => {
    const { id, headers } = await shop.funded(0)
    const list = { ...command, artifact: 'ls -a' }
    const credential = await shop.buyCredential('/review', list, headers)
    await shop.useFreeCalls(id, 0)
    expect((await shop.post('/review', { ...command, artifact: ' ' }, headers)).status).toBe(422)
    expect((await shop.post('/review', list, { ...headers, ...credential })).status).toBe(200)
    expect((await shop.get('/balance', headers)).body).toMatchObject({ free_calls_left: 5, balance_sats: 0 })
  })

  test('do not pay for a top-up', async () => {
    const { headers } = await shop.register()
    const { status, body } = await shop.post('/topup', { sats: 1000 }, headers)
    expect([status, body.balance]).toEqual([402, undefined])
    expect((await shop.get('/balance', headers)).body).toMatchObject({ balance_sats: 0, free_calls_left: 5 })
  })
})

describe('topping up', () => {
  test('by Lightning adds what was paid, once, whatever is repeated', async () => {
    const { headers } = await shop.register()
    const paid = await shop.payByLightning('/topup', { sats: 1000 }, headers)
    expect(paid.body).toMatchObject({ added_sats: 1000, balance_sats: 1000 })
    const again = await shop.post('/topup', { sats: 1000 }, { ...headers, ...paid.credential })
    expect(again.body).toEqual(paid.body)
    const other = await shop.post('/topup', { sats: 2000 }, { ...headers, ...paid.credential })
    expect(other.status).toBe(409)
    const stranger = await shop.register()
    const stolen = await shop.post('/topup', { sats: 1000 }, { ...stranger.headers, ...paid.credential })
    expect(stolen.status).toBe(409)
    expect((await shop.get('/balance', headers)).body).toMatchObject({ balance_sats: 1000 })
  })

  test('shows every way to pay at once, and none of them is the balance', async () => {
    const { headers } = await shop.register()
    const { response } = await shop.post('/topup', { sats: 1000 }, headers)
    const challenges = response.headers.get('www-authenticate') ?? ''
    expect(challenges).toMatch(/^L402 .*, Payment /s)
    expect(challenges).not.toContain('Bearer')
    expect(response.headers.get('payment-required')).not.toBeNull()
  })

  test.each([{ sats: 99 }, { sats: 5_000_001 }, { sats: 1.5 }, { sats: '1e3' }, {}])(
    'refuses %j',
    async input => {
      const { headers } = await shop.register()
      expect((await shop.post('/topup', input, headers)).status).toBe(422)
    },
  )

  test('needs a key', async () => {
    expect((await shop.post('/topup', { sats: 1000 })).status).toBe(401)
  })
})

describe('a call paid from the balance', () => {
  test('costs its price once, with a receipt, and stands in the statement and its CSV', async () => {
    const { headers } = await shop.funded(1000)
    const { status, body, response } = await shop.post('/review', command, headers)
    expect([status, body.verdict]).toEqual([200, 'reject'])
    expect((await shop.get('/balance', headers)).body).toMatchObject({ balance_sats: 800, held_sats: 0 })
    const receipt = JSON.parse(
      Buffer.from(response.headers.get('payment-receipt') ?? '', 'base64url').toString(),
    )
    const { body: statement } = await shop.get('/balance/statement', headers)
    const [debit, topUp] = statement.lines as Record<string, unknown>[]
    expect(debit).toMatchObject({ kind: 'call', tool: 'review', sats: '-200', receipt: receipt.receipt })
    expect(topUp).toMatchObject({ kind: 'top_up', tool: null, sats: '1000' })
    const read = await fetch(`${shop.site}/receipts/${receipt.receipt}`)
    expect(await read.json()).toMatchObject({ method: 'balance', amount: '200000', tool: 'review' })
    const csv = await (await fetch(`${shop.url}/balance/statement.csv`, { headers })).text()
    expect(csv.split('\r\n').slice(0, 2)).toEqual([
      'created_at,kind,tool,sats,receipt,entry',
      `${debit?.created_at},call,review,-200,${receipt.receipt},${debit?.entry}`,
    ])
  })

  test('that fails costs nothing', async () => {
    const { headers } = await shop.funded(1000)
    const answer = await shop.post('/prove', { action_id: 'none-there' }, headers)
    expect(answer.status).toBeGreaterThanOrEqual(400)
    expect(answer.body.charged).not.toBe(true)
    expect((await shop.get('/balance', headers)).body).toMatchObject({ balance_sats: 1000, held_sats: 0 })
  })

  test('with an Idempotency-Key is charged once, however often it comes', async () => {
    const { headers } = await shop.funded(1000)
    const keyed = { ...headers, 'idempotency-key': 'one-call-only' }
    const claim = { source: 'example.org', body: 'It rained.' }
    const all = await Promise.all([1, 2, 3, 4].map(() => shop.post('/witness', claim, keyed)))
    const again = await shop.post('/witness', claim, keyed)
    expect(again.status).toBe(200)
    expect(
      all.filter(({ status }) => status === 200).every(({ body }) => body.event_id === again.body.event_id),
    ).toBe(true)
    expect((await shop.get('/balance', headers)).body).toMatchObject({ balance_sats: 900 })
    expect((await shop.post('/witness', { ...claim, body: 'It did not.' }, keyed)).status).toBe(409)
  })

  test('fifty at once take no more than there is', async () => {
    const { headers } = await shop.funded(1000)
    const all = await Promise.all(
      Array.from({ length: 50 }, (_, nth) =>
        shop.post('/review', { ...command, artifact: `ls ${nth}` }, headers),
      ),
    )
    const count = (wanted: number) => all.filter(({ status }) => status === wanted).length
    expect([count(200), count(402)]).toEqual([5, 45])
    expect((await shop.get('/balance', headers)).body).toMatchObject({ balance_sats: 0, held_sats: 0 })
  })

  test('works over MCP and A2A with the same key', async () => {
    const { headers } = await shop.funded(1000)
    const mcp = await shop.callMcp('review', command, headers)
    expect(mcp).toMatchObject({ structuredContent: { verdict: 'reject' } })
    expect(mcp._meta).toMatchObject({ 'octagent/receipt': { method: 'balance' } })
    const a2a = await shop.sendA2a('review', command, headers)
    expect(JSON.stringify(a2a)).toContain('"verdict":"reject"')
    expect((await shop.get('/balance', headers)).body).toMatchObject({ balance_sats: 600 })
  })

  test('that the balance does not cover tells every way to pay over MCP and A2A', async () => {
    const { headers } = await shop.funded(100)
    const mcp = await shop.callMcp('review', command, headers)
    expect(mcp.isError).toBe(true)
    expect(mcp._meta).toMatchObject({
      'octagent/balance': { price: '200', available: '100', top_up: ['top_up', 'top_up_by_card'] },
      'l402/challenge': { invoice: expect.stringMatching(/^lnbcrt/) },
      'org.paymentauth/payment-required': {
        challenges: expect.arrayContaining([expect.objectContaining({ method: 'lightning' })]),
      },
    })
    const a2a = await shop.sendA2a('review', command, headers)
    const text = JSON.stringify(a2a)
    for (const member of [
      'octagent/balance',
      'l402/challenge',
      'org.paymentauth/payment-required',
      'x402.payment.required',
    ])
      expect(text).toContain(`"${member}"`)
  })

  test('is not taken from it where another payment comes along', async () => {
    const { headers } = await shop.funded(0)
    const call = { ...command, artifact: 'pwd' }
    const credential = await shop.buyCredential('/review', call, headers)
    await shop.payByLightning('/topup', { sats: 1000 }, headers)
    expect((await shop.post('/review', call, { ...headers, ...credential })).status).toBe(200)
    expect((await shop.get('/balance', headers)).body).toMatchObject({ balance_sats: 1000 })
  })
})

describe('who has no key', () => {
  test('reads of all ways at once: L402, Payment, x402, and a balance', async () => {
    const { status, response, body } = await shop.post('/review', command)
    expect(status).toBe(402)
    expect(response.headers.get('www-authenticate')).toMatch(
      /^L402 .*, Payment .*method="lightning".*, Bearer realm="proof"$/s,
    )
    expect(body).toMatchObject({
      balance: { price: '200', available: null, register: 'POST /register', base: shop.url },
      paymentRequired: { x402Version: 2 },
    })
    expect(body.hint).toContain('the first 5 times with a new key (POST /register)')
  })
})

test('the headers of a refusal fit into what proxies take', async () => {
  const { response } = await shop.post('/review', command)
  const size = [...response.headers].reduce((sum, [name, value]) => sum + name.length + value.length + 4, 0)
  const parts = [...response.headers].map(([name, value]) => [name, value.length])
  expect(size, JSON.stringify(parts)).toBeLessThan(4096)
})
