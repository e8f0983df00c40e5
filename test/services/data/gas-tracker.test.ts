import { afterEach, describe, expect, test } from 'vitest'
import { type LocalChain, openLocalChain } from '../../internet/evm-chain.ts'
import { rpcFailure } from '../../internet/evm-node.ts'
import { opened } from '../../opened.ts'
import { refused, startData } from './run.ts'

const data = opened(startData)
afterEach(() => {
  for (const node of Object.values(data.evm.nodes)) node.fail()
})

type Answer = {
  chains: Record<string, object>
  meta: { warnings: { code: string }[] }
}

/** A data service of its own, so that no answer is kept from an earlier test. */
const track = async (chain: string | undefined, change: Partial<LocalChain> = {}) => {
  const own = await startData()
  try {
    if (chain && chain in own.evm.chains) Object.assign(own.evm.chains[chain as 'eth'], change)
    return (await own.ask('gas-tracker', chain ? { chain } : {})) as unknown as Answer
  } finally {
    await own.stop()
  }
}

const gwei = 1_000_000_000n

describe('gas-tracker', () => {
  test('returns prices with all their digits, as numbers of gwei and as wei', async () => {
    const tips = () => [1_000n, 1_000_000n, 50_000_001n]
    expect(await track('base', { baseFee: 1_000_252n, gasPrice: 1_500_252n, tips })).toMatchObject({
      chain: 'base',
      chain_id: 8453,
      symbol: 'ETH',
      gas_price_gwei: 0.001500252,
      base_fee_gwei: 0.001000252,
      next_base_fee_gwei: 0.001125283,
      priority_fee_gwei: { slow: 0.000001, standard: 0.001, fast: 0.050000001 },
      max_fee_gwei: { slow: 0.002251566, standard: 0.003250566, fast: 0.052250567 },
      wei: {
        gas_price: '1500252',
        base_fee: '1000252',
        next_base_fee: '1125283',
        priority_fee: { slow: '1000', standard: '1000000', fast: '50000001' },
        max_fee: { slow: '2251566', standard: '3250566', fast: '52250567' },
      },
      block: 38_500_000,
      timestamp: expect.stringMatching(/Z$/),
      blob_base_fee_gwei: null,
      chains: null,
      meta: { warnings: [] },
    })
  })

  test('asks eth unless a chain is given', async () => {
    expect(await track(undefined)).toMatchObject({ chain: 'eth', blob_base_fee_gwei: 3e-9, note: null })
  })

  test('takes the medians of the blocks that have transactions', async () => {
    const tips = (block: number) =>
      block % 4 === 0 ? undefined : [gwei, BigInt(block % 4) * gwei, 9n * gwei]
    expect(await track('eth', { tips })).toMatchObject({
      priority_fee_gwei: { slow: 1, standard: 2, fast: 9 },
    })
  })

  test('asks the node for a tip when all blocks are empty', async () => {
    expect(await track('eth', { tips: () => undefined })).toMatchObject({
      priority_fee_gwei: { slow: 0.001, standard: 0.001, fast: 0.001 },
    })
  })

  test('knows the least tip of Polygon', async () => {
    const tips = () => [gwei, 26n * gwei, 40n * gwei]
    expect(await track('polygon', { tips })).toMatchObject({
      symbol: 'POL',
      priority_fee_gwei: { slow: 25, standard: 26, fast: 40 },
    })
  })

  test('says what rollups charge besides', async () => {
    expect(await track('optimism')).toMatchObject({
      note: expect.stringContaining('L1 data fee'),
      transfer_cost: {
        gas: 21_000,
        l1_wei: '1234567',
        wei: String(21_000n * (283n + 50_000_000n) + 1_234_567n),
      },
    })
    expect(await track('arbitrum')).toMatchObject({
      note: expect.stringContaining('more gas'),
      priority_fee_gwei: { standard: 0 },
      transfer_cost: { wei: String(21_000n * 11_250_000n), l1_wei: null, native: '0.00000023625' },
    })
  })

  test('warns of a node that lags', async () => {
    const late = Math.floor(Date.now() / 1000) - 3_600
    const { meta } = await track('eth', { time: () => late })
    expect(meta.warnings).toMatchObject([{ code: 'old_block' }])
  })

  test('tells what it can where nodes know no history of fees', async () => {
    const { answer } = openLocalChain({ id: 1, head: 23_900_000 })
    const lacking = (...lacks: string[]) => ({
      answer: (method: string, params: unknown[]) => {
        if (lacks.includes(method)) throw rpcFailure(-32601, `the method ${method} does not exist`)
        return answer(method, params)
      },
    })
    expect(await track('eth', lacking('eth_feeHistory'))).toMatchObject({
      base_fee_gwei: 1,
      next_base_fee_gwei: 1,
      priority_fee_gwei: { standard: 0.001 },
    })
    const old = await track('eth', lacking('eth_feeHistory', 'eth_maxPriorityFeePerGas'))
    expect(old).toMatchObject({ gas_price_gwei: 1.5, priority_fee_gwei: null, max_fee_gwei: null })
    expect(old.meta.warnings).toMatchObject([{ code: 'tips_unknown' }])
  })

  test('refuses a chain that it does not know', async () => {
    const error = await refused(data.ask('gas-tracker', { chain: 'bitcoin' }))
    expect(error).toMatchObject({ code: 'invalid_input' })
    expect(error.toProblem().issues).toMatchObject([{ path: 'chain' }])
  })

  test('is an outage when the chain is silent', async () => {
    data.evm.nodes.eth.fail('hangs up')
    const error = await refused(data.ask('gas-tracker', { chain: 'eth' }))
    expect(error).toMatchObject({ code: 'upstream' })
    expect(error.toProblem().retryable).toBe(true)
  })
})

describe('gas-tracker all', () => {
  test('returns all chains at once', async () => {
    const { chains, ...answer } = await track('all')
    expect(Object.keys(chains)).toEqual(['eth', 'base', 'arbitrum', 'optimism', 'polygon'])
    expect(chains.polygon).toMatchObject({ chain_id: 137, symbol: 'POL', gas_price_gwei: 30.00000006 })
    expect(answer).toMatchObject({ chain: 'all', gas_price_gwei: null, ok_count: 5, failed: [] })
  })

  test('returns the others when one does not answer, and keeps that for nobody', async () => {
    data.evm.nodes.base.fail('html')
    data.evm.nodes.polygon.fail('silent')
    const { chains, ...answer } = (await data.ask('gas-tracker', { chain: 'all' })) as unknown as Answer
    expect(chains).toMatchObject({
      eth: { gas_price_gwei: 1.5 },
      base: { error: expect.stringContaining('Base does not answer') },
      polygon: { error: expect.any(String) },
    })
    expect(answer).toMatchObject({ ok_count: 3, failed: ['base', 'polygon'] })
    expect(answer.meta.warnings.map(({ code }) => code)).toEqual(['chain_unknown', 'chain_unknown'])
    data.evm.nodes.base.fail()
    data.evm.nodes.polygon.fail()
    expect(await data.ask('gas-tracker', { chain: 'all' })).toMatchObject({
      ok_count: 5,
      meta: { cached: false },
    })
  })

  test('is an outage when none answers', async () => {
    const own = await startData()
    for (const node of Object.values(own.evm.nodes)) node.fail('server error')
    const error = await refused(own.ask('gas-tracker', { chain: 'all' }))
    expect(error).toMatchObject({ code: 'upstream', message: 'None of the five chains answers just now.' })
    expect(error.toProblem().retryable).toBe(true)
    await own.stop()
  })
})
