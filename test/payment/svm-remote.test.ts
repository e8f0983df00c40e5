import { createKeyPairSignerFromBytes } from '@solana/kit'
import type { PaymentPayload, PaymentRequirements } from '@x402/core/types'
import { toFacilitatorSvmSigner } from '@x402/svm'
import { ExactSvmScheme } from '@x402/svm/exact/facilitator'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { openX402Svm } from '../../mcp/payment/methods/x402-svm/method.ts'
import { fromBase58 } from '../../mcp/ports/solnet/base58.ts'
import { openSolnetKeys, toAddress } from '../../mcp/ports/solnet/keys.ts'
import { solanaNetworks } from '../../mcp/ports/solnet/network.ts'
import { serveFacilitator } from './facilitator-server.ts'
import { hasSolana, openSvmWorld } from './svm-world.ts'
import { overX402, toAttempt } from './x402.ts'

describe.runIf(await hasSolana())('Solana payments that facilitators elsewhere settle', () => {
  let world: Awaited<ReturnType<typeof openSvmWorld>>
  let servers: Awaited<ReturnType<typeof serveFacilitator>>[]
  const network = solanaNetworks.devnet

  /** The stock facilitator with a wallet of its own. */
  const openStock = async (key: string) => {
    const wallet = await createKeyPairSignerFromBytes(new Uint8Array(fromBase58(key) ?? []))
    const scheme = new ExactSvmScheme(
      toFacilitatorSvmSigner(wallet, { defaultRpcUrl: await world.solnet.rpc() }),
    )
    return {
      verify: (payload: PaymentPayload, requirements: PaymentRequirements) =>
        scheme.verify(payload, requirements),
      settle: (payload: PaymentPayload, requirements: PaymentRequirements) =>
        scheme.settle(payload, requirements),
      supported: [{ network: network.id, extra: { feePayer: wallet.address } }],
    }
  }

  beforeAll(async () => {
    world = await openSvmWorld()
  })
  afterAll(() => world.close())
  beforeEach(async () => {
    // The demo wallet has no SOL on the local chain: what it settles as a fee payer never lands.
    servers = [
      await serveFacilitator(await openStock(world.keys.feePayer)),
      await serveFacilitator(await openStock((await openSolnetKeys(`${world.dir}/other`)).feePayer)),
    ]
  })
  afterEach(async () => {
    for (const server of servers) await server.close()
  })

  const openMethod = (order = [0, 1]) =>
    overX402(
      openX402Svm({
        network,
        devnet: true,
        rpc: world.solnet.rpc,
        payTo: async () => world.payTo,
        facilitator: { remotes: order.map(at => ({ url: servers[at]?.url ?? '', timeoutMs: 2_000 })) },
        refundKey: async () => world.keys.payTo,
        confirmMs: 1_000,
      }),
    )
  const readRevenue = async () => (await world.solnet.balance(world.payTo)) ?? 0n
  const toHost = (at: number) => new URL(servers[at]?.url ?? '').host

  test('are offered with the fee payer of the first, settled there, and proven on the chain', async () => {
    const before = await readRevenue()
    const method = openMethod()
    const offer = await method.offer('0.5', 'before')
    expect(offer.extra.feePayer).toBe(toAddress(world.keys.feePayer))
    const payload = await world.pay(offer, world.demo)
    expect(await method.verify(payload, offer)).toMatchObject({ ok: true })
    expect(await method.find(payload, offer)).toEqual({ state: 'unused' })
    const settlement = await method.settle(payload, offer)
    expect(settlement).toMatchObject({ state: 'settled', facilitator: toHost(0) })
    expect((await readRevenue()) - before).toBe(500_000n)
    // Another process knows nothing of it but the payment.
    expect(settlement).toMatchObject(await openMethod().find(payload, offer))
    expect(await openMethod().verify(payload, offer)).toEqual({ ok: false, reason: 'already_used' })
    expect(await openMethod().settle(payload, offer)).toMatchObject({ state: 'settled' })
    expect((await readRevenue()) - before).toBe(500_000n)
  })

  test('go only to the one that has the fee payer which was signed for', async () => {
    const second = await openMethod([1, 0]).offer('0.5', 'before')
    expect(second.extra.feePayer).not.toBe(toAddress(world.keys.feePayer))
    const offer = await openMethod().offer('0.5', 'before')
    const payload = await world.pay(offer, world.demo)
    expect(await openMethod([1, 0]).settle(payload, offer)).toMatchObject({
      state: 'settled',
      facilitator: toHost(0),
    })
    expect(servers[1]?.requests.filter(({ path }) => path === '/settle')).toEqual([])
  })

  test('are offered with the next one where the first is away', async () => {
    await servers[0]?.close()
    const offer = await openMethod().offer('0.5', 'before')
    expect(offer.extra.feePayer).not.toBe(toAddress(world.keys.feePayer))
  })

  test('are found where the answer was lost, and stay open where nothing was said', async () => {
    const stock = await openStock(world.keys.feePayer)
    const [first] = servers
    if (!first) throw new Error('no server')
    const before = await readRevenue()
    const method = openMethod()
    const offer = await method.offer('0.5', 'before')
    const silent = await world.pay(offer, world.demo)
    first.knobs.instead = (path, response) => {
      if (path === '/settle') response.destroy()
      return path === '/settle'
    }
    expect(await method.settle(silent, offer)).toEqual({ state: 'pending', transaction: '' })
    first.knobs.instead = async (path, response) => {
      const { body } = first.requests.at(-1) ?? {}
      if (path !== '/settle' || !body) return false
      await stock.settle(body.paymentPayload, body.paymentRequirements)
      response.destroy()
      return true
    }
    const payload = await world.pay(offer, world.demo)
    expect(await method.settle(payload, offer)).toMatchObject({ state: 'settled' })
    expect((await readRevenue()) - before).toBe(500_000n)
  })

  test('that one of them calls bad are good by our own look while they can land', async () => {
    const [first] = servers
    if (!first) throw new Error('no server')
    const stock = await openStock(world.keys.feePayer)
    first.knobs.instead = (path, response) => {
      if (path === '/verify')
        response.writeHead(200).end(JSON.stringify({ isValid: false, invalidReason: 'invalid_signature' }))
      return path === '/verify'
    }
    const method = openMethod()
    const offer = await method.offer('0.5', 'before')
    const payload = await world.pay(offer, world.demo)
    expect(await method.verify(payload, offer)).toMatchObject({ ok: false })
    const { scheme: _, ...terms } = offer
    const inspect = (data: object) =>
      method.method.inspect?.(
        { ...toAttempt(payload), data: { ...data } },
        { method: 'x402-svm', kind: 'svm-exact', words: '', ...terms },
      )
    expect(await inspect(payload.payload)).toMatchObject({ ok: true })
    const wire = Buffer.from(String(payload.payload.transaction), 'base64')
    // The second of the two signatures is the payer's.
    wire[1 + 64 + 5] = (wire[1 + 64 + 5] ?? 0) ^ 1
    expect(await inspect({ transaction: wire.toString('base64') })).toEqual({
      ok: false,
      reason: 'invalid_signature',
    })
    const { body } = first.requests.at(-1) ?? {}
    if (!body) throw new Error('nothing was asked')
    await stock.settle(body.paymentPayload, body.paymentRequirements)
    expect(await inspect(payload.payload)).toEqual({ ok: false, reason: 'already_used' })
  })

  test('are not believed to be settled by the signature of another payment', async () => {
    const [first] = servers
    if (!first) throw new Error('no server')
    const method = openMethod()
    const offer = await method.offer('0.5', 'before')
    const honest = await method.settle(await world.pay(offer, world.demo), offer)
    if (honest.state !== 'settled') throw new Error(honest.state)
    const before = await readRevenue()
    first.knobs.instead = (path, response) => {
      if (path !== '/settle') return false
      response.writeHead(200).end(JSON.stringify({ success: true, transaction: honest.transaction }))
      return true
    }
    expect(await method.settle(await world.pay(offer, world.demo), offer)).toMatchObject({ state: 'pending' })
    expect(await readRevenue()).toBe(before)
  })

  test('are refunded from the wallet that was paid, which then pays the fee itself', async () => {
    const method = openMethod()
    // The till of the local chain has no SOL.
    await expect(method.refund('a', toAddress(world.keys.demo), '100')).rejects.toMatchObject({
      code: 'upstream',
    })
  })
})
