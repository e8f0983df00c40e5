import { encodeErrorResult, type Hex, numberToHex, parseAbi } from 'viem'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { EvmChain } from '../../../mcp/ports/evm/port.ts'
import { vitalik } from '../../internet/evm.ts'
import { putTransaction } from '../../internet/evm-mined.ts'
import { rpcFailure } from '../../internet/evm-node.ts'
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

const codes = ({ meta }: Answer) => meta.warnings.map(({ code }) => code)

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
    ['a hostile reason', error('Error', [`\u202e\u0000${'x'.repeat(5_000)}`]), `${'x'.repeat(99)}…`],
    ['a panic', error('Panic', [0x11n]), 'Panic 17: arithmetic overflow or underflow'],
    ['a well-known error', error('ERC20InsufficientBalance', [vitalik, 1n, 2n]), 'ERC20InsufficientBalance'],
    ['an unknown error', error('SomethingElse'), `Custom error ${error('SomethingElse')}`],
    ['no reason', '0x', 'Reverted without a reason'],
    ['a broken reason', '0x08c379a0', 'Reverted without a reason'],
  ])('is explained by %s', async (_, revert, revertReason) => {
    const { hash, done } = failing(revert)
    const answer = await status(hash)
    done()
    expect(answer).toMatchObject({
      status: 'failed',
      method: 'transfer',
      methodId: '0xa9059cbb',
      revertReason,
    })
  })

  test('that used all its gas ran out of it', async () => {
    const { hash, done } = failing(undefined, { gas: '0x5208' })
    const answer = await status(hash)
    done()
    expect(answer).toMatchObject({ status: 'failed', revertReason: expect.stringContaining('Out of gas') })
  })

  test('that does not fail again stays unexplained', async () => {
    const { hash, done } = failing(undefined)
    const answer = await status(hash)
    done()
    expect(answer).toMatchObject({ status: 'failed', revertReason: null })
    expect(codes(answer)).toEqual(['reason_unknown'])
  })
})
