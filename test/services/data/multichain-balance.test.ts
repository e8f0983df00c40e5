import { afterEach, expect, test } from 'vitest'
import { openEvm } from '../../../mcp/ports/evm/evm.ts'
import type { Evm } from '../../../mcp/ports/evm/port.ts'
import { askEachChain } from '../../../mcp/services/data/evm/each-chain.ts'
import { Quantity } from '../../../mcp/services/data/evm/quantity.ts'
import { vitalik } from '../../internet/evm.ts'
import { opened } from '../../opened.ts'
import { refused, startData } from './run.ts'

const data = opened(startData)
afterEach(() => {
  for (const node of Object.values(data.evm.nodes)) node.fail()
})

const balance = (address: string) => data.ask('multichain-balance', { address })

test('multichain-balance returns the coins of five chains, each with its own symbol', async () => {
  const eighth = { balance: '0.125', wei: '125000000000000000', symbol: 'ETH' }
  const found = await balance(vitalik)
  expect(found).toMatchObject({
    address: '0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045',
    ens: null,
    chains: {
      eth: {
        balance: '31.000000000000000005',
        wei: '31000000000000000005',
        symbol: 'ETH',
        block: 23_900_000,
      },
      base: { ...eighth, block: 38_500_000 },
      arbitrum: eighth,
      optimism: eighth,
      polygon: { ...eighth, symbol: 'POL' },
    },
    non_zero: ['eth', 'base', 'arbitrum', 'optimism', 'polygon'],
    ok_count: 5,
    failed: [],
    meta: { warnings: [] },
  })
  expect(Object.keys(found)).not.toContain('total')
  expect((found as unknown as { meta: { sources: string[] } }).meta.sources).toHaveLength(5)
})

test('multichain-balance names the chains with coins only', async () => {
  const address = `0x${'3'.repeat(40)}`
  data.evm.chains.optimism.accounts.set(address, { balance: 1n })
  expect(await balance(address)).toMatchObject({
    chains: { eth: { balance: '0', wei: '0' }, optimism: { balance: '0.000000000000000001', wei: '1' } },
    non_zero: ['optimism'],
  })
})

test('multichain-balance takes an ENS name', async () => {
  expect(await balance('vitalik.eth')).toMatchObject({ ens: 'vitalik.eth', non_zero: { length: 5 } })
})

test.each(['html', 'silent', 'too many requests', 'huge', 'hangs up'] as const)(
  'multichain-balance leaves a chain unknown whose node fails with %s',
  async fault => {
    data.evm.nodes.arbitrum.fail(fault)
    const address = `0x${Buffer.from(fault.padEnd(20, '-')).toString('hex')}`
    expect(await balance(address)).toMatchObject({
      chains: { eth: { balance: '0' }, arbitrum: { error: expect.stringContaining('Arbitrum One') } },
      non_zero: [],
      ok_count: 4,
      failed: ['arbitrum'],
      meta: { warnings: [{ code: 'chain_unknown' }] },
    })
    data.evm.nodes.arbitrum.fail()
    expect(await balance(address)).toMatchObject({ ok_count: 5, meta: { cached: false } })
  },
)

test('a chain of several has three seconds, however many silent nodes it has', async () => {
  const { evm, nodes } = data.evm
  nodes.polygon.fail('silent')
  const before = nodes.polygon.asked.length
  const secret = { reveal: () => nodes.polygon.url }
  const none = { eth: [], base: [], arbitrum: [], optimism: [] }
  const slow = openEvm({ rpc: { ...none, polygon: [secret, secret, secret, secret] } })
  const ask: Evm['ask'] = (chain, ...question) => (chain === 'polygon' ? slow : evm).ask(chain, ...question)
  const { signal } = new AbortController()
  const told = await askEachChain({ ask }, signal, chain => chain.read(Quantity, 'eth_blockNumber', []))
  expect(told).toMatchObject({ failed: ['polygon'], ok: { length: 4 } })
  expect(
    nodes.polygon.asked.slice(before).filter(method => method === 'eth_blockNumber').length,
  ).toBeLessThan(4)
})

test('multichain-balance is an outage when no chain answers', async () => {
  for (const node of Object.values(data.evm.nodes)) node.fail('server error')
  const error = await refused(balance(`0x${'4'.repeat(40)}`))
  expect(error).toMatchObject({ code: 'upstream' })
  expect(error.toProblem().retryable).toBe(true)
})

test('multichain-balance says of an address without an owner that nobody owns it', async () => {
  expect(await balance('0x000000000000000000000000000000000000dEaD')).toMatchObject({
    meta: { warnings: [{ code: 'special_address', message: expect.stringContaining('Burn address') }] },
  })
})

test('multichain-balance refuses a wrong checksum', async () => {
  expect(await refused(balance('0xD8dA6BF26964aF9D7eEd9e03E53415D37aA96045'))).toMatchObject({
    code: 'invalid_input',
  })
})
