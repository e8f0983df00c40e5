import {
  type Abi,
  createTestClient,
  encodeAbiParameters,
  encodeDeployData,
  encodeFunctionData,
  type Hex,
  http,
  keccak256,
  publicActions,
  toHex,
  walletActions,
  zeroAddress,
} from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { stablecoinBridge } from '../../contracts/stablecoin-bridge.ts'
import { testMessageTransmitter } from '../../contracts/test-message-transmitter.ts'
import { testTokenMessenger } from '../../contracts/test-token-messenger.ts'
import { testUsdc } from '../../contracts/test-usdc.ts'
import { type HeaderFields, proveReceipt, type ReceiptFields } from '../../mcp/lib/receipt-proof.ts'
import { startAnvil } from '../../mcp/ports/devnet/anvil.ts'
import { findAnvil } from '../../mcp/ports/devnet/binary.ts'
import { purseOf, withoutReferrer } from '../../mcp/services/money/bridge/route-argument.ts'
import { anvilBinary, onAnvil } from '../payment/evm-chain.ts'

const operator = privateKeyToAccount(generatePrivateKey())
const payer = privateKeyToAccount(generatePrivateKey())
const chainId = 31_337
const terms = { minAmount: 0n, ...withoutReferrer }

onAnvil('payments that a stranger carried to the token first, on a chain', () => {
  const start = async () => {
    const anvil = await startAnvil(await findAnvil(anvilBinary), chainId)
    const client = createTestClient({ mode: 'anvil', transport: http(anvil.rpc), account: operator })
      .extend(publicActions)
      .extend(walletActions)
    await client.setBalance({ address: operator.address, value: 10n ** 20n })

    const receiptOf = (hash: Hex) => client.waitForTransactionReceipt({ hash })
    const send = (to: Hex | null, data: Hex, nonce?: number) =>
      client.sendTransaction({
        chain: null,
        to,
        data,
        gas: 6_000_000n,
        ...(nonce === undefined ? {} : { nonce }),
      })
    const deploy = async (artifact: { abi: Abi; bytecode: Hex }, args: readonly unknown[] = []) => {
      const data = encodeDeployData({ ...artifact, args } as Parameters<typeof encodeDeployData>[0])
      const { contractAddress } = await receiptOf(await send(null, data))
      return contractAddress ?? zeroAddress
    }
    const call = async (to: Hex, abi: Abi, functionName: string, args: readonly unknown[]) =>
      receiptOf(await send(to, encodeFunctionData({ abi, functionName, args })))

    const usdc = await deploy(testUsdc)
    const transmitter = await deploy(testMessageTransmitter)
    const messenger = await deploy(testTokenMessenger)
    await call(usdc, testUsdc.abi, 'initialize', ['USD Coin'])
    await call(transmitter, testMessageTransmitter.abi, 'initialize', [6, operator.address])
    await call(messenger, testTokenMessenger.abi, 'initialize', [transmitter, usdc])
    const lane = await deploy(stablecoinBridge, [
      operator.address,
      usdc,
      messenger,
      zeroAddress,
      26,
      300n,
      100_000n,
    ])
    await call(lane, stablecoinBridge.abi, 'setRelayer', [operator.address, true])
    await call(usdc, testUsdc.abi, 'mint', [payer.address, 10_000_000n])
    return { anvil, client, send, receiptOf, call, usdc, lane }
  }
  let chain: Awaited<ReturnType<typeof start>>
  beforeAll(async () => {
    chain = await start()
  })
  afterAll(() => chain?.anvil.stop())

  const overtaking = async (value: bigint, nonce: Hex): Promise<Hex> => {
    const message = {
      from: payer.address,
      to: purseOf(chain.lane, chain.usdc, terms),
      value,
      validAfter: 0n,
      validBefore: 2n ** 40n,
      nonce,
    }
    const address = (name: string) => ({ name, type: 'address' }) as const
    const number = (name: string) => ({ name, type: 'uint256' }) as const
    const signature = await payer.signTypedData({
      domain: { name: 'USD Coin', version: '2', chainId, verifyingContract: chain.usdc },
      primaryType: 'TransferWithAuthorization',
      types: {
        TransferWithAuthorization: [
          address('from'),
          address('to'),
          number('value'),
          number('validAfter'),
          number('validBefore'),
          { name: 'nonce', type: 'bytes32' },
        ],
      },
      message,
    })
    const { from, to, validAfter, validBefore } = message
    return encodeFunctionData({
      abi: testUsdc.abi,
      functionName: 'transferWithAuthorization',
      args: [from, to, value, validAfter, validBefore, nonce, signature],
    })
  }

  /** One block of this many transactions, of which the one at `index` carries the payment. */
  const blockWith = async (transactions: number, index: number, value: bigint, nonce: Hex) => {
    const { client, send, usdc } = chain
    const carried = await overtaking(value, nonce)
    const other = encodeFunctionData({
      abi: testUsdc.abi,
      functionName: 'mint',
      args: [operator.address, 1n],
    })
    const first = await client.getTransactionCount({ address: operator.address })
    await client.setAutomine(false)
    for (let i = 0; i < transactions; i++) await send(usdc, i === index ? carried : other, first + i)
    await client.mine({ blocks: 1 })
    await client.setAutomine(true)
    const block = (await client.request({
      method: 'eth_getBlockByNumber',
      params: ['latest', false],
    } as never)) as HeaderFields
    const receipts = (await client.request({
      method: 'eth_getBlockReceipts',
      params: [block.number],
    } as never)) as ReceiptFields[]
    expect(receipts.length).toBe(transactions)
    // A call runs in the latest block, which does not know its own hash.
    await client.mine({ blocks: 1 })
    return { block, receipts }
  }

  const finish = (nonce: Hex, value: bigint, proof: object, amount = value) =>
    chain.client.simulateContract({
      address: chain.lane,
      abi: stablecoinBridge.abi,
      functionName: 'finish',
      args: [
        payer.address,
        nonce,
        value,
        {
          terms,
          amount,
          maxFee: 0n,
          minFinality: 2000,
          hookData: '0x',
          signedQuote: '0x',
        },
        { log: 0n, ...proof } as never,
      ],
    })

  test.each([
    [1, 0],
    [2, 0],
    [17, 16],
    [130, 0],
    [130, 127],
    [130, 129],
  ])('in a block of %i transactions, the one at %i is proved and finished', async (transactions, index) => {
    const nonce = keccak256(toHex(`${transactions} ${index}`))
    const { block, receipts } = await blockWith(transactions, index, 1_000_000n, nonce)
    const proof = proveReceipt(block, receipts, index)
    expect(proof).toBeDefined()
    const neighbour = proveReceipt(block, receipts, (index + 1) % transactions)
    if (transactions > 1)
      await expect(finish(nonce, 1_000_000n, { ...neighbour })).rejects.toThrow('NotDelivered')
    await expect(finish(nonce, 1_000_001n, { ...proof }, 1_000_000n)).rejects.toThrow('NotDelivered')
    const { request } = await finish(nonce, 1_000_000n, { ...proof })
    const { status } = await chain.receiptOf(
      await chain.client.writeContract({ ...request, chain: null } as never),
    )
    expect(status).toBe('success')
    const key = keccak256(
      encodeAbiParameters([{ type: 'address' }, { type: 'bytes32' }], [payer.address, nonce]),
    )
    const bridged = await chain.client.readContract({
      address: chain.lane,
      abi: stablecoinBridge.abi,
      functionName: 'bridged',
      args: [key],
    })
    expect(bridged).toBe(true)
  })

  test('nothing is proved with receipts of another block', async () => {
    const one = await blockWith(2, 0, 1n, keccak256('0x01'))
    const two = await blockWith(2, 1, 1n, keccak256('0x02'))
    expect(proveReceipt(one.block, two.receipts, 0)).toBeUndefined()
    expect(proveReceipt({ ...one.block, number: '0x1' }, one.receipts, 0)).toBeUndefined()
  })
})
