import { mkdtemp, rm } from 'node:fs/promises'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import express from 'express'
import { afterEach, expect, test } from 'vitest'
import { z } from 'zod'
import { type AppOptions, createApp } from '../../app/app.ts'
import { readConfig } from '../../app/config.ts'
import { octagent } from '../../express.ts'
import { free, help, service, tool } from '../../index.ts'
import cat from '../../mcp/services/cat/service.ts'
import { openTestApp } from '../../testing.ts'

const closing: (() => unknown)[] = []
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close()
})

const serve = async (listener: RequestListener): Promise<string> => {
  const server = createServer(listener)
  await new Promise<void>(listening => server.listen(0, '127.0.0.1', listening))
  closing.push(() => {
    server.closeAllConnections()
    return new Promise(done => server.close(done))
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

const optionsWith = async (environment: Record<string, string> = {}) => {
  const folder = await mkdtemp(join(tmpdir(), 'octagent-door-'))
  closing.push(() => rm(folder, { recursive: true, force: true }))
  return {
    services: [cat],
    config: readConfig({ OCTAGENT_DATA: folder, OCTAGENT_LOG: 'silent', ...environment }, [cat]),
  }
}

const openApp = async (options: AppOptions) => {
  const app = await createApp(options)
  closing.push(() => app.close(true))
  return app
}

test('openTestApp serves the cat, calls it by name, takes a clock and leaves nothing behind', async () => {
  const now = new Date('2031-02-03T04:05:06Z')
  const app = await openTestApp({ services: [cat], ports: { clock: { now: () => now } } })
  const pet = await app.call('cat.pet')
  expect([pet.status, pet.body]).toMatchObject([200, expect.any(Object)])
  const signed = await app.call('cat.sign', { name: 'Ada', note: 'What a fine cat.' })
  expect([signed.status, JSON.stringify(signed.body)]).toEqual([
    200,
    expect.stringContaining('2031-02-03T04:05:06'),
  ])
  expect(await app.call('cat.sign', {})).toMatchObject({ status: 422, body: { code: 'invalid_input' } })
  expect(await app.call('cat.bark')).toMatchObject({ status: 404 })
  await expect(app.call('pet')).rejects.toThrow('service.tool')
  await app.close()
  await expect(fetch(app.url)).rejects.toThrow()
})

test('an address that is no base for others is refused by name, before anything is opened', async () => {
  const options = await optionsWith()
  for (const url of [
    '',
    '/agents',
    'agents.example.org',
    'ftp://example.org',
    'http://a:b@example.org',
    'http://a/?b',
  ])
    await expect(createApp({ ...options, url }), url).rejects.toThrow(/^url: /)
  // A store that had been opened would still be locked.
  await openApp({ ...options, url: 'http://127.0.0.1/agents/' })
})

test('a public address takes no payments on local chains, and is the Host that is answered', async () => {
  const app = await openApp({ ...(await optionsWith()), url: 'https://agents.example.org/agents/' })
  const own = await serve(app.handler)
  const { request } = await import('node:http')
  const ask = (host: string, path: string, method = 'GET') =>
    new Promise<{ status: number | undefined; text: string }>((resolve, reject) => {
      const asked = request(own + path, { method, headers: { host } }, async answer => {
        resolve({ status: answer.statusCode, text: Buffer.concat(await answer.toArray()).toString() })
      })
      asked.on('error', reject).end()
    })
  expect((await ask('127.0.0.1', '/cat/api/pet')).status).toBe(403)
  expect((await ask('agents.example.org', '/cat/api/pet')).status).toBe(200)
  expect((await ask('agents.example.org', '/cat/api/feed', 'POST')).status).toBe(503)
  const { text } = await ask('agents.example.org', '/registry.json')
  expect(text).toContain('https://agents.example.org/agents/cat')
  expect(await app.devnetRpc('base')).toBeUndefined()
})

test('proxies are trusted under Express too, where a request has an address of its own', async () => {
  const app = express()
  const own = await serve(app)
  const agents = await octagent({
    ...(await optionsWith({ TRUST_PROXY: '1', OCTAGENT_RATE_LIMIT: '1' })),
    url: `${own}/agents/`,
  })
  closing.push(() => agents.close(true))
  app.use('/agents', agents)
  const pet = async (from: string) =>
    (await fetch(`${own}/agents/cat/api/pet`, { headers: { 'x-forwarded-for': from } })).status
  expect([await pet('192.0.2.1'), await pet('192.0.2.1'), await pet('192.0.2.2')]).toEqual([200, 429, 200])
})

test('closing waits for the call under way on a foreign server, refuses the next, and may be asked twice', async () => {
  let finish = () => {}
  const held = new Promise<void>(resolve => {
    finish = resolve
  })
  let started = () => {}
  const running = new Promise<void>(resolve => {
    started = resolve
  })
  const slow = tool({
    name: 'slow',
    title: 'Slow',
    description: 'Waits until it is told. Free.',
    input: z.object({}),
    output: z.object({ ok: z.boolean().describe('Always true') }),
    needs: [],
    price: free,
    hints: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
    examples: [{}],
  }).run(async () => {
    started()
    await held
    return { ok: true }
  })
  const inn = service({
    ...cat,
    slug: 'inn',
    tools: [help(), slow],
    documents: [],
    jobs: [],
    documentation: undefined as never,
    fallback: 'help',
  })
  const app = await openApp({ ...(await optionsWith()), services: [inn], url: 'http://127.0.0.1' })
  const own = await serve(app.handler)
  const call = () => fetch(`${own}/inn/tools/slow`, { method: 'POST' })
  const first = call()
  await running
  let isClosed = false
  const closed = app.close().then(() => {
    isClosed = true
  })
  const second = await call()
  expect([second.status, second.headers.get('retry-after')]).toEqual([503, '5'])
  await wait(20)
  expect(isClosed).toBe(false)
  finish()
  const answer = await first
  expect([answer.status, await answer.json()]).toEqual([200, { ok: true }])
  await closed
  await app.close(true)
})

test.each([
  ['express.json', express.json()],
  ['express.text', express.text({ type: () => true })],
  ['express.raw', express.raw({ type: () => true })],
])('a body that %s has read is taken over', async (_, parser) => {
  const app = express()
  app.use(parser)
  const own = await serve(app)
  const agents = await octagent({ ...(await optionsWith()), url: own })
  closing.push(() => agents.close(true))
  app.use(agents)
  const sign = (body: string, headers = {}) =>
    fetch(`${own}/cat/tools/sign`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body,
    })
  expect((await sign('{"name":"Ada","note":"What a fine cat."}')).status).toBe(200)
  expect((await sign('{"name":')).status).toBe(400)
})

test('a body that was read and not left behind is refused at once, with what the operator can do', async () => {
  const app = express()
  app.use((req, _, next) => void req.resume().on('end', () => setImmediate(next)))
  const own = await serve(app)
  const agents = await octagent({ ...(await optionsWith()), url: own })
  closing.push(() => agents.close(true))
  app.use(agents)
  const answer = await fetch(`${own}/cat/tools/sign`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{"name":"Ada","note":"What a fine cat."}',
  })
  expect([answer.status, await answer.json()]).toMatchObject([
    503,
    { code: 'unavailable', hint: 'The operator mounts octagent before body parsers.' },
  ])
})
