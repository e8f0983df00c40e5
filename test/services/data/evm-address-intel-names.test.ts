import type { Hex } from 'viem'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { vitalik } from '../../internet/evm.ts'
import { ensAccount, gatewayAnswer, universalResolver } from '../../internet/evm-ens.ts'
import { plainCode } from '../../internet/evm-tokens.ts'
import { refused, startData } from './run.ts'

let data: Awaited<ReturnType<typeof startData>>
beforeAll(async () => {
  data = await startData()
})
afterAll(() => data.stop())
afterEach(() => {
  for (const node of Object.values(data.evm.nodes)) node.fail()
})

const look = (address: string, chain?: string) =>
  data.ask('evm-address-intel', { address, ...(chain && { chain }) })

const checksummed = '0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045'

describe('an address', () => {
  test.each([checksummed, vitalik, vitalik.slice(2), `0x${vitalik.slice(2).toUpperCase()}`, ` ${vitalik}\n`])(
    'may be written as %j',
    async address => expect(await look(address)).toMatchObject({ address: checksummed }),
  )

  test('with a wrong checksum is refused, with the right one', async () => {
    const error = await refused(look('0xd8DA6BF26964aF9D7eEd9e03E53415D37aA96045'))
    expect(error).toMatchObject({
      code: 'invalid_input',
      message: expect.stringMatching(/EIP-55.*0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045/),
    })
    expect(error.toProblem().issues).toMatchObject([{ path: 'address' }])
  })

  test('with a wrong checksum is not answered from what is kept of the right one', async () => {
    await look(checksummed)
    await refused(look('0xD8dA6BF26964aF9D7eEd9e03E53415D37aA96045'))
  })

  test.each([
    ['0xd8dA6BF26964aF9D7eEd9e03E53415D37aA9604', 'has 39 hex digits; an address has 40'],
    [`0x${'a'.repeat(64)}`, 'has 64 hex digits, as transactions have: ask tx-status'],
    ['hello', 'must be an address'],
    ['', 'must be an address'],
    ['a b.eth', 'must be an address'],
    ['https://etherscan.io/address/0x1', 'must be an address'],
  ])('is not %j', async (address, message) => {
    const error = await refused(look(address))
    expect(error).toMatchObject({ code: 'invalid_input', message: expect.stringContaining(message) })
    expect(error.toProblem().issues).toMatchObject([{ path: 'address' }])
  })
})

describe('an ENS name', () => {
  test('leads to its address, in any case', async () => {
    expect(await look('Vitalik.ETH')).toMatchObject({
      address: checksummed,
      ens: 'vitalik.eth',
      meta: { warnings: [] },
    })
  })

  test('is read on Ethereum also for another chain, with a warning', async () => {
    expect(await look('vitalik.eth', 'base')).toMatchObject({
      address: checksummed,
      chain: 'base',
      meta: { warnings: [{ code: 'name_of_eth' }] },
    })
  })

  test.each(['nobody-has-this.eth', 'no_such_name.eth', 'a..eth', '🏴‍☠️.example.com'])(
    'that leads nowhere or is none is refused: %s',
    async name => {
      const error = await refused(look(name))
      expect(error).toMatchObject({ code: 'invalid_input' })
      expect(error.toProblem().issues).toMatchObject([{ path: 'address' }])
    },
  )

  test('of which nothing is known because the chain is silent is an outage', async () => {
    data.evm.nodes.eth.fail('server error')
    expect(await refused(look('someone.eth', 'base'))).toMatchObject({ code: 'upstream' })
  })

  test('that an address gives itself counts only if it leads back', async () => {
    const liar: Hex = `0x${'c'.repeat(40)}`
    const { accounts } = data.evm.chains.eth
    const honest = accounts.get(universalResolver)
    const forward = { 'vitalik.eth': vitalik }
    accounts.set(universalResolver, ensAccount({ forward, reverse: { [liar]: 'vitalik.eth' } }))
    expect(await look(liar)).toMatchObject({ ens: null, meta: { warnings: [] } })
    if (honest) accounts.set(universalResolver, honest)
  })

  test('is fetched from a gateway where a resolver wants that (EIP-3668)', async () => {
    const { accounts } = data.evm.chains.eth
    const honest = accounts.get(universalResolver)
    const sender = universalResolver.toLowerCase()
    const gateways = ['https://dead.example.com/{data}', 'https://example.com/ccip/{sender}.json?d={data}']
    data.internet.web.site('example.com', `/ccip/${sender}.json`, {
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ data: gatewayAnswer(vitalik) }),
    })
    const forward = {
      'jesse.base.eth': { gateways },
      'inside.base.eth': { gateways: ['http://127.0.0.1:1/{data}', 'http://10.0.0.1/{sender}'] },
    }
    accounts.set(universalResolver, ensAccount({ forward, reverse: {} }))
    expect(await look('jesse.base.eth')).toMatchObject({ address: checksummed })
    expect(await refused(look('inside.base.eth'))).toMatchObject({ code: 'upstream' })
    if (honest) accounts.set(universalResolver, honest)
  })
})

describe('a chain that does not answer', () => {
  test.each(['html', 'too many requests', 'other chain', 'broken JSON'] as const)(
    'is a retryable outage: %s',
    async fault => {
      data.evm.nodes.optimism.fail(fault)
      const error = await refused(look(`0x${'7'.repeat(40)}`, 'optimism'))
      expect(error).toMatchObject({ code: 'upstream' })
      expect(error.toProblem().retryable).toBe(true)
    },
  )

  test('about names leaves the name unknown', async () => {
    const { accounts } = data.evm.chains.eth
    const honest = accounts.get(universalResolver)
    accounts.set(universalResolver, { code: plainCode, run: () => ({ revert: '0x08c379a0' }) })
    expect(await look(`0x${'8'.repeat(40)}`)).toMatchObject({
      ens: null,
      meta: { warnings: [{ code: 'ens_unknown' }] },
    })
    if (honest) accounts.set(universalResolver, honest)
  })
})
