import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { arbiter, type Hall, hallTask, openHall, readAnswer } from './hall.ts'
import { signRequest } from './signing.ts'

let hall: Hall
beforeAll(async () => {
  hall = await openHall()
})
afterAll(() => hall?.stop())

const get = async (path: string, headers: Record<string, string> = {}) =>
  readAnswer(await fetch(hall.url + path, { headers }))

describe('who signs', () => {
  test('learns what to sign from a refusal, at the well-known address, and of the API', async () => {
    const refusal = await get('/api/v1/tasks')
    expect(refusal.status).toBe(401)
    const accepted = refusal.headers.get('accept-signature')
    expect(accepted).toMatch(/^request=\("@scheme" .*tag="erc8128"$/)
    const policies = await Promise.all(
      ['/.well-known/erc8128', '/api/v1/auth/erc8128/info'].map(path => get(path)),
    )
    for (const { status, body } of policies) {
      expect(status).toBe(200)
      expect(body).toMatchObject({
        scheme: 'erc8128',
        accept_signature: accepted,
        components: ['@scheme', '@authority', '@method', '@path', '@query', 'content-digest', 'content-type'],
        chains: ['eip155:8453', 'eip155:42161', 'eip155:84532'],
        nonce_url: `${hall.url}/api/v1/auth/erc8128/nonce`,
      })
    }
  })

  test('may take a nonce and the time from here, and use the nonce once', async () => {
    const { body } = await get('/api/v1/auth/erc8128/nonce')
    expect(Math.abs(Number(body.server_time) - Date.now() / 1000)).toBeLessThan(60)
    const { wallet } = await hall.person()
    const url = `${hall.url}/api/v1/tasks`
    const signed = await signRequest(wallet, url, {
      nonce: String(body.nonce),
      created: Number(body.server_time),
    })
    expect((await fetch(url, { headers: signed })).status).toBe(200)
    const again = await readAnswer(await fetch(url, { headers: signed }))
    expect(again).toMatchObject({ status: 401, body: { reason: 'nonce_reused' } })
    expect((await get('/api/v1/auth/erc8128/nonce')).body.nonce).not.toBe(body.nonce)
  })
})

test('the rules and the version can be read by anybody', async () => {
  const { body } = await get('/api/v1/config')
  expect(body).toMatchObject({ fee_percent: 5, auto_accept_hours: 48, max_rounds: 3, currency: 'USDC' })
  expect([(body.categories as string[]).length, (body.evidence_types as string[]).length]).toEqual([21, 18])
  expect((await get('/api/v1/version')).body).toEqual({
    version: '0.1.0',
    api: 'v1',
    a2a: '0.3.0',
    erc8128: '2026-08',
  })
})

test('a task that was cancelled or expired is gone for strangers, and there for its publisher', async () => {
  const publisher = await hall.person()
  const { task_id: cancelled = '' } = await publisher.get('publish_task', hallTask)
  expect((await get(`/api/v1/tasks/${cancelled}`)).status).toBe(200)
  await publisher.get('cancel_task', { task_id: cancelled })
  const stranger = await hall.person()
  for (const headers of [{}, stranger.headers])
    expect(await get(`/api/v1/tasks/${cancelled}`, headers)).toMatchObject({
      status: 410,
      body: { code: 'gone' },
    })
  expect((await get(`/api/v1/tasks/${cancelled}`, publisher.headers)).body.status).toBe('cancelled')
})

test('disputes are listed for arbiters who are no party', async () => {
  const { publisher, worker, task_id } = await hall.taskUnderWay({ evidence_required: ['text_response'] })
  const { submission_id } = await worker.get('submit_work', {
    task_id,
    evidence: [{ type: 'text_response', value: 'It is open.' }],
  })
  await publisher.get('reject_submission', { submission_id, notes: 'It is another door.', severity: 'major' })
  const { dispute_id } = await worker.get('open_dispute', {
    submission_id,
    reason: 'The photo shows the door and its number.',
  })
  const judge = await hall.person(arbiter.key)
  const path = '/api/v1/disputes/available'
  expect((await get(path, judge.headers)).body.disputes).toMatchObject([{ dispute_id }])
  expect(await get(path, worker.headers)).toMatchObject({ status: 403, body: { reason: 'not_an_arbiter' } })
  expect((await get(path)).status).toBe(401)
})

test('the tasks of a worker are its own to read, and those of a publisher the ones it gave', async () => {
  const { publisher, worker, task_id } = await hall.taskUnderWay()
  const path = `/api/v1/executors/${worker.id}/tasks`
  for (const { headers } of [publisher, worker])
    expect((await get(path, headers)).body.tasks).toMatchObject([{ task_id }])
  expect((await get(`${path}?status=completed`, worker.headers)).body.tasks).toEqual([])
  expect((await get(path, (await hall.person()).headers)).body.tasks).toEqual([])
  expect((await get(path)).status).toBe(401)
  expect((await get(`/api/v1/tasks/${task_id}/transactions`, worker.headers)).body.events).toHaveLength(1)
})

const post = async (path: string, body: object, headers: Record<string, string> = {}) =>
  readAnswer(
    await fetch(hall.url + path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
    }),
  )

