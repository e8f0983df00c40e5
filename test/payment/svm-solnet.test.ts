import { randomBytes } from 'node:crypto'
import { access, readFile, stat, writeFile } from 'node:fs/promises'
import { request } from 'node:http'
import { join } from 'node:path'
import { getBase58Decoder, getBase58Encoder } from '@solana/kit'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { base58, fromBase58 } from '../../mcp/ports/solnet/base58.ts'
import { openSolnet } from '../../mcp/ports/solnet/solnet.ts'
import { readTransaction } from '../../mcp/ports/solnet/transaction.ts'
import { hasSolana, openSvmWorld } from './svm-world.ts'

const there = await hasSolana()

test('writes and reads base58 as kit does, zeros in front included', () => {
  for (const size of [0, 1, 32, 64])
    for (let count = 0; count < 50; count++) {
      const bytes = Buffer.concat([Buffer.alloc(count % 3), randomBytes(size)]).subarray(0, 64)
      expect(base58(bytes)).toBe(getBase58Decoder().decode(bytes))
      expect(fromBase58(base58(bytes))).toEqual(Buffer.from(getBase58Encoder().encode(base58(bytes))))
    }
  expect(fromBase58('0OIl')).toBeUndefined()
})

describe.skipIf(!there)('the local Solana', () => {
  let world: Awaited<ReturnType<typeof openSvmWorld>>
  beforeEach(async () => {
    world = await openSvmWorld()
  })
  afterEach(() => world.close())

  const ask = async (
    method: string,
    params: unknown[] = [],
    solnet = world.solnet,
  ): Promise<Record<string, unknown>> => {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
    const headers = { 'content-type': 'application/json' }
    const answer = await fetch(await solnet.rpc(), { method: 'POST', headers, body })
    return (await answer.json()) as Record<string, unknown>
  }

  test('makes keys once per folder, for the owner only', async () => {
    const file = join(world.dir, 'solnet.json')
    expect((await stat(file)).mode & 0o777).toBe(0o600)
    expect(await openSolnet({ dir: world.dir }).keys()).toEqual(world.keys)
    const other = await openSvmWorld()
    expect(Object.values(other.keys)).not.toContain(world.keys.payTo)
    await other.close()
    await writeFile(file, '{"demo":"x"}')
    await expect(openSolnet({ dir: world.dir }).keys()).rejects.toMatchObject({ code: 'unavailable' })
    expect(await readFile(file, 'utf8')).toBe('{"demo":"x"}')
  })

  test('touches nothing before its first use', async () => {
    const dir = join(world.dir, 'unused')
    const solnet = openSolnet({ dir })
    await solnet.close()
    await expect(access(dir)).rejects.toMatchObject({ code: 'ENOENT' })
    await expect(solnet.rpc()).rejects.toThrow('closed')
  })

  test('starts with 1,000 USDC in the demo wallet and an empty account to be paid', async () => {
    expect(await world.solnet.balance(world.demo.address)).toBe(1_000_000_000n)
    expect(await world.solnet.balance(world.payTo)).toBe(0n)
    expect(await world.solnet.balance((await world.stranger()).address)).toBeUndefined()
  })

  test('answers what it knows, and with Solana’s codes what it does not', async () => {
    expect(await ask('getHealth')).toMatchObject({ result: 'ok' })
    expect(await ask('getAccountInfo', [world.payTo])).toMatchObject({ result: { value: null } })
    expect(await ask('getSignatureStatuses', [['x']])).toMatchObject({ result: { value: [null] } })
    expect(await ask('getTransaction', ['x'])).toMatchObject({ result: null })
    expect(await ask('toString')).toMatchObject({ error: { code: -32601 } })
    expect(await ask('getBalance', ['0'])).toMatchObject({ error: { code: -32602 } })
    expect(await ask('sendTransaction', ['AAAA', { encoding: 'base64' }])).toMatchObject({
      error: { code: -32602 },
    })
  })

  test('refuses a transaction that the fee payer has not signed, and any that was changed', async () => {
    const rail = world.openMethod()
    const { payload } = await world.pay(await rail.offer('1', 'after'), world.demo)
    const wire = String(payload.transaction)
    expect(await ask('sendTransaction', [wire, { encoding: 'base64' }])).toMatchObject({
      error: { code: -32003 },
    })
    const blind = Buffer.from(wire, 'base64').fill(7, 1, 65).toString('base64')
    expect(await ask('sendTransaction', [blind, { encoding: 'base64' }])).toMatchObject({
      error: { code: -32003 },
    })
    expect(await world.solnet.balance(world.payTo)).toBe(0n)
  })

  test('takes no transaction of a chain before it: its blockhashes are never the same', async () => {
    const rail = world.openMethod()
    const offer = await rail.offer('1', 'after')
    const payload = await world.pay(offer, world.demo)
    const next = openSolnet({ dir: world.dir })
    expect(await ask('getLatestBlockhash', [], next)).toMatchObject({ result: { value: {} } })
    expect(await world.openMethod({ rpc: next.rpc }).settle(payload, offer)).toEqual({
      state: 'failed',
      reason: 'expired',
    })
    await next.close()
  })

  test('answers nobody who comes under another name', async () => {
    const { port } = new URL(await world.solnet.rpc())
    const status = await new Promise(resolve => {
      const options = { port, host: '127.0.0.1', method: 'POST', headers: { host: 'evil.example' } }
      request(options, answer => resolve(answer.statusCode)).end('{}')
    })
    expect(status).toBe(403)
  })

  test('reads no transaction that is cut short, and survives every changed byte', async () => {
    const { payload } = await world.pay(await world.openMethod().offer('1', 'after'), world.demo)
    const wire = Buffer.from(String(payload.transaction), 'base64')
    const whole = readTransaction(wire)
    expect(whole?.signatures).toHaveLength(2)
    for (let at = 0; at < wire.length; at++) {
      expect(readTransaction(wire.subarray(0, at))).toBeUndefined()
      const copy = Buffer.from(wire)
      copy[at] = randomBytes(1).readUInt8()
      const read = readTransaction(copy)
      if (at > 129 && read && !copy.equals(wire)) expect(read.message).not.toEqual(whole?.message)
    }
  })
})
