import { type Hex, pad } from 'viem'
import { afterEach, describe, expect, test } from 'vitest'
import type { EvmChain } from '../../../mcp/ports/evm/port.ts'
import { proxyCode, vitalik } from '../../internet/evm.ts'
import type { LocalAccount } from '../../internet/evm-chain.ts'
import { ensAccount, gatewayAnswer, universalResolver } from '../../internet/evm-ens.ts'
import { collection, erc20, plainCode, text, word } from '../../internet/evm-tokens.ts'
import { opened } from '../../opened.ts'
import { refused, startData } from './run.ts'

const data = opened(startData)

afterEach(() => {
  for (const node of Object.values(data.evm.nodes)) node.fail()
})

const look = (address: string, chain?: string) =>
  data.ask('evm-address-intel', { address, ...(chain && { chain }) })

let made = 0

/** Puts an account at an address that nothing was asked about yet. */
const put = (account: LocalAccount, chain: EvmChain = 'eth'): Hex => {
  made++
  const address: Hex = `0x${made.toString(16).padStart(40, 'ab')}`
  data.evm.chains[chain].accounts.set(address, account)
  return address
}

const checksummed = '0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045'
const implementation = '0xa2327a938Febf5FEC13baCFb16Ae10EcBc4cbDCF'
const slotWord = pad(implementation.toLowerCase() as Hex, { size: 32 })

describe('evm-address-intel', () => {
  test('tells a wallet, with its coins, its count of transactions and its name', async () => {
    expect(await look(vitalik)).toMatchObject({
      address: checksummed,
      chain: 'eth',
      chain_id: 1,
      type: 'wallet',
      is_contract: false,
      bytecode_size: 0,
      balance: { wei: '31000000000000000005', formatted: '31.000000000000000005', symbol: 'ETH' },
      nonce: 1650,
      delegated_to: null,
      proxy: null,
      token: null,
      ens: 'vitalik.eth',
      label: null,
      flags: [],
      block: 23_900_000,
      meta: { warnings: [], sources: [`rpc:${new URL(data.evm.nodes.eth.url).host}`] },
    })
  })

  test('reads one chain, under any of its names', async () => {
    for (const chain of ['polygon', 'Matic', '137', 'eip155:137', 'chain=polygon', 'on polygon'])
      expect(await look(vitalik, chain)).toMatchObject({
        chain: 'polygon',
        chain_id: 137,
        balance: { formatted: '0.125', symbol: 'POL' },
        ens: null,
      })
    expect(await refused(look(vitalik, 'solana'))).toMatchObject({ code: 'invalid_input' })
  })

  test('takes a wallet with delegated code for a wallet (EIP-7702)', async () => {
    const code: Hex = `0xef0100${implementation.slice(2).toLowerCase()}`
    const address = put({ code, nonce: 7, calls: { '0x06fdde03': text('Not a token') } })
    expect(await look(address)).toMatchObject({
      type: 'delegated-wallet',
      is_contract: false,
      delegated_to: implementation,
      bytecode_size: 23,
      proxy: null,
      token: null,
    })
  })

  test('says of an address that nobody used that it is unused', async () => {
    expect(await look(`0x${'5'.repeat(40)}`)).toMatchObject({ type: 'wallet', flags: ['unused'] })
  })

  test.each<[string, string, string, string[]]>([
    ['0x0000000000000000000000000000000000000000', 'wallet', 'Zero address', ['zero_address', 'unused']],
    ['0x000000000000000000000000000000000000dEaD', 'wallet', 'Burn address', ['burn_address', 'unused']],
    [
      '0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE',
      'wallet',
      'Placeholder for the native coin; nobody has its key',
      ['native_placeholder', 'unused'],
    ],
    ['0x0000000000000000000000000000000000000001', 'precompile', 'ECRECOVER', []],
    ['0x0000000000000000000000000000000000000100', 'precompile', 'P-256 signature verification', []],
  ])('knows %s', async (address, type, label, flags) => {
    expect(await look(address)).toMatchObject({ type, label, flags, is_contract: false })
  })

  test('knows what chains begin with', async () => {
    expect(await look('0x4200000000000000000000000000000000000006', 'base')).toMatchObject({
      type: 'contract',
      label: 'OP Stack WETH',
      flags: ['predeploy'],
      token: { standard: 'ERC-20', symbol: 'WETH', decimals: 18 },
    })
    expect(await look('0x4200000000000000000000000000000000000006', 'arbitrum')).toMatchObject({
      label: null,
    })
    expect(await look('0x0000000000000000000000000000000000000064', 'arbitrum')).toMatchObject({
      type: 'precompile',
      label: 'ArbSys',
    })
    expect(await look('0x0000000000000000000000000000000000000064', 'base')).toMatchObject({ label: null })
    expect(await look('0x0000000000000000000000000000000000001010', 'polygon')).toMatchObject({
      label: 'Native POL as a token',
    })
  })

  test('takes a quick look at tokens and collections', async () => {
    const token = { decimals: word(6), symbol: text('TOK'), name: text('Token'), totalSupply: word(1) }
    expect(await look(put(erc20(token)))).toMatchObject({
      token: { standard: 'ERC-20', name: 'Token', symbol: 'TOK', decimals: 6 },
    })
    expect(await look(put(collection('80ac58cd', 'Apes', 'APE')))).toMatchObject({
      token: { standard: 'ERC-721', name: 'Apes', decimals: null },
    })
    expect(await look(put(collection('d9b67a26', 'Items', 'ITM')))).toMatchObject({
      token: { standard: 'ERC-1155', symbol: 'ITM' },
    })
  })

  test('takes no contract that says yes to everything for a collection', async () => {
    const address = put({ code: plainCode, run: () => word(1) })
    expect(await look(address)).toMatchObject({ type: 'contract', token: { standard: 'ERC-20', name: null } })
  })
})

