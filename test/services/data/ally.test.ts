import { expect, test } from 'vitest'
import { lookAtAllies } from '../../../mcp/services/data/ally/probe-ally.ts'
import { startApp } from '../../app.ts'
import { opened } from '../../opened.ts'
import { refused, startData } from './run.ts'

const data = opened(startData)

const register = async () =>
  (await data.ask('ally_register', { name: 'Ada' })) as { api_key: string; ally_id: string }

const asAlly = (apiKey: string, input: object = { json: '[1' }) =>
  data.ask('json-repair', input, { channel: 'rest', credentials: { apiKey } })

test('an ally has 100 free calls a day, told in meta, and then pays', async () => {
  const { api_key } = await register()
  const first = await asAlly(api_key)
  expect(first).toMatchObject({
    result: [1],
    meta: {
      quota: { tier: 'ally', limit: 100, remaining: 99, reset_at: expect.stringMatching(/T00:00:00.000Z$/) },
    },
  })
  const others = await Promise.all(Array.from({ length: 99 }, () => asAlly(api_key)))
  const left = others.map(({ meta }) => (meta as { quota: { remaining: number } }).quota.remaining)
  expect(left.sort((a, b) => b - a)).toEqual(Array.from({ length: 99 }, (_, n) => 98 - n))
  expect((await refused(asAlly(api_key))).code).toBe('unavailable')
  expect(await data.ask('json-repair', { json: '[1' })).toMatchObject({ meta: { quota: { tier: 'free' } } })
})

test('a key adds its 100 a day and nothing else: the free minute is one for the address', async () => {
  const address = '203.0.113.60'
  const free = { channel: 'a2a', client: address } as const
  for (let n = 0; n < 60; n++)
    expect(await data.ask('json-repair', { json: '[1' }, free)).toMatchObject({
      meta: { quota: { tier: 'free', remaining: 59 - n } },
    })
  expect((await refused(data.ask('json-repair', { json: '[1' }, free))).code).toBe('too_many_requests')
  for (let n = 0; n < 3; n++) {
    const { api_key } = await register()
    const answer = await data.ask(
      'json-repair',
      { json: '[1' },
      { ...free, credentials: { apiKey: api_key } },
    )
    expect(answer).toMatchObject({ meta: { quota: { tier: 'ally', remaining: 99 } } })
  }
  const { api_key } = await register()
  const ask = (client: string) =>
    data.ask('json-repair', { json: '[1' }, { channel: 'a2a', client, credentials: { apiKey: api_key } })
  for (let n = 0; n < 60; n++)
    expect(await ask(`198.51.100.${n}`)).toMatchObject({
      meta: { quota: { tier: 'free', remaining: 59 - n } },
    })
  expect(await ask('198.51.100.99')).toMatchObject({ meta: { quota: { tier: 'ally', remaining: 99 } } })
})

test('a batch that is refused uses nothing up', async () => {
  const client = '203.0.113.61'
  const batch = (count: number) =>
    data.ask('batch', { run: 'json-repair', inputs: Array<string>(count).fill('[1') }, { client })
  for (const count of [20, 20, 15]) await batch(count)
  for (let n = 0; n < 3; n++) expect((await refused(batch(6))).code).toBe('too_many_requests')
  await batch(5)
})

test('a failed call counts nothing', async () => {
  const { api_key } = await register()
  await refused(
    data.ask(
      'dns-lookup',
      { domain: 'silent.example.org' },
      { channel: 'rest', credentials: { apiKey: api_key } },
    ),
  )
  expect((await refused(asAlly(api_key, { json: '[1', fields: 'nonsense' }))).code).toBe('invalid_input')
  expect(await asAlly(api_key)).toMatchObject({ meta: { quota: { remaining: 99 } } })
})

test('the quota of one ally is not that of another, and an unknown key is refused', async () => {
  const [one, other] = [await register(), await register()]
  await asAlly(one.api_key)
  expect(await asAlly(other.api_key)).toMatchObject({ meta: { quota: { remaining: 99 } } })
  expect((await refused(asAlly('ally_nonsense'))).code).toBe('unauthenticated')
})

test('the key is kept as a hash only', async () => {
  const { api_key, ally_id } = await register()
  const kept = await data.world.ports.store?.collection<{ id: string }>('data.allies').get(ally_id)
  expect(kept).toMatchObject({ name: 'Ada' })
  expect(JSON.stringify(kept)).not.toContain(api_key.slice(5))
})

test('an ally is unseen until the daily look, which says whether its address answers', async () => {
  const { clock, fetch, store } = data.world.ports
  if (!clock || !fetch || !store) throw new Error('a port is missing')
  const join = async (more: object) =>
    (await data.ask('ally_register', { name: 'Ada', ...more })) as { ally_id: string }
  const ids = [
    await join({ url: 'https://example.com/' }),
    await join({ url: 'https://nobody.example.org/' }),
    await join({}),
  ].map(({ ally_id }) => ally_id)
  const seen = async () => {
    const rows = store.collection<{
      id: string
      seen: { at: string; ok: boolean; ms: number | null } | null
    }>('data.allies')
    return Promise.all(ids.map(async id => (await rows.get(id))?.seen))
  }
  const look = () => lookAtAllies.run({ clock, fetch, store, signal: new AbortController().signal })
  expect(await seen()).toEqual([null, null, null])
  await look()
  const first = await seen()
  expect(first).toEqual([
    { at: expect.any(String), ok: true, ms: expect.any(Number) },
    { at: expect.any(String), ok: false, ms: null },
    null,
  ])
  await look()
  expect(await seen()).toEqual(first)
})

test('over HTTP: registering, the quota in headers, the quote after free=1 is not asked for, and the network page', async () => {
  const app = await startApp()
  const base = `${app.url}/data`
  const posted = await fetch(`${base}/ally/register`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      name: '<script>*bold*|',
      url: 'https://example.com/a',
      contact: 'secret-contact',
    }),
  })
  expect(posted.status).toBe(201)
  const { api_key } = (await posted.json()) as { api_key: string }
  const answered = await fetch(`${base}/skills/json-repair?value=[1`, { headers: { 'x-api-key': api_key } })
  expect(answered.status).toBe(200)
  const quote = await (await fetch(`${base}/skills/json-repair?value=[1`)).json()
  expect(quote).toMatchObject({
    status: 402,
    hint: expect.stringContaining('with free=1 over REST, 60 calls a minute'),
  })
  for (let n = 0; n < 60; n++) await fetch(`${base}/skills/json-repair?value=[1&free=1`)
  const past = await fetch(`${base}/skills/json-repair?value=[1&free=1`)
  expect([past.status, await past.json()]).toMatchObject([
    402,
    {
      hint: expect.stringMatching(/^The free calls of this minute are used up; it is free again in \d+ s/),
      freeAgainAt: expect.any(String),
    },
  ])
  expect(answered.headers.get('ratelimit')).toMatch(/"ally";r=99;t=\d+/)
  expect(await answered.json()).toMatchObject({
    input: '[1',
    result: [1],
    meta: { quota: { remaining: 99 } },
  })
  const page = await (await fetch(`${base}/peer-network`, { headers: { accept: 'text/html' } })).text()
  expect(page).toContain('&lt;script&gt;*bold*|')
  expect(page).not.toContain('<script>*')
  expect(page).not.toContain('secret-contact')
  const json = await fetch(`${base}/peer-network`, { headers: { accept: 'application/json' } })
  expect(await json.json()).toMatchObject({
    count: 1,
    members: [{ name: '<script>*bold*|', url: 'https://example.com/a' }],
  })
  await app.stop()
})
