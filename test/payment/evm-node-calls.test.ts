import { createTestClient, http } from 'viem'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { openX402Evm } from '../../mcp/payment/methods/x402-evm/method.ts'
import { openChain } from '../../mcp/ports/chain/chain.ts'
import { networks } from '../../mcp/ports/chain/networks.ts'
import type { Chain } from '../../mcp/ports/chain/port.ts'
import { balanceOf, makePayer, onAnvil, openTestDevnet, pay } from './evm-chain.ts'
import { openRpcProxy } from './rpc-proxy.ts'
import { type Requirements as Offer, overX402, type X402Method } from './x402.ts'

onAnvil('the node behind payments', () => {
  let net: Awaited<ReturnType<typeof openTestDevnet>>
  let direct: Chain
  let proxy: Awaited<ReturnType<typeof openRpcProxy>>
  let method: X402Method
  let offer: Offer

  beforeAll(async () => {
    net = await openTestDevnet()
    direct = net.devnet.chain('base')
    await direct.reader()
    proxy = await openRpcProxy((await net.devnet.network('base')).rpc)
    const chain = openChain({ network: networks.base, rpc: proxy.url, devnet: true })
    const keys = await net.devnet.keys()
    method = overX402(
      openX402Evm({
        chain,
        payTo: async () => (await chain.wallet(keys.payTo)).address,
        facilitator: { key: async () => keys.facilitator },
        confirmMs: 5_000,
      }),
    )
    offer = await method.offer('0.10', 'before')
  })
  afterEach(() => {
    proxy.knobs.interfere = () => undefined
    proxy.take()
  })
  afterAll(async () => {
    await proxy.close()
    await net.close()
  })

  const readRevenue = () => balanceOf(direct, offer.payTo)
  const payment = async () => pay((await makePayer(direct, 100_000n)).account, offer)

  test('is asked seven times for a payment, and six times for the next one', async () => {
    const payloads = [await payment(), await payment()]
    for (const [index, payload] of payloads.entries()) {
      expect(await method.verify(payload, offer)).toMatchObject({ ok: true })
      expect(await method.settle(payload, offer)).toMatchObject({ state: 'settled' })
      expect(proxy.take().sort()).toEqual([
        'eth_call',
        'eth_estimateGas',
        ...(index === 0 ? ['eth_feeHistory'] : []),
        'eth_getCode',
        'eth_getTransactionCount',
        'eth_getTransactionReceipt',
        'eth_sendRawTransaction',
      ])
    }
  })

  test.each([
    [-32003, 'replacement transaction underpriced'],
    [-32000, 'nonce too low: next nonce 7, tx nonce 6'],
    [-32010, 'OldNonce, current nonce 7'],
  ])('a broadcast that is refused with %i %s goes out under a fresh number', async (code, message) => {
    const before = await readRevenue()
    const payload = await payment()
    let refusals = 3
    proxy.knobs.interfere = ({ method }) =>
      method === 'eth_sendRawTransaction' && refusals-- > 0 ? { error: { code, message } } : undefined
    expect(await method.settle(payload, offer)).toMatchObject({ state: 'settled' })
    expect(proxy.take().filter(name => name === 'eth_sendRawTransaction')).toHaveLength(4)
    expect((await readRevenue()) - before).toBe(100_000n)
  })

  test('a node that lags behind its own pool takes no number twice', async () => {
    const anvil = createTestClient({ mode: 'anvil', transport: http((await net.devnet.network('base')).rpc) })
    const payloads = await Promise.all([payment(), payment(), payment()])
    const before = await readRevenue()
    await anvil.setAutomine(false)
    const { address } = await direct.wallet((await net.devnet.keys()).facilitator)
    const nonce = await (await direct.reader()).getTransactionCount({ address })
    proxy.knobs.interfere = ({ method }) =>
      method === 'eth_getTransactionCount' ? { result: `0x${nonce.toString(16)}` } : undefined
    const settling = Promise.all(payloads.map(payload => method.settle(payload, offer)))
    await expect.poll(async () => Number((await anvil.getTxpoolStatus()).pending)).toBe(3)
    await anvil.setAutomine(true)
    await anvil.mine({ blocks: 1 })
    expect((await settling).map(({ state }) => state)).toEqual(Array(3).fill('settled'))
    expect((await readRevenue()) - before).toBe(300_000n)
  })

  test('what another transaction of the same account has pushed aside is sent again', async () => {
    const { rpc } = await net.devnet.network('base')
    const anvil = createTestClient({ mode: 'anvil', transport: http(rpc) })
    const [payload, rival] = await Promise.all([payment(), payment()])
    const before = await readRevenue()
    await anvil.setAutomine(false)
    const settling = method.settle(payload, offer)
    await expect.poll(async () => Number((await anvil.getTxpoolStatus()).pending)).toBe(1)
    // Another program with the same key took the same number and pays more: the first one is gone.
    const { pending } = await anvil.getTxpoolContent()
    const [hash] = Object.values(pending).flatMap(own => Object.values(own).map(({ hash }) => hash))
    if (!hash) throw new Error('nothing was sent')
    await anvil.dropTransaction({ hash })
    const elsewhere = openX402Evm({
      chain: openChain({ network: networks.base, rpc, devnet: true }),
      payTo: async () => offer.payTo as `0x${string}`,
      facilitator: { key: async () => (await net.devnet.keys()).facilitator },
      confirmMs: 5_000,
    })
    const other = overX402(elsewhere).settle(rival, offer)
    await expect.poll(async () => Number((await anvil.getTxpoolStatus()).pending)).toBe(1)
    await anvil.setAutomine(true)
    await anvil.mine({ blocks: 1 })
    expect(await other).toMatchObject({ state: 'settled' })
    expect(await settling).toMatchObject({ state: 'settled' })
    expect((await readRevenue()) - before).toBe(200_000n)
  })

  test('a node that fails during the check says nothing about the payment', async () => {
    const payload = await payment()
    proxy.knobs.interfere = ({ method }) => (method === 'eth_call' ? 'broken' : undefined)
    await expect(method.verify(payload, offer)).rejects.toMatchObject({ code: 'upstream' })
  })

  test('a plain transfer is not sent a second time under another number', async () => {
    const chain = openChain({ network: networks.base, rpc: proxy.url, devnet: true })
    const wallet = await chain.wallet((await net.devnet.keys()).payTo)
    proxy.knobs.interfere = ({ method }) =>
      method === 'eth_sendRawTransaction' ? { error: { code: -32000, message: 'nonce too low' } } : undefined
    await expect(wallet.send({ to: offer.payTo as `0x${string}`, data: '0x' })).rejects.toThrow(/nonce/i)
    expect(proxy.take().filter(name => name === 'eth_sendRawTransaction')).toHaveLength(1)
  })
})
