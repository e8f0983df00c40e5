import { pad } from 'viem'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import type { EvmChain } from '../../../mcp/ports/evm/port.ts'
import { vitalik } from '../../internet/evm.ts'
import { blockHash } from '../../internet/evm-chain.ts'
import { putTransaction } from '../../internet/evm-mined.ts'
import { firstTransfer, minting } from '../../internet/evm-transactions.ts'
import { refused, startData } from './run.ts'

let data: Awaited<ReturnType<typeof startData>>
beforeAll(async () => {
  data = await startData()
})
afterAll(() => data.stop())
afterEach(() => {
  for (const node of Object.values(data.evm.nodes)) node.fail()
})

type Answer = { transfers: object[]; meta: { warnings: { code: string }[]; nextOffset: number | null } }

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
      hash,
      chain: 'eth',
      chainId: 1,
      status: 'success',
      foundOn: 'eth',
      block,
      blockHash: blockHash(1, block),
      timestamp: expect.stringMatching(/Z$/),
      confirmations: 100,
      finalized: true,
      type: '0x2',
      typeName: 'with a priority fee (EIP-1559)',
      from: '0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045',
      to: '0x5DF9B87991262F6BA471F09758CDE1c0FC1De734',
      contractCreated: null,
      nonce: 1650,
      valueNative: '1',
      valueWei: '1000000000000000000',
      symbol: 'ETH',
      gasUsed: 21_000,
      gasLimit: 21_000,
      effectiveGasPriceGwei: 1,
      feeNative: '0.000021',
      feeWei: '21000000000000',
      l1FeeNative: null,
      method: null,
      revertReason: null,
      transfers: [],
      transferCount: 0,
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
      foundOn: null,
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
      valueNative: null,
      gasLimit: null,
      gasUsed: 21_000,
    })
    const answer = await status(put({}, null).hash)
    expect(answer).toMatchObject({ status: null, block: expect.any(Number), foundOn: 'eth' })
    expect(codes(answer)).toEqual(['receipt_unknown'])
  })

  test('tells how old transactions ended whose receipts do not', async () => {
    expect(await status(firstTransfer)).toMatchObject({
      status: 'success',
      typeName: 'legacy',
      valueWei: '31337',
      feeNative: '1.05',
      finalized: true,
    })
    const old = { status: undefined, root: '0x00' }
    expect(await status(put({ gas: '0xffff' }, old).hash)).toMatchObject({ status: 'success' })
    const unclear = await status(put({ input: '0x12345678' }, old).hash)
    expect(unclear).toMatchObject({ status: null, gasUsed: 21_000 })
    expect(codes(unclear)).toEqual(['outcome_unknown'])
  })
})

describe('the chain', () => {
  test('is found without being told', async () => {
    expect(await status(minting)).toMatchObject({ chain: 'arbitrum', foundOn: 'arbitrum', status: 'success' })
  })

  test('that is told wrongly is answered for, and the right one is named', async () => {
    const answer = await status(minting, 'base')
    expect(answer).toMatchObject({ chain: 'base', status: 'not_found', foundOn: 'arbitrum', block: null })
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
    async hash => expect(await status(hash)).toMatchObject({ hash: minting, status: 'success' }),
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
