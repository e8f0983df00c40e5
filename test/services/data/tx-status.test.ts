import {
  encodeAbiParameters,
  encodeErrorResult,
  getAddress,
  type Hex,
  numberToHex,
  pad,
  parseAbi,
} from 'viem'
import { afterEach, describe, expect, test } from 'vitest'
import type { EvmChain } from '../../../mcp/ports/evm/port.ts'
import { vitalik } from '../../internet/evm.ts'
import { blockHash } from '../../internet/evm-chain.ts'
import { putTransaction } from '../../internet/evm-mined.ts'
import { rpcFailure } from '../../internet/evm-node.ts'
import { erc20, text, word } from '../../internet/evm-tokens.ts'
import { firstTransfer, minting } from '../../internet/evm-transactions.ts'
import { opened } from '../../opened.ts'
import { refused, startData } from './run.ts'

const data = opened(startData)

afterEach(() => {
  for (const node of Object.values(data.evm.nodes)) node.fail()
})

type Answer = { transfers: object[]; meta: { warnings: { code: string }[]; next: number | null } }

const status = (hash: string, chain?: string, more: object = {}) =>
  data.ask('tx-status', { hash, ...(chain && { chain }), ...more }) as Promise<unknown> as Promise<Answer>

const put = (transaction?: object | null, receipt?: object | null, chain?: EvmChain) =>
  putTransaction(data.evm, transaction, receipt, chain)

const codes = ({ meta }: Answer) => meta.warnings.map(({ code }) => code)
const waiting = { blockNumber: null, blockHash: null, transactionIndex: null }

describe('tx-status', () => {
  test('tells a success with its place, its parties and its cost', async () => {
    const { hash, block } = put()
    expect(await status(hash, 'eth')).toMatchObject({
      transaction_hash: hash,
      chain: 'eth',
      chain_id: 1,
      status: 'success',
      found_on: 'eth',
      block,
      block_hash: blockHash(1, block),
      timestamp: expect.stringMatching(/Z$/),
      confirmations: 100,
      finalized: true,
      type: '0x2',
      type_name: 'with a priority fee (EIP-1559)',
      from: '0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045',
      to: '0x5DF9B87991262F6BA471F09758CDE1c0FC1De734',
      contract_created: null,
      nonce: 1650,
      value_native: '1',
      value_wei: '1000000000000000000',
      symbol: 'ETH',
      gas_used: 21_000,
      gas_limit: 21_000,
      effective_gas_price_gwei: 1,
      fee_native: '0.000021',
      fee_wei: '21000000000000',
      l1_fee_native: null,
      method: null,
      revert_reason: null,
      transfers: [],
      transfer_count: 0,
      meta: { warnings: [] },
    })
  })

  test('tells a transaction that waits, and one whose number is taken', async () => {
    const { hash } = put(waiting, null)
    expect(await status(hash)).toMatchObject({
      status: 'pending',
      block: null,
      confirmations: null,
      meta: { warnings: [] },
    })
    const replaced = put({ ...waiting, nonce: '0x1' }, null)
    const answer = await status(replaced.hash)
    expect(answer).toMatchObject({ status: 'pending', nonce: 1 })
    expect(codes(answer)).toEqual(['replaced'])
  })

  test('tells what nobody knows', async () => {
    const answer = await status(`0x${'0'.repeat(63)}1`, 'base')
    expect(answer).toMatchObject({
      status: 'not_found',
      found_on: null,
      chain: 'base',
      from: null,
      meta: { warnings: [] },
    })
  })

  test('does not call that final which the chain may still undo', async () => {
    const { base } = data.evm.chains
    const { hash } = put({}, {}, 'base')
    base.finalized = base.head - 200
    expect(await status(hash, 'base')).toMatchObject({ finalized: false })
    const other = put({}, {}, 'base')
    base.finalized = undefined
    expect(await status(other.hash, 'base')).toMatchObject({ finalized: null, status: 'success' })
  })

  test('warns when another block has taken the place of its own', async () => {
    const answer = await status(put({}, { blockHash: pad('0x1234', { size: 32 }) }).hash)
    expect(answer).toMatchObject({ status: 'success', timestamp: null })
    expect(codes(answer)).toEqual(['reorganised'])
  })

  test('works with one half while no node has the other', async () => {
    expect(await status(put(null).hash)).toMatchObject({
      status: 'success',
      value_native: null,
      gas_limit: null,
      gas_used: 21_000,
    })
    const answer = await status(put({}, null).hash)
    expect(answer).toMatchObject({ status: null, block: expect.any(Number), found_on: 'eth' })
    expect(codes(answer)).toEqual(['receipt_unknown'])
  })

  test('tells how old transactions ended whose receipts do not', async () => {
    expect(await status(firstTransfer)).toMatchObject({
      status: 'success',
      type_name: 'legacy',
      value_wei: '31337',
      fee_native: '1.05',
      finalized: true,
    })
    const old = { status: undefined, root: '0x00' }
    expect(await status(put({ gas: '0xffff' }, old).hash)).toMatchObject({ status: 'success' })
    const unclear = await status(put({ input: '0x12345678' }, old).hash)
    expect(unclear).toMatchObject({ status: null, gas_used: 21_000 })
    expect(codes(unclear)).toEqual(['outcome_unknown'])
  })
})

