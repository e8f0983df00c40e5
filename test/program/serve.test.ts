// Costs: the program started and ended with each of its options.
import { rm } from 'node:fs/promises'
import { setTimeout as wait } from 'node:timers/promises'
import { afterEach, expect, test, vi } from 'vitest'
import { startInternet } from '../internet/internet.ts'
import { folder, type Running, serve } from './run.ts'

const folders: string[] = []
const running: Running[] = []
const data = () => {
  const dir = folder()
  folders.push(dir)
  return dir
}
const started = async (...args: Parameters<typeof serve>) => {
  const server = await serve(...args)
  running.push(server)
  return server
}

afterEach(async () => {
  for (const { child, exit } of running.splice(0)) {
    child.kill('SIGKILL')
    await exit
  }
  for (const dir of folders.splice(0)) await rm(dir, { recursive: true, force: true })
})

const sign = async (url: string, name: string) =>
  (
    await fetch(`${url}/api/sign`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ name, note: '' }),
    })
  ).status

const names = async (url: string): Promise<string[]> => {
  const book = (await (await fetch(`${url}/api/guestbook`)).json()) as { signatures: { name: string }[] }
  return book.signatures.map(({ name }) => name)
}

test('prints where each service is, and three commands to try', async () => {
  const { url, output } = await started({ OCTAGENT_DATA: data() })
  await wait(50)
  for (const slug of ['gateway', 'broker', 'cat', 'data', 'money', 'proof', 'tasks', 'forecast', 'mcp'])
    expect(output()).toContain(`${url}/${slug}`)
  expect(output().match(/^ {2}(claude|curl) /gm)).toHaveLength(3)
})

test('state survives SIGTERM and kill -9', async () => {
  const dir = data()
  const first = await started({ OCTAGENT_DATA: dir }, ['cat'])
  expect(await sign(first.url, 'Ada')).toBe(200)
  first.child.kill('SIGTERM')
  expect(await first.exit).toBe(0)
  const second = await started({ OCTAGENT_DATA: dir }, ['cat'])
  expect(await sign(second.url, 'Bob')).toBe(200)
  second.child.kill('SIGKILL')
  await second.exit
  const third = await started({ OCTAGENT_DATA: dir }, ['cat'])
  expect(await names(third.url)).toEqual(['Bob', 'Ada'])
})

test('SIGTERM lets the call under way finish; a second signal stops at once', async () => {
  const internet = await startInternet()
  internet.dns.zone.set('silent.test', 'SILENT')
  const environment = { DNS_SERVERS: internet.dns.server }
  const slow = (url: string) =>
    fetch(`${url}/skills/dns-lookup?free=1&domain=silent.test`).then(r => r.status)

  const patient = await started({ ...environment, OCTAGENT_DATA: data() }, ['data'])
  const answered = slow(patient.url)
  await wait(300)
  patient.child.kill('SIGTERM')
  await vi.waitFor(() => expect(fetch(`${patient.url}/healthz`)).rejects.toThrow())
  expect(await answered).toBe(502)
  expect(await patient.exit).toBe(0)

  const hasty = await started({ ...environment, OCTAGENT_DATA: data() }, ['data'])
  const lost = slow(hasty.url).catch(() => 'lost')
  await wait(300)
  hasty.child.kill('SIGTERM')
  await wait(100)
  hasty.child.kill('SIGTERM')
  expect(await lost).toBe('lost')
  expect(await hasty.exit).toBe(1)
  await internet.stop()
})

test('serves one service at the root of its port', async () => {
  const { url } = await started({ OCTAGENT_DATA: data() }, ['cat'])
  expect((await fetch(`${url}/api/pet`)).status).toBe(200)
  const card = (await (await fetch(`${url}/.well-known/agent-card.json`)).json()) as {
    interfaces: { url: string }[]
  }
  expect(card.interfaces.map(entry => entry.url)).toEqual([`${url}/`, `${url}/a2a`])
  expect((await fetch(`${url}/healthz`)).status).toBe(200)
  expect((await fetch(`${url}/cat/api/pet`)).status).toBe(404)
})

