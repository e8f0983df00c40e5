import { type Hex, serializeErc6492Signature } from 'viem'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { atomicUnits } from '../../mcp/payment/atomic-units.ts'
import { openX402EvmDevnet } from '../../mcp/payment/methods/x402-evm/devnet.ts'
import { openX402Evm } from '../../mcp/payment/methods/x402-evm/method.ts'
import { networks } from '../../mcp/ports/chain/networks.ts'
import type { NetworkName } from '../../mcp/ports/chain/port.ts'
import { anvilClient, balanceOf, makePayer, onAnvil, openTestDevnet, pay, signTerms } from './evm-chain.ts'
import { overX402 } from './x402.ts'

test.each([
  ['0.10', 100_000n],
  ['3', 3_000_000n],
  ['0.000001', 1n],
  ['1.2500000', 1_250_000n],
])('a price of %s USD is %s atomic units', (usd, units) => expect(atomicUnits(usd, 6)).toBe(units))

test.each(['0', '0.0000001', '-1', '1e3', '', '1,5', '.5'])('refuses a price of "%s"', usd =>
  expect(() => atomicUnits(usd, 6)).toThrow(),
)

onAnvil('a payment on a local chain', () => {
  let net: Awaited<ReturnType<typeof openTestDevnet>>
  beforeAll(async () => {
    net = await openTestDevnet()
  })
  afterAll(() => net.close())

  test.each<NetworkName>(['base-sepolia', 'base', 'arbitrum'])(
    'on %s a stock client pays what is asked, to the unit',
    async name => {
      const chain = net.devnet.chain(name)
      const method = overX402(openX402EvmDevnet(net.devnet, name))
      const offer = await method.offer('0.10', 'before')
      expect(offer).toEqual({
        scheme: 'exact',
        network: networks[name].id,
        amount: '100000',
        asset: networks[name].token.address,
        payTo: expect.stringMatching(/^0x[0-9a-fA-F]{40}$/),
        maxTimeoutSeconds: 300,
        extra: { name: networks[name].token.name, version: '2', paymentFlow: 'upfront', devnet: true },
      })
      const payer = await makePayer(chain, 150_000n)
      const payload = await pay(payer.account, offer)

      expect(await method.verify(payload, offer)).toEqual({ ok: true, payer: payer.address.toLowerCase() })
      expect(await balanceOf(chain, payer.address)).toBe(150_000n)
      expect(await method.find(payload, offer)).toEqual({ state: 'unused' })

      const settlement = await method.settle(payload, offer)
      expect(settlement).toEqual({
        state: 'settled',
        transaction: expect.stringMatching(/^0x[0-9a-f]{64}$/),
        payer: payer.address.toLowerCase(),
        log: expect.stringMatching(new RegExp(`^${networks[name].id}:0x[0-9a-f]{64}:1$`)),
        fee: { amount: expect.stringMatching(/^[1-9]\d+$/), coin: 'ETH' },
      })
      expect(await balanceOf(chain, payer.address)).toBe(50_000n)
      expect(await balanceOf(chain, offer.payTo)).toBe(100_000n)
      expect(await method.find(payload, offer)).toEqual(settlement)
      expect(await method.settle(payload, offer)).toEqual(settlement)
      expect(await balanceOf(chain, offer.payTo)).toBe(100_000n)
    },
  )

  test('an offer that is settled after says nothing of the order', async () => {
    const method = overX402(openX402EvmDevnet(net.devnet, 'base-sepolia'))
    expect((await method.offer('1', 'after')).extra).toEqual({ name: 'USDC', version: '2', devnet: true })
  })

  test('the identity is that of the authorization, whatever is written around it', async () => {
    const chain = net.devnet.chain('base-sepolia')
    const method = overX402(openX402EvmDevnet(net.devnet, 'base-sepolia'))
    const offer = await method.offer('0.10', 'after')
    const { account, address } = await makePayer(chain, 0n)
    const nonce = `0x${'AB'.repeat(32)}` as const
    const payload = await signTerms(chain, account, offer, { nonce })
    const asset = networks['base-sepolia'].token.address.toLowerCase()
    const identity = `eip155:84532|${asset}|${address.toLowerCase()}|${nonce.toLowerCase()}`
    expect(method.identity(payload)).toBe(identity)
    const other = { ...payload, accepted: { ...offer, network: 'eip155:1', amount: '1' }, extensions: {} }
    expect(method.identity(other)).toBe(identity)
    expect(method.identity({ ...payload, payload: { signature: '0x00' } })).toBeUndefined()
  })

  test('a smart account pays with a signature of its own kind', async () => {
    const chain = net.devnet.chain('base-sepolia')
    const method = overX402(openX402EvmDevnet(net.devnet, 'base-sepolia'))
    const offer = await method.offer('0.20', 'before')
    const payer = await makePayer(chain, 200_000n)
    // Answers every question with the magic value of ERC-1271.
    const bytecode = '0x631626ba7e60e01b60005260206000f3'
    await (await anvilClient(chain)).setCode({ address: payer.address, bytecode })
    const original = await signTerms(chain, payer.account, offer)
    const payload = { ...original, payload: { ...original.payload, signature: `0x${'5a'.repeat(100)}` } }
    expect(await method.verify(payload, offer)).toMatchObject({ ok: true })
    expect(await method.settle(payload, offer)).toMatchObject({ state: 'settled' })
    expect(await balanceOf(chain, payer.address)).toBe(0n)
  })

  test.each([
    ['65 bytes with v = 31, as Safe signs a message', (r: string) => `${r}1f`],
    ['65 bytes with v = 1, as Safe approves a hash', (r: string) => `${r}01`],
    [
      'one that is wrapped as for an account that is not deployed',
      (r: string) =>
        serializeErc6492Signature({
          address: `0x${'12'.repeat(20)}`,
          data: '0x12345678',
          signature: `${r}1c` as Hex,
        }),
    ],
  ])('a deployed smart account pays with a signature of %s', async (_, write) => {
    const chain = net.devnet.chain('base-sepolia')
    const method = overX402(openX402EvmDevnet(net.devnet, 'base-sepolia'))
    const offer = await method.offer('0.20', 'before')
    const payer = await makePayer(chain, 200_000n)
    // Takes what is 65 bytes long, and nothing else: reverts unless calldata is of the length that an inner signature makes.
    const bytecode = '0x604435604114600d57600080fd5b631626ba7e60e01b60005260206000f3'
    await (await anvilClient(chain)).setCode({ address: payer.address, bytecode })
    const original = await signTerms(chain, payer.account, offer)
    const signature = write(`0x${'5a'.repeat(64)}`)
    const payload = { ...original, payload: { ...original.payload, signature } }
    expect(await method.verify(payload, offer)).toMatchObject({ ok: true })
    expect(await method.settle(payload, offer)).toMatchObject({ state: 'settled' })
    expect(await balanceOf(chain, payer.address)).toBe(0n)
  })

  test('a smart account that does not know the signature pays nothing', async () => {
    const chain = net.devnet.chain('base-sepolia')
    const method = overX402(openX402EvmDevnet(net.devnet, 'base-sepolia'))
    const offer = await method.offer('0.20', 'before')
    const payer = await makePayer(chain, 200_000n)
    await (await anvilClient(chain)).setCode({ address: payer.address, bytecode: '0x60006000fd' })
    const payload = await signTerms(chain, payer.account, offer)
    expect(await method.verify(payload, offer)).toMatchObject({ ok: false })
    expect(await method.settle(payload, offer)).toMatchObject({ state: 'refused' })
    expect(await balanceOf(chain, payer.address)).toBe(200_000n)
  })

  test('a refund goes back once for one id, even when asked twice at once', async () => {
    const chain = net.devnet.chain('base')
    const method = overX402(openX402EvmDevnet(net.devnet, 'base'))
    const offer = await method.offer('0.50', 'before')
    const payer = await makePayer(chain, 500_000n)
    expect(await method.settle(await pay(payer.account, offer), offer)).toMatchObject({ state: 'settled' })
    const refund = (id: string, amount = '500000') => method.refund(id, payer.address, amount)
    const [one, two] = await Promise.all([refund('r1'), refund('r1')])
    expect(two).toBe(one)
    expect(await refund('r1')).toBe(one)
    expect(await balanceOf(chain, payer.address)).toBe(500_000n)
    await expect(refund('r1', '1')).rejects.toMatchObject({ code: 'conflict' })
    expect(await refund('r2', '1')).not.toBe(one)
    expect(await balanceOf(chain, payer.address)).toBe(500_001n)
  })

  test('a refund that could not be sent may be asked for again', async () => {
    const chain = net.devnet.chain('arbitrum')
    const method = overX402(openX402EvmDevnet(net.devnet, 'arbitrum'))
    const { payTo } = await method.offer('1', 'before')
    const balance = await balanceOf(chain, payTo)
    const payer = await makePayer(chain, 7n)
    const refund = () => method.refund('r3', payer.address, String(balance + 7n))
    await expect(refund()).rejects.toMatchObject({ code: 'conflict' })
    const reader = await chain.reader()
    await reader.waitForTransactionReceipt({ hash: await payer.transfer(payTo, 7n) })
    await refund()
    expect(await balanceOf(chain, payTo)).toBe(0n)
    expect(await balanceOf(chain, payer.address)).toBe(balance + 7n)
  })

  test('a method without the key of its wallet says that it cannot refund', async () => {
    const chain = net.devnet.chain('base')
    const { payTo, facilitator } = await net.devnet.keys()
    const method = overX402(
      openX402Evm({
        chain,
        payTo: async () => (await chain.wallet(payTo)).address,
        facilitator: { key: async () => facilitator },
      }),
    )
    await expect(method.refund('x', `0x${'1'.repeat(40)}`, '1')).rejects.toMatchObject({
      code: 'unavailable',
    })
  })
})