describe('the money of a task has the paths that clients of such a marketplace know', () => {
  test('its rules are everybody’s, a balance its owner’s', async () => {
    const { body } = await get('/api/v1/escrow/config')
    expect(body).toMatchObject({ fee_percent: 5, escrow_kinds: ['ledger', 'onchain', 'direct'] })
    expect((await get('/api/v1/payments/fee?bounty_usd=10')).body).toMatchObject({ total_usd: '10.50' })
    const owner = await hall.person()
    await hall.fund(owner.id, 7_000_000n)
    const path = '/api/v1/payments/balance'
    for (const name of [
      '',
      `/${owner.id}`,
      `/${owner.wallet.address}`,
      `/${owner.wallet.address.toLowerCase()}`,
    ])
      expect(await get(path + name, owner.headers)).toMatchObject({
        status: 200,
        body: { account_id: owner.id, available_usd: '7.00', events: [{ kind: 'deposit' }] },
      })
    const stranger = await hall.person()
    for (const name of [owner.id, owner.wallet.address, owner.id.replace('8453', '42161'), '0x0', '%00']) {
      const refusal = await get(`${path}/${name}`, stranger.headers)
      expect([name, refusal.status, refusal.body.reason]).toEqual([name, 403, 'not_your_wallet'])
      expect(JSON.stringify(refusal.body)).not.toContain('7.00')
    }
    expect((await get(`${path}/${owner.id}`)).status).toBe(401)
  })

  test('escrow is read, paid and given back, by the sides of the task alone', async () => {
    const { publisher, worker, task_id } = await hall.taskUnderWay({}, 'accepted')
    const balance = `/api/v1/escrow/balance?task_id=${task_id}`
    for (const { headers } of [publisher, worker])
      expect((await get(balance, headers)).body).toMatchObject({ status: 'escrowed', in_escrow_usd: '5.25' })
    const stranger = await hall.person()
    expect((await get(balance, stranger.headers)).status).toBe(403)
    expect((await get(balance)).status).toBe(401)
    expect(await get('/api/v1/escrow/balance', publisher.headers)).toMatchObject({
      status: 422,
      body: { issues: [{ path: 'task_id' }] },
    })
    expect((await get('/api/v1/escrow/balance?task_id=task_0', publisher.headers)).status).toBe(404)

    const moves = [
      ['/api/v1/escrow/release', { task_id, amount_usd: '1.00' }],
      ['/api/v1/escrow/refund', { task_id, reason: 'It has been done by now.' }],
      [`/api/v1/escrow/task/${task_id}/reclaim`, {}],
    ] as const
    for (const [path, body] of moves) {
      expect([path, (await post(path, body)).status]).toEqual([path, 401])
      for (const { headers } of [stranger, worker])
        expect([path, (await post(path, body, headers)).status]).toEqual([path, 403])
      const elsewhere = path.replace(task_id, 'task_0')
      const unknown = await post(
        elsewhere,
        'task_id' in body ? { ...body, task_id: 'task_0' } : {},
        publisher.headers,
      )
      expect([path, unknown.status]).toEqual([path, 404])
    }
    expect((await get(balance, worker.headers)).body).toMatchObject({ in_escrow_usd: '5.25' })

    const refund = moves[1]
    const answers = await Promise.all([1, 2, 3].map(() => post(...refund, publisher.headers)))
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409])
    expect((await get(balance, publisher.headers)).body).toMatchObject({
      status: 'refunded',
      in_escrow_usd: '0.00',
      refunded_usd: '5.25',
    })
    expect((await get('/api/v1/payments/balance', publisher.headers)).body.available_usd).toBe('20.00')
  })

  test('work that has begun is paid in parts, and no longer given back', async () => {
    const { publisher, worker, task_id } = await hall.taskUnderWay()
    expect(
      (await post('/api/v1/escrow/release', { task_id, amount_usd: '2.00' }, publisher.headers)).body,
    ).toMatchObject({ status: 'partial_released', released_usd: '2.00', fee_taken_usd: '0.10' })
    expect(await post('/api/v1/escrow/refund', { task_id }, publisher.headers)).toMatchObject({
      status: 409,
      body: { reason: 'illegal_transition', params: { from: 'in_progress', to: 'cancelled', allowed: [] } },
    })
    expect(await post(`/api/v1/escrow/task/${task_id}/reclaim`, {}, publisher.headers)).toMatchObject({
      status: 409,
      body: { reason: 'not_onchain' },
    })
    expect((await get(`/api/v1/payments/balance/${worker.id}`, worker.headers)).body.available_usd).toBe(
      '2.00',
    )
  })
})

