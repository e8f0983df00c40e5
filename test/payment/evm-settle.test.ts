import { createServer, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Hex } from 'viem'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { openX402EvmDevnet } from '../../mcp/payment/methods/x402-evm/devnet.ts'
import { openLocalFacilitator } from '../../mcp/payment/methods/x402-evm/facilitator.ts'
import { openX402Evm } from '../../mcp/payment/methods/x402-evm/method.ts'
import { openChain } from '../../mcp/ports/chain/chain.ts'
import type { Chain } from '../../mcp/ports/chain/port.ts'
import { anvilClient, balanceOf, makePayer, onAnvil, openTestDevnet, pay, signTerms } from './evm-chain.ts'
import { type Requirements as Offer, overX402, type Payload, toAttempt, type X402Method } from './x402.ts'

onAnvil('settling on a chain that is busy or slow', () => {
  let net: Awaited<ReturnType<typeof openTestDevnet>>
  let chain: Chain
  let method: X402Method
  let offer: Offer
  const servers: Server[] = []

  beforeAll(async () => {
    net = await openTestDevnet()
    chain = net.devnet.chain('base-sepolia')
    method = overX402(openX402EvmDevnet(net.devnet, 'base-sepolia', 400))
    offer = await method.offer('0.10', 'before')
  })
  afterEach(async () => {
    const anvil = await anvilClient(chain)
    await anvil.setAutomine(true)
    await anvil.mine({ blocks: 1 })
  })
  afterAll(async () => {
    for (const server of servers) server.close()
    await net.close()
  })

  const countPayments = async () => (await balanceOf(chain, offer.payTo)) / 100_000n
  const payments = async (count: number): Promise<Payload[]> => {
    const payer = await makePayer(chain, 100_000n * BigInt(count))
    return Promise.all(Array.from({ length: count }, () => pay(payer.account, offer)))
  }

  test('twelve payments at once all settle, one refused among them hurts no other', async () => {
    const before = await countPayments()
    const good = await payments(12)
    const poor = await makePayer(chain, 50_000n)
    good.splice(5, 0, await pay(poor.account, offer))
    const results = await Promise.all(good.map(payload => method.settle(payload, offer)))
    expect(results.map(({ state }) => state)).toEqual(
      good.map((_, index) => (index === 5 ? 'refused' : 'settled')),
    )
    expect(results[5]).toEqual({ state: 'refused', reason: 'insufficient_funds' })
    const logs = results.flatMap(each => (each.state === 'settled' ? [each.log] : []))
    expect(new Set(logs).size).toBe(12)
    expect((await countPayments()) - before).toBe(12n)
  })

  test('twelve payments at once share one block when blocks are slow', async () => {
    const anvil = await anvilClient(chain)
    const slow = overX402(openX402EvmDevnet(net.devnet, 'base-sepolia', 10_000))
    const before = await countPayments()
    const good = await payments(12)
    await anvil.setAutomine(false)
    const settling = Promise.all(good.map(payload => slow.settle(payload, offer)))
    await expect
      .poll(async () => Number((await anvil.getTxpoolStatus()).pending), { timeout: 60_000 })
      .toBe(12)
    await anvil.mine({ blocks: 1 })
    expect((await settling).map(({ state }) => state)).toEqual(Array(12).fill('settled'))
    expect((await countPayments()) - before).toBe(12n)
  })

  test('one authorization settled by many at once moves its money once', async () => {
    const before = await countPayments()
    const [payload] = (await payments(1)) as [Payload]
    const others = overX402(openX402EvmDevnet(net.devnet, 'base-sepolia', 5_000))
    const results = await Promise.all(
      [method, method, others, others].map(each => each.settle(payload, offer)),
    )
    for (const each of results) expect(each).toEqual(results[0])
    expect(results[0]?.state).toBe('settled')
    expect((await countPayments()) - before).toBe(1n)
  })

  test('a slow confirmation is pending under its hash, is not sent again, and is found later', async () => {
    const anvil = await anvilClient(chain)
    const before = await countPayments()
    const [payload] = (await payments(1)) as [Payload]
    await anvil.setAutomine(false)
    const pending = await method.settle(payload, offer)
    expect(pending).toEqual({ state: 'pending', transaction: expect.stringMatching(/^0x[0-9a-f]{64}$/) })
    expect(await method.find(payload, offer)).toEqual(pending)
    expect(await method.settle(payload, offer)).toEqual(pending)
    expect(Number((await anvil.getTxpoolStatus()).pending)).toBe(1)
    await anvil.mine({ blocks: 1 })
    const result = await method.find(payload, offer)
    expect(result).toMatchObject({
      state: 'settled',
      transaction: (pending as { transaction: string }).transaction,
    })
    expect(await method.settle(payload, offer)).toEqual(result)
    expect((await countPayments()) - before).toBe(1n)
  })

  test('after a restart a payment that was on its way is settled once, however it is asked', async () => {
    const anvil = await anvilClient(chain)
    const before = await countPayments()
    const [payload] = (await payments(1)) as [Payload]
    await anvil.setAutomine(false)
    expect((await method.settle(payload, offer)).state).toBe('pending')
    const { rpc } = await net.devnet.network('base-sepolia')
    const keys = await net.devnet.keys()
    const again = openChain({ network: chain.network, rpc, devnet: true })
    const afterRestart = overX402(
      openX402Evm({
        chain: again,
        payTo: async () => (await again.wallet(keys.payTo)).address,
        facilitator: { key: async () => keys.facilitator },
        confirmMs: 5_000,
      }),
    )
    expect(await afterRestart.find(payload, offer)).toEqual({ state: 'unused' })
    expect(await afterRestart.settle(payload, offer)).toEqual({ state: 'pending', transaction: '' })
    await anvil.mine({ blocks: 1 })
    const settlement = await afterRestart.settle(payload, offer)
    expect(settlement).toMatchObject({ state: 'settled' })
    expect(settlement).toEqual(await method.find(payload, offer))
    expect((await countPayments()) - before).toBe(1n)
  })

  test('a payment that the chain dropped ends as expired, by the time of the chain', async () => {
    const anvil = await anvilClient(chain)
    const payer = await makePayer(chain)
    const now = BigInt(Math.floor(Date.now() / 1_000))
    const payload = await signTerms(chain, payer.account, offer, { validBefore: now + 30n })
    await anvil.setAutomine(false)
    const pending = await method.settle(payload, offer)
    if (pending.state !== 'pending') throw new Error(pending.state)
    await anvil.dropTransaction({ hash: pending.transaction as `0x${string}` })
    expect(await method.find(payload, offer)).toEqual(pending)
    await anvil.setNextBlockTimestamp({ timestamp: now + 61n })
    await anvil.mine({ blocks: 1 })
    expect(await method.find(payload, offer)).toEqual({ state: 'failed', reason: 'expired' })
  })

  /** A facilitator over HTTP as others run it. `failing` breaks the connection after the work is done. */
  const serve = async (failing: { settle: boolean }) => {
    const facilitator = await openLocalFacilitator(chain, (await net.devnet.keys()).facilitator, 2_000)
    const server = createServer((request, response) => {
      const chunks: Buffer[] = []
      request.on('data', chunk => chunks.push(chunk))
      request.on('end', async () => {
        const { paymentPayload, paymentRequirements } = JSON.parse(String(Buffer.concat(chunks)))
        expect(request.headers.authorization).toBe('Bearer operator')
        const path = request.url === '/verify' ? 'verify' : 'settle'
        // What it has read from our own node does not travel.
        const result = await facilitator[path](paymentPayload, paymentRequirements)
        const answer = { ...result, receipt: undefined }
        if (path === 'settle' && failing.settle) return response.destroy()
        const network = chain.network.id
        response.writeHead(200, { 'content-type': 'application/json' })
        response.end(JSON.stringify(path === 'settle' ? { network, ...answer } : answer))
      })
    })
    servers.push(server)
    await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
    return overX402(
      openX402Evm({
        chain,
        payTo: async () => offer.payTo as `0x${string}`,
        facilitator: {
          remotes: [
            {
              url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
              credential: { headers: { authorization: 'Bearer operator' } },
              timeoutMs: 5_000,
            },
          ],
        },
        confirmMs: 2_000,
      }),
    )
  }

  test('a facilitator elsewhere checks and settles', async () => {
    const remote = await serve({ settle: false })
    const before = await countPayments()
    const [payload] = (await payments(1)) as [Payload]
    expect(await remote.verify(payload, offer)).toMatchObject({ ok: true })
    const settlement = await remote.settle(payload, offer)
    expect(settlement).toMatchObject({ state: 'settled' })
    // Its gas is its own: to us, who did not send it, it cost nothing.
    const { fee, ...found } = (await method.find(payload, offer)) as { fee?: object }
    expect(fee).toEqual({ amount: expect.any(String), coin: 'ETH' })
    expect(settlement).toMatchObject(found)
    expect(settlement).not.toHaveProperty('fee')
    expect((await countPayments()) - before).toBe(1n)
    expect(await remote.verify(payload, offer)).toEqual({ ok: false, reason: 'already_used' })
    const poor = await makePayer(chain, 5n)
    expect(await remote.verify(await pay(poor.account, offer), offer)).toEqual({
      ok: false,
      reason: 'insufficient_funds',
    })
  })

  test('a facilitator whose answer is lost is not believed to have failed', async () => {
    const remote = await serve({ settle: true })
    const before = await countPayments()
    const [payload] = (await payments(1)) as [Payload]
    expect(await remote.settle(payload, offer)).toMatchObject({ state: 'settled' })
    expect((await countPayments()) - before).toBe(1n)
  })

  test('a facilitator that is not there leaves the payment open', async () => {
    const remote = overX402(
      openX402Evm({
        chain,
        payTo: async () => offer.payTo as `0x${string}`,
        facilitator: { remotes: [{ url: 'http://127.0.0.1:9', timeoutMs: 2_000 }] },
      }),
    )
    const [payload] = (await payments(1)) as [Payload]
    await expect(remote.verify(payload, offer)).rejects.toMatchObject({ code: 'upstream' })
    expect(await remote.settle(payload, offer)).toEqual({ state: 'pending', transaction: '' })
    expect(await method.settle(payload, offer)).toMatchObject({ state: 'settled' })
    expect(await remote.settle(payload, offer)).toMatchObject({ state: 'settled' })
  })

  /** A facilitator that keeps what it is handed and gives this answer; `land` carries the last one out. */
  const serveLiar = async (answer: (response: ServerResponse) => void) => {
    const local = await openLocalFacilitator(chain, (await net.devnet.keys()).facilitator, 2_000)
    let last: Parameters<typeof local.settle> | undefined
    const server = createServer(async (request, response) => {
      const chunks: Buffer[] = []
      for await (const chunk of request) chunks.push(chunk as Buffer)
      const { paymentPayload, paymentRequirements } = JSON.parse(String(Buffer.concat(chunks)))
      last = [paymentPayload, paymentRequirements]
      answer(response)
    })
    servers.push(server)
    await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    const options = {
      chain,
      payTo: async () => offer.payTo as Hex,
      facilitator: { remotes: [{ url, timeoutMs: 500 }] },
    }
    const land = async () => last && (await local.settle(...last))
    return { open: () => overX402(openX402Evm({ ...options, confirmMs: 500 })), land }
  }

  const json = (status: number, text: string) => (response: ServerResponse) =>
    void response.writeHead(status, { 'content-type': 'application/json' }).end(text)
  const failure = { success: false, network: 'eip155:84532', transaction: '' }
  const lies: [string, (response: ServerResponse) => void][] = [
    ['that it failed', json(200, JSON.stringify({ ...failure, errorReason: 'insufficient_funds' }))],
    ['that it failed, with 402', json(402, JSON.stringify({ ...failure, errorReason: 'unexpected' }))],
    ['that it settled, in no transaction', json(200, JSON.stringify({ ...failure, success: true }))],
    ['500', json(500, '{}')],
    ['junk', json(200, '<html>')],
    ['nothing', response => void response.destroy()],
    ['nothing in time', () => undefined],
  ]

  test.each(lies)(
    'a facilitator that says %s and settles later leaves the payment open',
    async (_, answer) => {
      const liar = await serveLiar(answer)
      const before = await countPayments()
      const [payload] = (await payments(1)) as [Payload]
      const remote = liar.open()
      const open = { state: 'pending', transaction: '' }
      expect(await remote.settle(payload, offer)).toMatchObject(open)
      expect(await remote.find(payload, offer)).toEqual(open)
      expect(await liar.open().find(payload, offer)).toEqual({ state: 'unused' })
      await liar.land()
      const result = await remote.find(payload, offer)
      expect(result).toMatchObject({ state: 'settled' })
      expect(await liar.open().find(payload, offer)).toEqual(result)
      expect((await countPayments()) - before).toBe(1n)
    },
  )

  test('a transaction that the chain dropped is sent again, once, after a while', async () => {
    const anvil = await anvilClient(chain)
    const before = await countPayments()
    let at = Date.now()
    const keys = await net.devnet.keys()
    const own = overX402(
      openX402Evm({
        chain,
        payTo: async () => offer.payTo as Hex,
        facilitator: { key: async () => keys.facilitator },
        confirmMs: 300,
        now: () => new Date(at),
      }),
    )
    const [payload] = (await payments(1)) as [Payload]
    await anvil.setAutomine(false)
    const first = await own.settle(payload, offer)
    if (first.state !== 'pending') throw new Error(first.state)
    await anvil.dropTransaction({ hash: first.transaction as Hex })
    expect(await own.settle(payload, offer)).toEqual(first)
    at += 46_000
    expect(await own.find(payload, offer)).toEqual({ state: 'unused' })
    expect(await own.settle(payload, offer)).toMatchObject({ state: 'pending' })
    expect(Number((await anvil.getTxpoolStatus()).pending)).toBe(1)
    await anvil.mine({ blocks: 1 })
    expect(await own.find(payload, offer)).toMatchObject({ state: 'settled' })
    expect((await countPayments()) - before).toBe(1n)
  })

  test('a transfer that the chain takes back is found gone, and is settled again', async () => {
    const anvil = await anvilClient(chain)
    const before = await countPayments()
    const [payload] = (await payments(1)) as [Payload]
    const settlement = await method.settle(payload, offer)
    if (settlement.state !== 'settled') throw new Error(settlement.state)
    const look = (since: Date) => {
      const terms = { ...offer, method: 'x402-evm', kind: 'eip3009', words: '' }
      return method.method.find(toAttempt(payload), terms, { transaction: settlement.transaction, since })
    }
    const longAgo = new Date(Date.now() - 60_000)
    expect(await look(longAgo)).toEqual(settlement)
    await anvil.request({ method: 'anvil_reorg', params: [1, []] } as never)
    expect(await look(longAgo)).toEqual({ state: 'unused' })
    expect(await look(new Date())).toEqual({ state: 'pending', transaction: settlement.transaction })
    expect(await countPayments()).toBe(before)
    await method.settle(payload, offer)
    await expect
      .poll(async () => (await method.find(payload, offer)).state, { timeout: 60_000 })
      .toBe('settled')
    expect((await countPayments()) - before).toBe(1n)
  })
})