describe('the chain', () => {
  test('is found without being told', async () => {
    expect(await status(minting)).toMatchObject({
      chain: 'arbitrum',
      found_on: 'arbitrum',
      status: 'success',
    })
  })

  test('that is told wrongly is answered for, and the right one is named', async () => {
    const answer = await status(minting, 'base')
    expect(answer).toMatchObject({ chain: 'base', status: 'not_found', found_on: 'arbitrum', block: null })
    expect(answer.meta.warnings).toMatchObject([
      { code: 'other_chain', message: expect.stringContaining('chain=arbitrum') },
    ])
  })

  test('that is silent is an outage, never a transaction that is not there', async () => {
    data.evm.nodes.base.fail('server error')
    const error = await refused(status(firstTransfer, 'base'))
    expect(error).toMatchObject({ code: 'upstream' })
    expect(error.toProblem().retryable).toBe(true)
  })

  test('that is silent hides nothing on the others, and what no other has is unknown', async () => {
    data.evm.nodes.eth.fail('server error')
    const { hash } = put({}, {}, 'polygon')
    expect(await status(hash)).toMatchObject({ chain: 'polygon', status: 'success', symbol: 'POL' })
    expect(await refused(status(`0x${'1'.repeat(64)}`))).toMatchObject({ code: 'upstream' })
  })

  test('that is silent besides is named where nothing was found', async () => {
    data.evm.nodes.polygon.fail('html')
    const answer = await status(`0x${'2'.repeat(64)}`)
    expect(answer).toMatchObject({ status: 'not_found', chain: 'eth' })
    expect(answer.meta.warnings).toMatchObject([
      { code: 'chain_unknown', message: expect.stringContaining('Polygon PoS') },
    ])
  })

  test('that answers with something else is an outage', async () => {
    const { hash } = put({ value: 'a lot' })
    expect(await refused(status(hash))).toMatchObject({ code: 'upstream' })
  })
})

describe('a hash', () => {
  test.each([minting, minting.slice(2), minting.toUpperCase(), ` ${minting} `])(
    'may be written as %j',
    async hash => expect(await status(hash)).toMatchObject({ transaction_hash: minting, status: 'success' }),
  )

  test.each([
    ['0x1234', 'has 4 hex digits; a transaction hash has 64'],
    [`${minting}0`, 'has 65 hex digits'],
    [vitalik, 'has 40 hex digits, as addresses have: ask evm-address-intel'],
    ['hello', 'must be a transaction hash'],
    [minting.replace('2', 'g'), 'must be a transaction hash'],
  ])('is not %s', async (hash, message) => {
    const error = await refused(status(hash))
    expect(error).toMatchObject({ code: 'invalid_input', message: expect.stringContaining(message) })
    expect(error.toProblem().issues).toMatchObject([{ path: 'hash' }])
  })
})

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
      transfer_count: 1,
      transfers: [
        {
          standard: 'ERC-20',
          token: '0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48',
          symbol: 'USDC',
          from: '0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045',
          to: '0x7777777777777777777777777777777777777777',
          amount: '1.234567',
          raw: '1234567',
          token_id: null,
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
      transfer_count: 3,
      transfers: [
        { standard: 'ERC-721', token_id: '1682', raw: null },
        { standard: 'ERC-1155', token_id: '7', raw: '3', from: '0x0000000000000000000000000000000000000000' },
        { standard: 'ERC-1155', token_id: null, raw: null },
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
    expect(await status(put({}, { logs }).hash)).toMatchObject({ transfer_count: 0, transfers: [] })
  })

  test('beyond the first 200 are counted only, and the list is paged', async () => {
    const usdc = '0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48'
    const { hash } = put({}, { logs: Array.from({ length: 250 }, (_, n) => sent(usdc, BigInt(n))) })
    const answer = await status(hash)
    expect(answer).toMatchObject({
      transfer_count: 250,
      transfers: { length: 200 },
      meta: { truncated: true },
    })
    const page = await status(hash, undefined, { max_tokens: 1_500 })
    expect(page.transfers.length).toBeLessThan(30)
    expect(page.meta.next).toBe(page.transfers.length)
  })
})

