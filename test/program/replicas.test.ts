import { rm } from 'node:fs/promises'
import { Agent, fetch as fetchFrom } from 'undici'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { makeSigningKey } from '../../mcp/ports/sign/sign.ts'
import { postgresIsHere, withDatabase } from '../store/database.ts'
import { folder, type Running, serve } from './run.ts'

describe.runIf(postgresIsHere)('two servers on one PostgreSQL', () => {
  const database = withDatabase()
  const dirs = [folder(), folder()]
  let servers: Running[] = []

  beforeAll(async () => {
    const shared = {
      DATABASE_URL: database(),
      OCTAGENT_PEPPER: 'p'.repeat(43),
      OCTAGENT_SIGNING_KEY: makeSigningKey(),
    }
    servers = await Promise.all(dirs.map(dir => serve({ ...shared, OCTAGENT_DATA: dir })))
  })
  afterAll(async () => {
    for (const client of clients) await client.close()
    for (const { child, exit } of servers) {
      child.kill('SIGTERM')
      expect(await exit).toBe(0)
    }
    for (const dir of dirs) await rm(dir, { recursive: true, force: true })
  })

  const at = (n: number) => servers[n % 2]?.url ?? ''
  // One client may sign ten times a minute at both servers together, so the crowd has an address for each four.
  const clients = [2, 3, 4, 5].map(last => new Agent({ localAddress: `127.0.0.${last}` }))
  const sign = async (n: number, name: string, key?: string, client = n % 4) => {
    const response = await fetchFrom(`${at(n)}/cat/api/sign`, {
      ...(clients[client] && { dispatcher: clients[client] }),
      method: 'POST',
      headers: { 'content-type': 'application/json', ...(key !== undefined && { 'idempotency-key': key }) },
      body: JSON.stringify({ name, note: '' }),
    })
    return { status: response.status, body: (await response.json()) as { number: number } }
  }

  test('16 signatures at once over both are numbered 1 to 16', async () => {
    const signed = await Promise.all(Array.from({ length: 16 }, (_, n) => sign(n, `signer ${n}`)))
    expect(signed.map(({ body }) => body.number).sort((a, b) => a - b)).toEqual(
      Array.from({ length: 16 }, (_, n) => n + 1),
    )
    const book = (await (await fetch(`${at(1)}/cat/api/guestbook`)).json()) as { count: number }
    expect(book.count).toBe(16)
  })

  test('an idempotency key given to one is known to the other', async () => {
    const first = await sign(0, 'Ada', 'same-key')
    expect(first).toMatchObject({ status: 200, body: { number: 17 } })
    expect(await sign(1, 'Ada', 'same-key', 0)).toEqual(first)
    expect((await sign(1, 'Bob', 'same-key', 0)).status).toBe(409)
  })

  test('a task started at one is found at the other', async () => {
    const ask = async (n: number, method: string, params: object) => {
      const response = await fetch(`${at(n)}/cat/a2a`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'a2a-version': '1.0' },
        body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
      })
      return (await response.json()) as { result: { task?: { id: string }; status?: { state: string } } }
    }
    const message = { messageId: 'm', role: 'ROLE_USER', parts: [{ data: { skill: 'pet' } }] }
    const { result } = await ask(0, 'SendMessage', { message, configuration: { returnImmediately: true } })
    const found = await ask(1, 'GetTask', { id: result.task?.id })
    expect(found.result.status?.state).toMatch(/^TASK_STATE_(WORKING|COMPLETED)$/)
  })

  test('the broker signs its card with the same key at both', async () => {
    const keys = await Promise.all(
      [0, 1].map(async n => (await fetch(`${at(n)}/broker/.well-known/jwks.json`)).json()),
    )
    expect(keys[0]).toEqual(keys[1])
  })
})