test('serves a service at the root of its own host name, and names it in every URL', async () => {
  const { url } = await started({
    OCTAGENT_DATA: data(),
    PUBLIC_URL: 'https://octagent.example',
    HOSTS: 'cat.example=cat',
  })
  const { request } = await import('node:http')
  const get = (host: string, path: string) =>
    new Promise<{ status: number | undefined; body: string }>(resolve => {
      request(`${url}${path}`, { headers: { host } }, response => {
        let body = ''
        response.on('data', chunk => {
          body += chunk
        })
        response.on('end', () => resolve({ status: response.statusCode, body }))
      }).end()
    })
  expect((await get('cat.example', '/api/pet')).status).toBe(200)
  expect((await get('cat.example', '/.well-known/agent-card.json')).body).toContain(
    '"https://cat.example/a2a"',
  )
  expect((await get('octagent.example', '/cat/api/pet')).status).toBe(200)
  expect((await get('octagent.example', '/data/.well-known/agent-card.json')).body).toContain(
    '"https://octagent.example/data/a2a"',
  )
  expect((await get('elsewhere.example', '/cat/api/pet')).status).toBe(403)
})

test('counts clients by the forwarded address only where a proxy is trusted', async () => {
  const limit = { OCTAGENT_RATE_LIMIT: '2' }
  const statuses = async (url: string) => {
    const answers: number[] = []
    for (const address of ['198.51.100.1', '198.51.100.1', '198.51.100.1', '198.51.100.2'])
      answers.push((await fetch(`${url}/api/pet`, { headers: { 'x-forwarded-for': address } })).status)
    return answers
  }
  const open = await started({ ...limit, OCTAGENT_DATA: data() }, ['cat'])
  expect(await statuses(open.url)).toEqual([200, 200, 429, 429])
  const behind = await started({ ...limit, OCTAGENT_DATA: data(), TRUST_PROXY: '1' }, ['cat'])
  expect(await statuses(behind.url)).toEqual([200, 200, 429, 200])
})

test('a port that is taken is named, with what to do', async () => {
  const { url } = await started({ OCTAGENT_DATA: data() }, ['cat'])
  const { port } = new URL(url)
  await expect(serve({ OCTAGENT_DATA: data(), PORT: port }, ['cat'])).rejects.toThrow(
    /Port \d+ is taken[\s\S]*Set PORT/,
  )
})

test('a wrong environment is refused with the names, before anything is opened', async () => {
  await expect(serve({ OCTAGENT_DATA: data(), OCTAGENT_COLOR: 'red' }, ['cat'])).rejects.toThrow(
    /OCTAGENT_COLOR/,
  )
})

test('SIGTERM turns /readyz first and keeps answering for the grace, then the port closes', async () => {
  const { url, child, exit } = await started({ OCTAGENT_DATA: data(), OCTAGENT_DRAIN_GRACE: '3' }, ['cat'])
  const ready = async () => (await fetch(`${url}/readyz`)).status
  expect(await ready()).toBe(200)
  child.kill('SIGTERM')
  await vi.waitFor(async () => expect(await ready()).toBe(503))
  // A new connection, which a balancer that has not looked yet would send.
  const late = await fetch(`${url}/api/pet`)
  expect([late.status, late.headers.get('connection')]).toEqual([200, 'close'])
  expect(await exit).toBe(0)
  await expect(fetch(`${url}/healthz`)).rejects.toThrow()
})

test('a second signal does not wait for the grace', async () => {
  const { url, child, exit } = await started({ OCTAGENT_DATA: data(), OCTAGENT_DRAIN_GRACE: '300' }, ['cat'])
  const ready = async () => (await fetch(`${url}/readyz`)).status
  expect(await ready()).toBe(200)
  child.kill('SIGTERM')
  await vi.waitFor(async () => expect(await ready()).toBe(503))
  child.kill('SIGTERM')
  expect(await exit).toBe(1)
})