describe('fees and kinds', () => {
  test('hold what a rollup pays for data', async () => {
    const { hash } = put({}, { l1Fee: '0xe8d4a51000', l1GasPrice: '0x1', l1GasUsed: '0x640' }, 'optimism')
    expect(await status(hash, 'optimism')).toMatchObject({
      fee_native: '0.000022',
      l1_fee_native: '0.000001',
    })
  })

  test('hold blobs', async () => {
    const { hash } = put({ type: '0x3' }, { type: '0x3', blobGasUsed: '0x20000', blobGasPrice: '0x3' })
    expect(await status(hash)).toMatchObject({ type: '0x3', fee_wei: String(21_000_000_000_000n + 393_216n) })
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
      type_name: 'deposit from Ethereum (OP Stack)',
      fee_native: '0',
      nonce: null,
    })
  })

  test('of Arbitrum are read with what its nodes add', async () => {
    expect(await status(minting, 'arbitrum')).toMatchObject({
      status: 'success',
      gas_used: 377_955,
      effective_gas_price_gwei: 0.12273,
      l1_fee_native: null,
      method_id: '0x1249c58b',
      transfers: [{ standard: 'ERC-721', token_id: '1682' }],
    })
  })

  test('of a creation name the contract', async () => {
    const contractAddress = '0x5fbdb2315678afecb367f032d93f642f64180aa3'
    const { hash } = put({ to: null, input: '0x6080604052' }, { to: null, contractAddress })
    expect(await status(hash)).toMatchObject({
      to: null,
      method: null,
      contract_created: '0x5FbDB2315678afecb367f032d93F642f64180aa3',
    })
  })

  test.each(['0x4', '0x6a', '0x99'])('of type %s are no obstacle', async type => {
    expect(await status(put({ type }, { type }).hash)).toMatchObject({ status: 'success', type })
  })
})

describe('a failed transaction', () => {
  const failing = (revert: Hex | undefined, transaction: object = {}, receipt: object = {}) => {
    const { hash } = put(
      { gas: '0xffff', input: '0xa9059cbb', ...transaction },
      { status: '0x0', ...receipt },
    )
    const chain = data.evm.chains.eth
    const { answer } = chain
    chain.answer = (method, params) => {
      if (method !== 'eth_call') return answer(method, params)
      expect(params[1]).toBe(numberToHex(chain.head - 100))
      if (revert) throw rpcFailure(3, 'execution reverted', revert)
      return '0x'
    }
    return { hash, done: () => Object.assign(chain, { answer }) }
  }
  const abi = parseAbi([
    'error Error(string)',
    'error Panic(uint256)',
    'error ERC20InsufficientBalance(address sender, uint256 balance, uint256 needed)',
    'error SomethingElse()',
  ])
  const error = (errorName: string, args: unknown[] = []) =>
    encodeErrorResult({ abi, errorName, args } as never)

  test.each<[string, Hex, string]>([
    [
      'a reason',
      error('Error', ['ERC20: transfer amount exceeds balance']),
      'ERC20: transfer amount exceeds balance',
    ],
    ['a hostile reason', error('Error', [`\u202e\u0000${'x'.repeat(5_000)}`]), `${'x'.repeat(199)}…`],
    ['a panic', error('Panic', [0x11n]), 'arithmetic overflow or underflow'],
    [
      'a well-known error',
      error('ERC20InsufficientBalance', [vitalik, 1n, 2n]),
      `ERC20InsufficientBalance(sender ${getAddress(vitalik)}, balance 1, needed 2)`,
    ],
    ['an unknown error', error('SomethingElse'), `an unknown error ${error('SomethingElse')}`],
    ['no reason', '0x', 'Reverted without a reason'],
    ['a broken reason', '0x08c379a0', 'an unknown error 0x08c379a0'],
  ])('is explained by %s', async (_, revert, revertReason) => {
    const { hash, done } = failing(revert)
    const answer = await status(hash)
    done()
    expect(answer).toMatchObject({
      status: 'failed',
      method: 'transfer',
      method_id: '0xa9059cbb',
      revert_reason: revertReason,
    })
  })

  test('that used all its gas ran out of it', async () => {
    const { hash, done } = failing(undefined, { gas: '0x5208' })
    const answer = await status(hash)
    done()
    expect(answer).toMatchObject({ status: 'failed', revert_reason: expect.stringContaining('Out of gas') })
  })

  test('that does not fail again stays unexplained', async () => {
    const { hash, done } = failing(undefined)
    const answer = await status(hash)
    done()
    expect(answer).toMatchObject({ status: 'failed', revert_reason: null })
    expect(codes(answer)).toEqual(['reason_unknown'])
  })
})
