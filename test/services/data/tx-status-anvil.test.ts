import { type Hex, parseGwei } from 'viem'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startEthereum } from '../../internet/evm-anvil.ts'
import { onAnvil } from '../../payment/evm-chain.ts'
import { startData } from './run.ts'

const coin: Hex = '0x5FbDB2315678afecb367f032d93F642f64180aa3'
const other: Hex = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8'

onAnvil('on a real EVM', () => {
  let data: Awaited<ReturnType<typeof startData>>
  let ethereum: Awaited<ReturnType<typeof startEthereum>>
  beforeAll(async () => {
    data = await startData()
    ethereum = await startEthereum(data.evm)
    Object.assign(data.world.ports, { evm: ethereum.evm })
    await ethereum.placeToken(coin)
  })
  afterAll(async () => {
    await data.stop()
    await ethereum.stop()
  })

  const status = (hash: string) => data.ask('tx-status', { transaction_hash: hash, chain: 'eth' })

  test('a transfer of coins succeeds, at the price it paid', async () => {
    const { client, account, mined } = ethereum
    const hash = await mined(await client.sendTransaction({ to: other, value: 123n }))
    const { gasUsed, effectiveGasPrice, blockNumber, blockHash } = await client.getTransactionReceipt({
      hash,
    })
    expect(await status(hash)).toMatchObject({
      status: 'success',
      from: account.address,
      to: other,
      value_wei: '123',
      gas_used: Number(gasUsed),
      fee_wei: String(gasUsed * effectiveGasPrice),
      block: Number(blockNumber),
      block_hash: blockHash,
      confirmations: 1,
      timestamp: expect.stringMatching(/Z$/),
      meta: { warnings: [] },
    })
  })

  test('a transfer of tokens is told in tokens', async () => {
    const hash = await ethereum.mined(await ethereum.call(coin, 'transfer', [other, 1_500_000n]))
    expect(await status(hash)).toMatchObject({
      method: 'transfer',
      transfers: [{ standard: 'ERC-20', token: coin, symbol: 'USDC', amount: '1.5', to: other }],
    })
  })

  test('a failure is explained by what the contract says', async () => {
    const hash = await ethereum.mined(await ethereum.call(coin, 'transfer', [other, 10n ** 12n]))
    expect(await status(hash)).toMatchObject({
      status: 'failed',
      revert_reason: 'ERC20: transfer amount exceeds balance',
      transfers: [],
    })
  })

  test('a failure for want of gas is told from others', async () => {
    const { client, mined } = ethereum
    const bytecode: Hex = '0x5b600056'
    const loop: Hex = `0x${'11'.repeat(20)}`
    await client.setCode({ address: loop, bytecode })
    const hash = await mined(await client.sendTransaction({ to: loop, gas: 50_000n }))
    expect(await status(hash)).toMatchObject({
      status: 'failed',
      gas_used: 50_000,
      revert_reason: expect.stringContaining('Out of gas'),
    })
  })

  test('a creation names the contract', async () => {
    const { client, mined } = ethereum
    const hash = await mined(
      await client.sendTransaction({ data: '0x600a600c600039600a6000f3602a60005260206000f3' }),
    )
    const { contractAddress } = await client.getTransactionReceipt({ hash })
    const found = (await status(hash)) as unknown as { contract_created: string; to: null }
    expect(found).toMatchObject({ status: 'success', to: null, method: null })
    expect(found.contract_created.toLowerCase()).toBe(contractAddress?.toLowerCase())
  })

  test('what is not mined waits, and what was replaced never will be', async () => {
    const { client, account } = ethereum
    await client.setAutomine(false)
    const nonce = await client.getTransactionCount(account)
    const fees = (gwei: string) => ({ maxFeePerGas: parseGwei(gwei), maxPriorityFeePerGas: parseGwei(gwei) })
    const first = await client.sendTransaction({ to: other, value: 1n, nonce, ...fees('10') })
    expect(await status(first)).toMatchObject({
      status: 'pending',
      block: null,
      nonce,
      meta: { warnings: [] },
    })
    const second = await client.sendTransaction({ to: other, value: 2n, nonce, ...fees('20') })
    await client.mine({ blocks: 1 })
    expect(await status(second)).toMatchObject({ status: 'success', value_wei: '2' })
    await client.mine({ blocks: 4 })
    await client.setAutomine(true)
    const later = await data.ask('tx-status', {
      transaction_hash: second.slice(2),
      chain: 'eth',
      fields: 'confirmations',
    })
    expect(later.confirmations === 1 || later.confirmations === 5).toBe(true)
  })
})
