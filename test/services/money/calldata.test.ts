import { createWalletClient, custom, decodeFunctionResult, encodeFunctionData, type Hex } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { z } from 'zod'
import { testStock } from '../../../contracts/test-stock.ts'
import { openEvm } from '../../../mcp/ports/evm/evm.ts'
import type { Evm, EvmAnswer } from '../../../mcp/ports/evm/port.ts'
import { calldataFields } from '../../../mcp/services/money/calldata/schema.ts'
import { simulateCalls } from '../../../mcp/services/money/calldata/simulate.ts'
import { openReader } from '../../../mcp/services/money/stablecoin/reader.ts'
import { makePayer, onAnvil, openTestDevnet } from '../../payment/evm-chain.ts'
import { refusalOf } from './run.ts'

const { abi, bytecode } = testStock
const stranger: Hex = '0x00000000000000000000000000000000000000bb'
const now = new Date()

const answerWith = (answer: Partial<EvmAnswer>): EvmAnswer =>
  ({ result: null, endpoint: 'test', ...answer }) as EvmAnswer

onAnvil('the dry run of calls', () => {
  let net: Awaited<ReturnType<typeof openTestDevnet>>
  let evm: Evm
  let stock: Hex
  let payer: Awaited<ReturnType<typeof makePayer>>
  let wallet: ReturnType<typeof createWalletClient>

  beforeAll(async () => {
    net = await openTestDevnet()
    const chain = net.devnet.chain('base')
    const { rpc } = await net.devnet.network('base')
    payer = await makePayer(chain, 0n)
    const reader = await chain.reader()
    wallet = createWalletClient({ account: payer.account, transport: custom(reader) })
    const hash = await wallet.deployContract({
      abi,
      bytecode,
      args: ['Stock', 'S'],
      chain: null,
      account: payer.account,
    })
    const { contractAddress } = await reader.waitForTransactionReceipt({ hash })
    if (!contractAddress) throw new Error('nothing was deployed')
    stock = contractAddress
    evm = openEvm({
      rpc: { eth: [], base: [{ reveal: () => rpc }], arbitrum: [], optimism: [], polygon: [] },
    })
  })
  afterAll(() => net.close())

  const signal = AbortSignal.timeout(600_000)
  const calling = (functionName: 'mint' | 'transfer' | 'balanceOf', args: readonly unknown[]) => ({
    to: stock,
    data: encodeFunctionData({ abi, functionName, args } as never) as Hex,
  })
  /** A node that cannot run several calls in a row. */
  const olderEvm = (): Evm => ({
    ask: async (chain, method, params, options) =>
      method === 'eth_simulateV1'
        ? answerWith({ error: { code: -32601, message: 'Method not found', data: null } })
        : evm.ask(chain, method, params, options),
  })
  const nodes: [string, () => Evm][] = [
    ['runs calls in a row', () => evm],
    ['only answers eth_call', olderEvm],
  ]

  const run = (evm: Evm, calls: Parameters<typeof simulateCalls>[1]['calls'], more = {}) =>
    simulateCalls(openReader(evm, 'base', signal), { account: payer.address, calls, abi, now, ...more })

  test.each(nodes)('each call sees what those before it did, on a node that %s', async (_, node) => {
    const { calls, simulation, answers } = await run(
      node(),
      [calling('mint', [payer.address, 10n]), calling('transfer', [stranger, 7n])],
      { questions: [calling('balanceOf', [stranger]), { to: stock, data: '0xdeadbeef' }] },
    )
    const [balance, nothing] = answers
    expect(decodeFunctionResult({ abi, functionName: 'balanceOf', data: balance ?? '0x' })).toBe(7n)
    expect(nothing).toBeUndefined()
    expect(simulation.gas_used).toHaveLength(2)
    const answer = z.object(calldataFields(z.object({}).describe('Nothing')))
    const published = { chainId: 8453, calls, expect: {}, simulation, expires_at: now.toISOString() }
    expect(answer.parse(published)).toEqual(published)
  })

  test.each(nodes)(
    'nothing is sent, and the limits are enough to send it, on a node that %s',
    async (_, node) => {
      const reader = await net.devnet.chain('base').reader()
      const receiver = privateKeyToAccount(
        `0x${'1'.repeat(63)}${nodes.findIndex(([, one]) => one === node)}`,
      ).address
      const { calls } = await run(node(), [
        calling('mint', [payer.address, 10n]),
        calling('transfer', [receiver, 10n]),
      ])
      const balance = () =>
        reader.readContract({ address: stock, abi, functionName: 'balanceOf', args: [receiver] })
      expect(await balance()).toBe(0n)
      for (const { to, data, value, gas } of calls) {
        const hash = await wallet.sendTransaction({
          account: payer.account,
          chain: null,
          to: to as Hex,
          data: data as Hex,
          value: BigInt(value),
          gas: BigInt(gas),
        })
        expect(await reader.waitForTransactionReceipt({ hash })).toMatchObject({ status: 'success' })
      }
      expect(await balance()).toBe(10n)
    },
  )

  test.each(nodes)(
    'the first failure is named as its contract names it, on a node that %s',
    async (_, node) => {
      const calls = [calling('mint', [stranger, 1n]), calling('transfer', [stranger, 10n ** 30n])]
      expect(await refusalOf(run(node(), calls))).toMatchObject({
        code: 'conflict',
        message: expect.stringContaining('call 2 of 2 fails: ERC20InsufficientBalance(sender'),
        extra: {
          reason: 'would_revert',
          params: { call: 1, error: 'ERC20InsufficientBalance', args: { needed: String(10n ** 30n) } },
        },
      })
    },
  )

  test('a tool can say better why it fails', async () => {
    const { ToolError } = await import('../../../mcp/kernel/error.ts')
    const refuse = () => new ToolError('invalid_input', 'better')
    const failing = run(evm, [calling('transfer', [stranger, 10n ** 30n])], { refuse })
    expect(await refusalOf(failing)).toMatchObject({ code: 'invalid_input', message: 'better' })
  })

  test.each(nodes)('coins that the account has not are told of, on a node that %s', async (_, node) => {
    const failing = run(node(), [{ to: stranger, data: '0x', value: 10n ** 30n }])
    expect(await refusalOf(failing)).toMatchObject({ code: 'conflict', extra: { reason: 'would_revert' } })
    // It says nothing against the node.
    expect((await run(node(), [calling('mint', [stranger, 1n])])).simulation.ok).toBe(true)
  })

  test.each(nodes)('the calls run at the present time, on a node that %s', async (_, node) => {
    const clock = '0x00000000000000000000000000000000000c10c5'
    const anvil = (await import('../../payment/evm-chain.ts')).anvilClient(net.devnet.chain('base'))
    await (await anvil).setCode({ address: clock, bytecode: '0x4260005260206000f3' })
    const later = new Date(now.getTime() + 86_400_000)
    const { results } = await run(node(), [{ to: clock, data: '0x' }], { now: later })
    const seconds = Number(results[0]) - later.getTime() / 1000
    expect(Math.abs(seconds)).toBeLessThan(10)
  })

  const lies: [string, unknown][] = [
    ['nothing', null],
    ['no blocks', []],
    ['fewer calls', [{ calls: [] }]],
    ['a call without a state', [{ calls: [{ gasUsed: '0x1', returnData: '0x' }] }]],
    ['gas that is no number', [{ calls: [{ status: '0x1', gasUsed: 'much', returnData: '0x' }] }]],
    ['a text', 'ok'],
  ]
  test.each(lies)('a node that answers with %s is not believed', async (_, result) => {
    const liar: Evm = {
      ask: async (chain, method, params, options) =>
        method === 'eth_simulateV1' ? answerWith({ result }) : evm.ask(chain, method, params, options),
    }
    expect(await refusalOf(run(liar, [calling('mint', [stranger, 1n])]))).toMatchObject({ code: 'upstream' })
  })

  test('errors nobody knows, strings and panics are told in words', async () => {
    const { readRevertData } = await import('../../../mcp/lib/evm-revert.ts')
    expect(readRevertData([], 0, '0xdeadbeef').text).toBe('an unknown error 0xdeadbeef')
    expect(readRevertData([], 0, '0x').text).toContain('no reason')
    const panic = `0x4e487b71${'11'.padStart(64, '0')}` as const
    expect(readRevertData([], 0, panic).text).toBe('arithmetic overflow or underflow')
  })
})