test('the two sides read how they rated each other, and nobody else does', async () => {
  const { publisher, worker, task_id } = await hall.taskUnderWay({ evidence_required: ['text_response'] })
  const path = `/api/v1/reputation/feedback/${task_id}`
  expect((await get(path, worker.headers)).body).toEqual({ task_id, ratings: [], untrusted: true })
  const evidence = [{ type: 'text_response', value: 'It is open.' }]
  const { submission_id } = await worker.get('submit_work', { task_id, evidence })
  await publisher.get('approve_submission', { submission_id, rating_score: 90, notes: 'Well done.' })
  await worker.get('rate_publisher', { task_id, score: 70 })
  for (const { headers } of [publisher, worker])
    expect((await get(path, headers)).body.ratings).toMatchObject([
      { side: 'worker', about: worker.id, by: publisher.id, score: 90, comment: 'Well done.', onchain: null },
      { side: 'publisher', about: publisher.id, by: worker.id, score: 70, comment: '', onchain: null },
    ])
  const stranger = await hall.person()
  expect(await get(path, stranger.headers)).toMatchObject({ status: 403, body: { reason: 'not_a_party' } })
  expect((await get('/api/v1/reputation/feedback/task_0', stranger.headers)).status).toBe(404)
  expect((await get(path)).status).toBe(401)
})

describe('somebody who looks around', () => {
  const textOf = async (url: string, accept: string) =>
    (await fetch(url, { headers: { accept, 'x-forwarded-for': '203.0.113.251' } })).text()

  test('finds the guide that the card names, with addresses of this house and links that lead on', async () => {
    const { body } = await get('/.well-known/agent.json')
    const guide = await textOf(String(body.documentation_url), 'text/markdown')
    expect(guide).toContain('## The life of a task')
    expect(guide).not.toContain('octagent.example/tasks')
    const links = [...guide.matchAll(/\]\((http[^)]+)\)/g)].flatMap(([, url]) => url ?? [])
    const own = links.filter(url => url.startsWith(hall.site))
    expect(own.map(url => new URL(url).pathname)).toEqual(
      expect.arrayContaining(['/tasks/guide/escrow', '/tasks/guide/sessions']),
    )
    for (const url of own) expect([url, (await fetch(url)).status]).toEqual([url, 200])
  })

  test('is led to the desk from every page and from the card, and over MCP to where a key is made', async () => {
    for (const url of [`${hall.site}/`, `${hall.url}/`])
      expect(await textOf(url, 'text/html')).toMatch(/href="[^"]*\/tasks\/work"/)
    const { body } = await get('/.well-known/agent.json')
    expect(body.description).toContain('at /work')
    const params = { name: 'list_tasks', arguments: {} }
    const answer = await fetch(`${hall.url}/mcp`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        'x-forwarded-for': '203.0.113.252',
      },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params }),
    })
    expect(await answer.text()).toContain(`${hall.url}/work/me`)
  })
})
