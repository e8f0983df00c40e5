import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type AccountsApp, openAccountsApp } from '../accounts-app.ts'
import { type PublicResidence, recompute } from './recompute.ts'

describe('the residence', () => {
  let shop: AccountsApp
  beforeAll(async () => {
    shop = await openAccountsApp()
  })
  afterAll(() => shop.stop())

  type Headers = Record<string, string>

  const look = async (id: string) => {
    const { status, body } = await shop.get(`/residence/${id}`)
    expect(status).toBe(200)
    return body as unknown as PublicResidence
  }
  const counts = async (id: string) =>
    Object.fromEntries((await look(id)).components.map(({ name, count }) => [name, count]))
  const review = (text: string, headers: Headers) =>
    shop.post('/review', { artifact: text, artifact_type: 'shell_command' }, headers)
  const sell = async (headers: Headers, price_sats = 1000) => {
    const facts = { title: 'A report', description: 'Ten pages on tides.', price_sats }
    return String((await shop.post('/offers/create', facts, headers)).body.offer_id)
  }

  test('counts what was paid, and anybody computes the score again from the public answer', async () => {
    const account = await shop.funded(2000)
    expect(await counts(account.id)).toMatchObject({ calls: 0, spend: 0, proofs: 0 })
    expect((await review('ls', account.headers)).status).toBe(200)
    expect((await review('ls -l', account.headers)).status).toBe(200)
    const note = { key: 'notes/1', value: 'Rain at noon.' }
    expect((await shop.post('/memory/store', note, account.headers)).status).toBe(200)
    expect(await counts(account.id)).toMatchObject({ calls: 3, spend: 450, proofs: 2, memory: 1, age: 0 })
    const answer = await look(account.id)
    expect(recompute(answer)).toEqual({ score: answer.score, tier: answer.tier })
    expect(answer.score).toBeGreaterThan(10)
    const { body: me } = await shop.get('/residence/me', account.headers)
    expect(me).toMatchObject({
      agent_id: account.id,
      score: answer.score,
      wallet: { balance_sats: 1550, held_sats: 0, debt_sats: 0 },
      mailbox: { unread: 0 },
      memory: { keys: 1, bytes: 13 },
      public_url: `${shop.url}/residence/${account.id}`,
    })
    expect(me.components).toEqual(answer.components)
  })

  test('a reader that is paid from the balance counts as well', async () => {
    const account = await shop.funded(1000)
    const asked = {
      options: [
        { name: 'a', outcomes: [{ p: 1, value: 1 }] },
        { name: 'b', outcomes: [{ p: 1, value: 2 }] },
      ],
    }
    const { status } = await shop.post(
      '/decision',
      { goal: 'the most', question: 'which', ...asked },
      account.headers,
    )
    expect(status).toBe(200)
    // Options in numbers need no model.
    expect(await counts(account.id)).toMatchObject({ calls: 1, spend: 20 })
  })

  test('free first calls, top-ups, refused calls and repeated ones bring nothing', async () => {
    const fresh = await shop.register()
    expect((await review('ls', fresh.headers)).status).toBe(200)
    expect(await counts(fresh.id)).toMatchObject({ calls: 0, spend: 0, proofs: 0 })
    const account = await shop.funded(450)
    expect((await review('', account.headers)).status).toBe(422)
    const keyed = { ...account.headers, 'idempotency-key': 'one' }
    for (const _ of [1, 2, 3]) expect((await review('ls', keyed)).status).toBe(200)
    expect(await counts(account.id)).toMatchObject({ calls: 1, spend: 200, proofs: 1 })
    expect((await review('ls 2', account.headers)).status).toBe(200)
    expect((await review('ls 3', account.headers)).status).toBe(402)
    expect(await counts(account.id)).toMatchObject({ calls: 2, spend: 400, proofs: 2 })
  })

  test('the public view holds no wallet, mailbox, label or key; nobody else sees them', async () => {
    const account = await shop.funded(777)
    const { body } = await shop.get(`/residence/${account.id}`)
    expect(Object.keys(body).sort()).toEqual([
      'agent_id',
      'components',
      'computed_at',
      'decay',
      'next_tier',
      'profile',
      'registered_on',
      'score',
      'tier',
      'untrusted',
    ])
    expect(JSON.stringify(body)).not.toMatch(/\b777\b/)
    expect((await shop.get('/residence/me')).status).toBe(401)
    for (const id of ['0'.repeat(24), 'f'.repeat(24)])
      expect((await shop.get(`/residence/${id}`)).status).toBe(404)
    expect((await shop.get('/residence/nobody')).status).toBe(422)
  })

  test('a profile is set field by field, and tells nothing to the score', async () => {
    const { id, headers } = await shop.register()
    const first = { autonomy: 'supervised', agent_type: 'researcher', goal: 'Tides' }
    expect((await shop.post('/residence/profile', first, headers)).body.profile).toEqual({
      ...first,
      building: null,
    })
    const { body } = await shop.post('/residence/profile', { goal: null, building: 'A model' }, headers)
    expect(body.profile).toEqual({
      autonomy: 'supervised',
      agent_type: 'researcher',
      goal: null,
      building: 'A model',
    })
    expect(await look(id)).toMatchObject({ profile: body.profile, score: 0, untrusted: true })
    expect((await shop.post('/residence/profile', { autonomy: 'full' }, headers)).status).toBe(422)
    expect((await shop.post('/residence/profile', { goal: 'x'.repeat(501) }, headers)).status).toBe(422)
    expect((await shop.post('/residence/profile', first)).status).toBe(401)
  })

  test('sales and messages between strangers count, what comes back takes them away again', async () => {
    const seller = await shop.funded(2000)
    const buyer = await shop.funded(5000)
    const offer_id = await sell(seller.headers)
    const { body } = await shop.post('/offers/buy', { offer_id }, buyer.headers)
    expect(await counts(seller.id)).toMatchObject({ earnings: 950, conduct: 0 })
    const path = `/offers/my/purchases/${String(body.purchase_id)}/fulfill`
    expect((await shop.post(path, { fulfillment_ref: 'here' }, seller.headers)).status).toBe(200)
    expect(await counts(seller.id)).toMatchObject({ earnings: 950, conduct: 1 })
    expect(body.is_judged).toBeUndefined()
    // A purchase is no spending: the house kept only its fee of it.
    expect(await counts(buyer.id)).toMatchObject({ spend: 0, calls: 0 })
    await shop.post('/messages/dm', { to_agent: seller.id, content: 'thanks' }, buyer.headers)
    expect(await counts(seller.id)).toMatchObject({ earnings: 1235 })
    expect(await counts(buyer.id)).toMatchObject({ spend: 15, calls: 1 })
    const back = await sell(buyer.headers)
    expect((await shop.post('/offers/buy', { offer_id: back }, seller.headers)).status).toBe(200)
    expect(await counts(seller.id)).toMatchObject({ earnings: 285 })
    expect(await counts(buyer.id)).toMatchObject({ earnings: 0 })
    expect((await shop.post('/offers/buy', { offer_id: back }, seller.headers)).status).toBe(200)
    expect(await counts(seller.id)).toMatchObject({ earnings: 0 })
    expect(await counts(buyer.id)).toMatchObject({ earnings: 665 })
  })

  test('accounts of one network address bring each other nothing', async () => {
    const address = '203.0.113.7'
    const one = await shop.register(address)
    const other = await shop.register(address)
    for (const { id, headers } of [one, other]) {
      await shop.useFreeCalls(id, 5)
      await shop.payByLightning('/topup', { sats: 3000 }, headers)
    }
    const offer_id = await sell(one.headers)
    const elsewhere = { 'x-api-key': other.key, 'x-forwarded-for': '203.0.113.200' }
    const { status, body } = await shop.post('/offers/buy', { offer_id }, elsewhere)
    expect(status).toBe(200)
    const path = `/offers/my/purchases/${String(body.purchase_id)}/fulfill`
    expect((await shop.post(path, { fulfillment_ref: 'here' }, one.headers)).status).toBe(200)
    const message = { to_agent: one.id, content: 'hello' }
    expect((await shop.post('/messages/dm', message, elsewhere)).status).toBe(200)
    for (const { id } of [one, other]) expect(await look(id)).toMatchObject({ score: 0, tier: 'newcomer' })
    expect((await shop.get('/balance', one.headers)).body.balance_sats).toBe(3000 + 950 + 285)
  })

  test('one buyer brings a seller no more than its share', async () => {
    const seller = await shop.register()
    const offer_id = await sell(seller.headers, 9000)
    const buyer = await shop.funded(40_000)
    for (const _ of [1, 2, 3, 4]) {
      const { body } = await shop.post('/offers/buy', { offer_id }, buyer.headers)
      const path = `/offers/my/purchases/${String(body.purchase_id)}/fulfill`
      await shop.post(path, { fulfillment_ref: 'here' }, seller.headers)
    }
    expect(await counts(seller.id)).toMatchObject({ earnings: 10_000, conduct: 3 })
  })

  test('an act is reviewed, noted and proven within its budget, in one call', async () => {
    const { headers } = await shop.funded(1000)
    const act = { intent: 'Tidy up', artifact: 'rm -rf /', artifact_type: 'shell_command' }
    const policy = { max_spend_sats: 250, remember: true }
    const { status, body } = await shop.post('/residence/act', { ...act, policy }, headers)
    expect(status).toBe(200)
    expect(body).toMatchObject({ decision: 'stop', cost_sats: 250, review: { verdict: 'reject' } })
    const key = String(body.memory_key)
    const note = JSON.parse(String((await shop.post('/memory/get', { key }, headers)).body.value))
    expect(note).toMatchObject({ intent: 'Tidy up', decision: 'stop', action_id: body.action_id })
    const proof = await shop.post('/prove', { action_id: String(body.action_id) }, headers)
    expect(proof.body.opening).toMatchObject({
      content: { kind: 'residence.act', output: { decision: 'stop' } },
    })
    expect((await shop.get('/balance', headers)).body.balance_sats).toBe(1000 - 250 - 20 - 100)
    const intent = { intent: 'Read the docs and write a summary of them.', policy: { max_spend_sats: 200 } }
    expect((await shop.post('/residence/act', intent, headers)).body).toMatchObject({
      decision: expect.stringMatching(/^proceed/),
      memory_key: null,
    })
  })

  test('an act over its budget, of nothing, or that cannot be reviewed costs nothing', async () => {
    const { headers, id } = await shop.funded(1000)
    const act = (more: object) => shop.post('/residence/act', { intent: 'Tidy up', ...more }, headers)
    expect((await act({ policy: { max_spend_sats: 199 } })).body).toMatchObject({
      status: 409,
      reason: 'over_budget',
      params: { cost_sats: 200, max_spend_sats: 199 },
    })
    expect((await act({ policy: { require_review: false } })).status).toBe(422)
    expect((await act({ artifact: '   ' })).status).toBe(422)
    expect((await act({ artifact: '{}', artifact_type: 'onchain_action' })).status).toBe(422)
    // Without an account a review is paid by itself, and a note has nowhere to go.
    expect((await shop.post('/residence/act', { intent: 'Tidy up' })).status).toBe(402)
    const noted = { intent: 'Tidy up', policy: { remember: true } }
    expect((await shop.post('/residence/act', noted)).status).toBe(401)
    expect((await shop.get('/balance', headers)).body.balance_sats).toBe(1000)
    expect((await act({ policy: { require_review: false, remember: true } })).body).toMatchObject({
      decision: 'unreviewed',
      review: null,
      cost_sats: 50,
    })
    expect(await counts(id)).toMatchObject({ calls: 1, spend: 50, proofs: 0, memory: 1 })
  })

  test('MCP and A2A tell the same, to the same callers', async () => {
    const account = await shop.funded(500)
    await review('ls', account.headers)
    const rest = await look(account.id)
    const { structuredContent } = await shop.callMcp('residence_get', { agent_id: account.id }, {})
    expect(structuredContent).toMatchObject({ score: rest.score, components: rest.components })
    const a2a = JSON.stringify(await shop.sendA2a('residence_get', { agent_id: account.id }, {}))
    expect(a2a).toContain(`"score":${rest.score}`)
    expect(await shop.callMcp('residence_me', {}, {})).toMatchObject({ isError: true })
    expect(JSON.stringify(await shop.sendA2a('residence_me', {}, {}))).toContain('error')
    expect(JSON.stringify(await shop.sendA2a('residence_me', {}, account.headers))).toContain('"wallet"')
  })
})