describe('a proxy', () => {
  const slots = {
    eip1967: '0x360894a13ba1a3210667c828492db98dca3e2076cc3735a920a3ca505d382bbc',
    eip1822: '0xc5f16f0fcc639fa48a6947836d9850f504798523bf8c9a3a87d5876cf622bcf7',
    'oz-legacy': '0x7050c9e0f4ca769c69bd3a8ef740bc37934f8e2c036e5a723fd8ee048ed3f8c3',
  }
  test.each(Object.entries(slots))('of kind %s is found by its slot', async (kind, slot) => {
    const address = put({ code: proxyCode, storage: { [slot]: slotWord } })
    expect(await look(address)).toMatchObject({
      is_contract: true,
      proxy: { kind, implementation, beacon: null },
    })
  })

  test('tells who may change it', async () => {
    const admin = '0xb53127684a568b3173ae13b9f8a6016e243e63b6e8ee1178d6a717850b5d6103'
    const storage = { [slots.eip1967]: slotWord, [admin]: pad(vitalik, { size: 32 }) }
    expect(await look(put({ code: proxyCode, storage }))).toMatchObject({ proxy: { admin: checksummed } })
  })

  test('with a beacon is followed to what the beacon names', async () => {
    const beacon = put({ code: plainCode, calls: { '0x5c60da1b': slotWord } })
    const slot = '0xa3f0ad74e5423aebfd80d3ef4346578335a9a72aeaee59ff6cb3582b35133d50'
    const address = put({ code: proxyCode, storage: { [slot]: pad(beacon, { size: 32 }) } })
    const { proxy } = (await look(address)) as { proxy: { beacon: string } }
    expect(proxy).toMatchObject({ kind: 'eip1967-beacon', implementation })
    expect(proxy.beacon.toLowerCase()).toBe(beacon)
  })

  const digits = implementation.slice(2).toLowerCase()
  test.each<[string, Hex]>([
    ['EIP-1167', `0x363d3d373d3d3d363d73${digits}5af43d82803e903d91602b57fd5bf3`],
    [
      'EIP-1167 with arguments behind it',
      `0x363d3d373d3d3d363d73${digits}5af43d82803e903d91602b57fd5bf3c0ffee`,
    ],
    ['PUSH0', `0x365f5f375f5f365f73${digits}5af43d5f5f3e5f3d91602a57fd5bf3`],
    ['Vyper', `0x366000600037611000600036600073${digits}5af4602c57600080fd5b6110006000f3`],
  ])('that is minimal is read from its code: %s', async (_, code) => {
    expect(await look(put({ code }))).toMatchObject({ proxy: { kind: 'eip1167', implementation } })
  })

  test('that is minimal may have an address with leading zeros', async () => {
    const code: Hex = `0x363d3d373d3d3d363d6f${'12'.repeat(16)}5af43d82803e903d91602757fd5bf3`
    expect(await look(put({ code }))).toMatchObject({
      proxy: { kind: 'eip1167', implementation: expect.stringMatching(/^0x0{8}(12){16}$/) },
    })
  })

  test('of a Safe is read from its first slot', async () => {
    const code: Hex = `0x608060405273ffffffffffffffffffffffffffffffffffffffff600054167fa619486e00000000`
    const first = pad('0x0', { size: 32 })
    const address = put({ code: `${code}5af4`, storage: { [first]: slotWord } })
    expect(await look(address)).toMatchObject({ proxy: { kind: 'safe', implementation } })
  })

  test('is none without DELEGATECALL, whatever lies in its slots', async () => {
    const address = put({ code: plainCode, storage: { [slots.eip1967]: slotWord } })
    expect(await look(address)).toMatchObject({ proxy: null })
  })

  test('is none with something else than an address in its slot', async () => {
    const address = put({
      code: proxyCode,
      storage: { [slots.eip1967]: pad('0x1', { dir: 'right', size: 32 }) },
    })
    expect(await look(address)).toMatchObject({ proxy: null })
  })
})

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
