import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { hasSolana, openSvmWorld } from './svm-world.ts'
import { toAttempt } from './x402.ts'

const there = await hasSolana()

describe.skipIf(!there)('a node that loses what it is sent', () => {
  let world: Awaited<ReturnType<typeof openSvmWorld>>
  let server: Server
  let url = ''
  /** What happens to a sendTransaction: lost on its way there, carried out with the answer lost, or kept by a node that says no. */
  let lose: 'call' | 'answer' | 'refuses' | 'nothing' = 'nothing'
  let last = ''

  beforeAll(async () => {
    world = await openSvmWorld()
    const target = await world.solnet.rpc()
    server = createServer(async (request, response) => {
      const chunks: Buffer[] = []
      for await (const chunk of request) chunks.push(chunk as Buffer)
      const body = Buffer.concat(chunks).toString('utf8')
      const sends = body.includes('"sendTransaction"')
      if (sends && lose === 'call') return response.destroy()
      const headers = { 'content-type': 'application/json' }
      if (sends && lose === 'refuses') {
        last = body
        const error = { code: -32002, message: 'Transaction simulation failed' }
        return response
          .writeHead(200, headers)
          .end(JSON.stringify({ jsonrpc: '2.0', id: JSON.parse(body).id, error }))
      }
      const answer = await (await fetch(target, { method: 'POST', headers, body })).text()
      if (sends && lose === 'answer') return response.destroy()
      return response.writeHead(200, headers).end(answer)
    })
    await new Promise<void>(listening => server.listen(0, '127.0.0.1', listening))
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  })
  afterAll(async () => {
    server?.closeAllConnections()
    server?.close()
    await world?.close()
  })

  const openMethod = () => world.openMethod({ rpc: async () => url, confirmMs: 300 })

  test('settles when only the answer was lost', async () => {
    lose = 'answer'
    const method = openMethod()
    const offer = await method.offer('0.5', 'after')
    const payload = await world.pay(offer, world.demo)
    expect((await method.settle(payload, offer)).state).toBe('settled')
    expect(await world.solnet.balance(world.payTo)).toBe(500_000n)
  })

  test('is pending when the call was lost, and moves the money once when it is settled again', async () => {
    lose = 'call'
    const method = openMethod()
    const offer = await method.offer('0.5', 'after')
    const payload = await world.pay(offer, world.demo)
    const before = await world.solnet.balance(world.payTo)
    const pending = await method.settle(payload, offer)
    expect(pending.state).toBe('pending')
    expect(await method.find(payload, offer)).toEqual(pending)
    lose = 'nothing'
    const settlement = await method.settle(payload, offer)
    expect(settlement).toMatchObject({ ...pending, state: 'settled' })
    expect(await method.find(payload, offer)).toEqual(settlement)
    expect(await world.solnet.balance(world.payTo)).toBe((before ?? 0n) + 500_000n)
  })

  test('is pending when a node says no and carries it out all the same', async () => {
    lose = 'refuses'
    const method = openMethod()
    const offer = await method.offer('0.5', 'after')
    const payload = await world.pay(offer, world.demo)
    const before = await world.solnet.balance(world.payTo)
    const pending = await method.settle(payload, offer)
    expect(pending.state).toBe('pending')
    lose = 'nothing'
    const headers = { 'content-type': 'application/json' }
    await (await fetch(await world.solnet.rpc(), { method: 'POST', headers, body: last })).text()
    expect(await openMethod().find(payload, offer)).toMatchObject({ ...pending, state: 'settled' })
    expect(await world.solnet.balance(world.payTo)).toBe((before ?? 0n) + 500_000n)
  })

  test('is not called expired by a node that does not know its blockhash yet', async () => {
    lose = 'call'
    const method = openMethod()
    const offer = await method.offer('0.5', 'after')
    const payload = await world.pay(offer, world.demo)
    const { transaction } = (await method.settle(payload, offer)) as { transaction: string }
    world.clock.ms += 62_000
    const since = new Date()
    const { find } = method.method
    const attempt = toAttempt(payload)
    const terms = { ...offer, method: 'x402-svm', kind: 'svm-exact', words: '' }
    expect((await find(attempt, terms, { transaction, since })).state).toBe('pending')
    expect((await find(attempt, terms, { transaction, since: new Date(Date.now() - 61_000) })).state).toBe(
      'failed',
    )
  })

  test('is failed for good once a lost one cannot land any more', async () => {
    lose = 'call'
    const method = openMethod()
    const offer = await method.offer('0.5', 'after')
    const payload = await world.pay(offer, world.demo)
    expect((await method.settle(payload, offer)).state).toBe('pending')
    world.clock.ms += 62_000
    lose = 'nothing'
    expect(await method.find(payload, offer)).toEqual({ state: 'failed', reason: 'expired' })
    expect(await method.settle(payload, offer)).toEqual({ state: 'failed', reason: 'expired' })
  })

  test('does not pay a refund twice when the answer to the first was lost', async () => {
    lose = 'call'
    const method = openMethod()
    const before = (await world.solnet.balance(world.demo.address)) ?? 0n
    await expect(method.refund('lost', world.demo.address, '7')).rejects.toMatchObject({ code: 'upstream' })
    lose = 'answer'
    const transaction = await method.refund('lost', world.demo.address, '7')
    lose = 'nothing'
    expect(await method.refund('lost', world.demo.address, '7')).toBe(transaction)
    expect(await openMethod().refund('lost', world.demo.address, '7')).toBe(transaction)
    expect(await world.solnet.balance(world.demo.address)).toBe(before + 7n)
  })
})
