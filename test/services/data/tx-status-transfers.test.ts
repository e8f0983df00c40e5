import { encodeAbiParameters, type Hex, pad } from 'viem'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { EvmChain } from '../../../mcp/ports/evm/port.ts'
import { vitalik } from '../../internet/evm.ts'
import { putTransaction } from '../../internet/evm-mined.ts'
import { erc20, text, word } from '../../internet/evm-tokens.ts'
import { minting } from '../../internet/evm-transactions.ts'
import { startData } from './run.ts'

let data: Awaited<ReturnType<typeof startData>>
beforeAll(async () => {
  data = await startData()
})
afterAll(() => data.stop())

type Answer = { transfers: object[]; meta: { warnings: { code: string }[]; nextOffset: number | null } }

const status = (hash: string, chain?: string, more: object = {}) =>
  data.ask('tx-status', { hash, ...(chain && { chain }), ...more }) as Promise<unknown> as Promise<Answer>

const put = (transaction?: object | null, receipt?: object | null, chain?: EvmChain) =>
  putTransaction(data.evm, transaction, receipt, chain)

describe('transfers', () => {
  const transfer = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef'
  const topic = (address: string) => pad(address as Hex, { size: 32 })
  const to = `0x${'77'.repeat(20)}`
  const sent = (address: string, value: bigint) => ({
    address,
    topics: [transfer, topic(vitalik), topic(to)],
    data: word(value),
  })

  test('of an ERC-20 are told in tokens', async () => {
    const usdc = '0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48'
    const { hash } = put({ input: '0xa9059cbb' }, { logs: [sent(usdc, 1_234_567n)] })
    expect(await status(hash)).toMatchObject({
      method: 'transfer',
      transferCount: 1,
      transfers: [
        {
          standard: 'ERC-20',
          token: '0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48',
          symbol: 'USDC',
          from: '0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045',
          to: '0x7777777777777777777777777777777777777777',
          amount: '1.234567',
          raw: '1234567',
          tokenId: null,
        },
      ],
    })
  })

  test('of a token without decimals stay raw', async () => {
    const odd = `0x${'ef'.repeat(20)}`
    data.evm.chains.eth.accounts.set(odd, erc20({ symbol: text('ODD') }))
    expect(await status(put({}, { logs: [sent(odd, 5n)] }).hash)).toMatchObject({
      transfers: [{ symbol: 'ODD', amount: null, raw: '5' }],
    })
  })

  test('of collections name the token', async () => {
    const single = '0xc3d58168c5ae7397731d063d5bbf3d657854427343f4c083240f7aacaa2d0f62'
    const batch = '0x4a39dc06d4c0dbc64b70af90fd698a233a518aa5d07e595d983b8c0526c8f7fb'
    const address = `0x${'ee'.repeat(20)}`
    const between = [topic(vitalik), topic(`0x${'0'.repeat(40)}`), topic(to)]
    const two = encodeAbiParameters([{ type: 'uint256' }, { type: 'uint256' }], [7n, 3n])
    const { hash } = put(
      {},
      {
        logs: [
          { address, topics: [transfer, topic(vitalik), topic(to), word(1_682)], data: '0x' },
          { address, topics: [single, ...between], data: two },
          { address, topics: [batch, ...between], data: '0x' },
        ],
      },
    )
    expect(await status(hash)).toMatchObject({
      transferCount: 3,
      transfers: [
        { standard: 'ERC-721', tokenId: '1682', raw: null },
        { standard: 'ERC-1155', tokenId: '7', raw: '3', from: '0x0000000000000000000000000000000000000000' },
        { standard: 'ERC-1155', tokenId: null, raw: null },
      ],
    })
  })

  test('are not read from other logs', async () => {
    const logs = [
      { address: vitalik, topics: [], data: '0x' },
      { address: vitalik, topics: [transfer], data: `0x${'00'.repeat(96)}` },
      { address: vitalik, topics: [transfer, topic(to), topic(to)], data: '0x00' },
      { address: vitalik, topics: [`0x${'8c'.repeat(32)}`, topic(to), topic(to)], data: word(1) },
    ]
    expect(await status(put({}, { logs }).hash)).toMatchObject({ transferCount: 0, transfers: [] })
  })

  test('beyond the first 200 are counted only, and the list is paged', async () => {
    const usdc = '0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48'
    const { hash } = put({}, { logs: Array.from({ length: 250 }, (_, n) => sent(usdc, BigInt(n))) })
    const answer = await status(hash)
    expect(answer).toMatchObject({
      transferCount: 250,
      transfers: { length: 200 },
      meta: { truncated: true },
    })
    const page = await status(hash, undefined, { maxTokens: 1_500 })
    expect(page.transfers.length).toBeLessThan(30)
    expect(page.meta.nextOffset).toBe(page.transfers.length)
  })
})

describe('fees and kinds', () => {
  test('hold what a rollup pays for data', async () => {
    const { hash } = put({}, { l1Fee: '0xe8d4a51000', l1GasPrice: '0x1', l1GasUsed: '0x640' }, 'optimism')
    expect(await status(hash, 'optimism')).toMatchObject({ feeNative: '0.000022', l1FeeNative: '0.000001' })
  })

  test('hold blobs', async () => {
    const { hash } = put({ type: '0x3' }, { type: '0x3', blobGasUsed: '0x20000', blobGasPrice: '0x3' })
    expect(await status(hash)).toMatchObject({ type: '0x3', feeWei: String(21_000_000_000_000n + 393_216n) })
  })

  test('of a deposit from Ethereum cost nothing', async () => {
    const deposit = {
      type: '0x7e',
      gasPrice: '0x0',
      mint: '0x0',
      sourceHash: pad('0x1', { size: 32 }),
      nonce: undefined,
    }
    const { hash } = put(
      deposit,
      { type: '0x7e', effectiveGasPrice: undefined, l1Fee: '0x0', depositNonce: '0x1' },
      'base',
    )
    expect(await status(hash, 'base')).toMatchObject({
      type: '0x7e',
      typeName: 'deposit from Ethereum (OP Stack)',
      feeNative: '0',
      nonce: null,
    })
  })

  test('of Arbitrum are read with what its nodes add', async () => {
    expect(await status(minting, 'arbitrum')).toMatchObject({
      status: 'success',
      gasUsed: 377_955,
      effectiveGasPriceGwei: 0.12273,
      l1FeeNative: null,
      methodId: '0x1249c58b',
      transfers: [{ standard: 'ERC-721', tokenId: '1682' }],
    })
  })

  test('of a creation name the contract', async () => {
    const contractAddress = '0x5fbdb2315678afecb367f032d93f642f64180aa3'
    const { hash } = put({ to: null, input: '0x6080604052' }, { to: null, contractAddress })
    expect(await status(hash)).toMatchObject({
      to: null,
      method: null,
      contractCreated: '0x5FbDB2315678afecb367f032d93F642f64180aa3',
    })
  })

  test.each(['0x4', '0x6a', '0x99'])('of type %s are no obstacle', async type => {
    expect(await status(put({ type }, { type }).hash)).toMatchObject({ status: 'success', type })
  })
})
