import { encodeFunctionData, type Hex } from 'viem'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { testUsdc } from '../../contracts/test-usdc.ts'
import { openX402EvmDevnet } from '../../mcp/payment/methods/x402-evm/devnet.ts'
import { type TransferClaim, verifyTransfer } from '../../mcp/payment/transfers/prove.ts'
import type { Chain } from '../../mcp/ports/chain/port.ts'
import { abi, anvilClient, makePayer, onAnvil, openTestDevnet, pay } from './evm-chain.ts'
import { overX402 } from './x402.ts'

onAnvil('a payment claimed by its transaction hash', () => {
  const to = '0x00000000000000000000000000000000000ca7ca' as Hex
  let net: Awaited<ReturnType<typeof openTestDevnet>>
  let chain: Chain
  let payer: Awaited<ReturnType<typeof makePayer>>

  beforeAll(async () => {
    net = await openTestDevnet()
    chain = net.devnet.chain('base')
    payer = await makePayer(chain, 50_000_000n)
  })
  afterAll(() => net.close())

  const waitUntilMined = async (promise: Promise<Hex>): Promise<Hex> => {
    const hash = await promise
    await (await chain.reader()).waitForTransactionReceipt({ hash })
    return hash
  }
  const claim = (hash: string, more: Partial<TransferClaim> = {}) =>
    verifyTransfer({ network: chain, hash, min: 100_000n, to, confirmations: 1, ...more })
  const never = { code: 'invalid_input', extra: { issues: [{ path: 'hash' }] } }
  const says = (message: RegExp) => ({ ...never, message: expect.stringMatching(message) })

  test('is proven with its payer, its amount and the name of its log', async () => {
    const hash = await waitUntilMined(payer.transfer(to, 100_000n))
    expect(await claim(hash.toUpperCase().replace('0X', '0x'))).toEqual({
      log: `eip155:8453:${hash}:0`,
      payer: payer.address.toLowerCase(),
      amount: 100_000n,
      network: 'eip155:8453',
      transaction: hash,
      block: expect.any(BigInt),
      at: expect.any(Date),
      confirmations: 1,
      also: [],
    })
  })

  test('waits for four confirmations where four are asked', async () => {
    const hash = await waitUntilMined(payer.transfer(to, 100_000n))
    const early: unknown = await claim(hash, { confirmations: 4 }).catch(error => error)
    expect(early).toMatchObject({ code: 'conflict', extra: { retryAfter: 6 } })
    expect((early as Error).message).toContain('1 of 4')
    await (await anvilClient(chain)).mine({ blocks: 3 })
    expect(await claim(hash, { confirmations: 4 })).toMatchObject({ confirmations: 4 })
  })

  test.each(['', '0x12', `0x${'1'.repeat(63)}g`, `${'1'.repeat(66)}`, `0x${'1'.repeat(64)}\n`])(
    'refuses "%s" as a hash',
    async hash => expect(claim(hash)).rejects.toMatchObject(never),
  )

  test('of an unknown transaction may be tried again', async () => {
    await expect(claim(`0x${'1'.repeat(64)}`)).rejects.toMatchObject({
      code: 'not_found',
      extra: { retryAfter: expect.any(Number) },
    })
  })

  test('of a transaction that is not mined yet may be tried again', async () => {
    const anvil = await anvilClient(chain)
    await anvil.setAutomine(false)
    const hash = await payer.transfer(to, 100_000n)
    await expect(claim(hash)).rejects.toMatchObject({ code: 'not_found', extra: { retryAfter: 2 } })
    await anvil.mine({ blocks: 1 })
    await anvil.setAutomine(true)
    expect(await claim(hash)).toMatchObject({ amount: 100_000n })
  })

  test('is refused when the transaction was reverted', async () => {
    const data = encodeFunctionData({ abi, functionName: 'transfer', args: [to, 10n ** 15n] })
    const wallet = await chain.wallet((await net.devnet.keys()).demo)
    const hash = await waitUntilMined(wallet.send({ to: chain.network.token.address, data, gas: 100_000n }))
    await expect(claim(hash)).rejects.toMatchObject(says(/reverted/))
  })

  test('is refused when another token tells of the same transfer', async () => {
    const token = '0x00000000000000000000000000000000000fa4e0'
    await (await anvilClient(chain)).setCode({ address: token, bytecode: testUsdc.deployedBytecode })
    await waitUntilMined(
      payer.send(encodeFunctionData({ abi, functionName: 'mint', args: [payer.address, 10n ** 9n] }), token),
    )
    await expect(claim(await waitUntilMined(payer.transfer(to, 100_000n, token)))).rejects.toMatchObject(
      says(/another token/),
    )
  })

  test('is refused when it pays another recipient, too little, or nothing', async () => {
    const other = '0x00000000000000000000000000000000000ca7cb'
    await expect(claim(await waitUntilMined(payer.transfer(other, 100_000n)))).rejects.toMatchObject(
      says(/another recipient/),
    )
    await expect(claim(await waitUntilMined(payer.transfer(to, 99_999n)))).rejects.toMatchObject(
      says(/too little/),
    )
    const approve = encodeFunctionData({ abi, functionName: 'approve', args: [to, 100_000n] })
    await expect(claim(await waitUntilMined(payer.send(approve)))).rejects.toMatchObject(says(/no tokens/))
  })

  test('is refused when the tokens were minted: nobody paid them', async () => {
    const mint = encodeFunctionData({ abi, functionName: 'mint', args: [to, 100_000n] })
    await expect(claim(await waitUntilMined(payer.send(mint)))).rejects.toMatchObject(says(/no tokens/))
  })

  test('is refused when it is older than what it shall pay', async () => {
    const hash = await waitUntilMined(payer.transfer(to, 100_000n))
    const { at } = await claim(hash)
    expect(await claim(hash, { notBefore: at })).toMatchObject({ amount: 100_000n })
    await expect(claim(hash, { notBefore: new Date(at.getTime() + 1_000) })).rejects.toMatchObject(
      says(/too old/),
    )
  })

  test('has the same name as the x402 settlement that made the transfer', async () => {
    const method = overX402(openX402EvmDevnet(net.devnet, 'base'))
    const offer = await method.offer('0.10', 'before')
    const settlement = await method.settle(await pay(payer.account, offer), offer)
    if (settlement.state !== 'settled') throw new Error(settlement.state)
    expect(await claim(settlement.transaction, { to: offer.payTo })).toMatchObject({
      log: settlement.log,
      payer: payer.address.toLowerCase(),
    })
  })

  test('is among what came to the till, once, beside what belongs to no call', async () => {
    const method = openX402EvmDevnet(net.devnet, 'base')
    const sold = overX402(method)
    const offer = await sold.offer('0.10', 'before')
    const before = await method.incoming?.(undefined)
    const settlement = await sold.settle(await pay(payer.account, offer), offer)
    const plain = await waitUntilMined(payer.transfer(offer.payTo as Hex, 7n))
    await waitUntilMined(payer.transfer(to, 9n))
    const after = await method.incoming?.(before?.upTo)
    const payerAddress = payer.address.toLowerCase()
    expect(after?.transfers).toMatchObject([
      { log: (settlement as { log: string }).log, payer: payerAddress, amount: '100000' },
      { log: `eip155:8453:${plain}:0`, payer: payerAddress, amount: '7', payTo: offer.payTo },
    ])
    expect((await method.incoming?.(after?.upTo))?.transfers).toEqual([])
  })

  test('an order number behind the call does no harm', async () => {
    const call = encodeFunctionData({ abi, functionName: 'transfer', args: [to, 100_000n] })
    expect(await claim(await waitUntilMined(payer.send(`${call}${'ab'.repeat(16)}`)))).toMatchObject({
      amount: 100_000n,
    })
  })

  // These two rewind the chain, so they come last.
  test('is gone when the chain goes back behind it', async () => {
    const anvil = await anvilClient(chain)
    const before = await anvil.snapshot()
    const hash = await waitUntilMined(payer.transfer(to, 100_000n))
    expect(await claim(hash)).toMatchObject({ amount: 100_000n })
    await anvil.revert({ id: before })
    await expect(claim(hash)).rejects.toMatchObject({ code: 'not_found', extra: { retryAfter: 2 } })
  })

  test('is gone when its block was reordered away', async () => {
    const anvil = await anvilClient(chain)
    const hash = await waitUntilMined(payer.transfer(to, 100_000n))
    await anvil.mine({ blocks: 1 })
    expect(await claim(hash, { confirmations: 2 })).toMatchObject({ confirmations: 2 })
    await anvil.request({ method: 'anvil_reorg', params: [3, []] } as never)
    await expect(claim(hash)).rejects.toMatchObject({ code: 'not_found', extra: { retryAfter: 2 } })
  })
})
