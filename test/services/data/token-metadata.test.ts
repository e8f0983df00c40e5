import { encodeAbiParameters, type Hex, pad, stringToHex } from 'viem'
import { afterEach, describe, expect, test } from 'vitest'
import type { EvmChain } from '../../../mcp/ports/evm/port.ts'
import { vitalik } from '../../internet/evm.ts'
import type { LocalAccount } from '../../internet/evm-chain.ts'
import { bytes32, collection, erc20, plainCode, text, word } from '../../internet/evm-tokens.ts'
import { opened } from '../../opened.ts'
import { refused, startData } from './run.ts'

const data = opened(startData)
afterEach(() => {
  for (const node of Object.values(data.evm.nodes)) node.fail()
})

type Answer = { name: string; meta: { warnings: { code: string; message: string }[] } }

const read = (address: string, chain?: string) =>
  data.ask('token-metadata', { address, ...(chain && { chain }) }) as Promise<unknown> as Promise<Answer>

let made = 0
const put = (account: LocalAccount, chain: EvmChain = 'eth'): Hex => {
  made++
  const address: Hex = `0x${made.toString(16).padStart(40, 'cd')}`
  data.evm.chains[chain].accounts.set(address, account)
  return address
}

const token = { name: text('Token'), symbol: text('TOK'), decimals: word(18), totalSupply: word(10n ** 24n) }
const codes = ({ meta }: Answer) => meta.warnings.map(({ code }) => code)

describe('token-metadata', () => {
  test('returns name, symbol, decimals and supply', async () => {
    expect(await read('0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48')).toMatchObject({
      address: '0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48',
      chain: 'eth',
      chain_id: 1,
      standard: 'ERC-20',
      name: 'USD Coin',
      symbol: 'USDC',
      decimals: 6,
      total_supply: { raw: '46000000000123456', formatted: '46000000000.123456' },
      is_proxy: true,
      implementation: '0x43506849D7C04F9138D1A2050bbF3A0c054402dd',
      familiar: true,
      meta: { warnings: [] },
    })
  })

  test('reads names of 32 bytes', async () => {
    const maker = { ...token, name: bytes32('Maker'), symbol: bytes32('MKR') }
    expect(await read(put(erc20(maker)))).toMatchObject({ name: 'Maker', symbol: 'MKR', standard: 'ERC-20' })
  })

  test('reads in one question, and one by one where there is no multicall', async () => {
    const { asked } = data.evm.nodes.eth
    const before = asked.length
    await read(put(erc20(token)))
    expect(asked.slice(before).filter(method => method === 'eth_call')).toHaveLength(1)
    const multicall = '0xca11bde05977b3631167028862be2a173976ca11'
    const { accounts } = data.evm.chains.polygon
    accounts.delete(multicall)
    expect(await read(put(erc20(token), 'polygon'), 'polygon')).toMatchObject({ name: 'Token', decimals: 18 })
    accounts.set(multicall, { code: plainCode })
  })

  test('leaves unknown what reverts, and says so', async () => {
    const { totalSupply: _, ...rest } = token
    const noSupply = await read(put(erc20(rest)))
    expect(noSupply).toMatchObject({ total_supply: null, name: 'Token', standard: 'ERC-20' })
    expect(codes(noSupply)).toEqual(['supply_unknown'])
    const { decimals: __, ...more } = token
    const noDecimals = await read(put(erc20(more)))
    expect(noDecimals).toMatchObject({
      decimals: null,
      total_supply: { raw: '1000000000000000000000000', formatted: null },
    })
    expect(codes(noDecimals)).toEqual(['decimals_missing'])
  })

  test.each([78n, 255n, 2n ** 256n - 1n])('takes %s decimals for none', async decimals => {
    const answer = await read(put(erc20({ ...token, decimals: word(decimals) })))
    expect(answer).toMatchObject({ decimals: null, total_supply: { formatted: null } })
    expect(codes(answer)).toEqual(['decimals_impossible'])
  })

  test('takes 77 decimals', async () => {
    const answer = await read(put(erc20({ ...token, decimals: word(77), totalSupply: word(1) })))
    expect(answer).toMatchObject({ decimals: 77, total_supply: { formatted: `0.${'0'.repeat(76)}1` } })
  })

  test('tells collections, whose tokens are counted', async () => {
    expect(await read(put(collection('80ac58cd', 'Apes', 'APE')))).toMatchObject({
      standard: 'ERC-721',
      decimals: null,
      total_supply: { raw: '10000', formatted: '10000' },
      meta: { warnings: [] },
    })
  })

  test('says of a contract that answers nothing that it may be no token', async () => {
    const answer = await read(put({ code: plainCode }))
    expect(answer).toMatchObject({
      standard: null,
      name: null,
      symbol: null,
      decimals: null,
      total_supply: null,
    })
    expect(codes(answer)).toEqual(['no_token'])
  })

  test('tells the coin itself at its placeholder', async () => {
    expect(await read('0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE', 'polygon')).toMatchObject({
      standard: 'native',
      name: 'POL',
      symbol: 'POL',
      decimals: 18,
      total_supply: null,
      meta: { warnings: [{ code: 'native_placeholder' }] },
    })
  })
})

describe('a name', () => {
  test('loses control characters and marks that turn text around', async () => {
    const name = text('Good\u0000\u202e neotoK\u200f\n\tX')
    expect(await read(put(erc20({ ...token, name })))).toMatchObject({ name: 'Good neotoK X' })
  })

  test('that is huge is cut, with a warning', async () => {
    const answer = await read(put(erc20({ ...token, name: text('x'.repeat(50_000)) })))
    expect(answer.name).toHaveLength(100)
    expect(answer).toMatchObject({ symbol: 'TOK', decimals: 18, meta: { truncated: true } })
    expect(codes(answer)).toEqual(['text_cut'])
  })

  test('that is too long for a node leaves the rest readable', async () => {
    const answer = await read(put(erc20({ ...token, name: text('x'.repeat(600_000)) })))
    expect(answer).toMatchObject({
      name: null,
      symbol: 'TOK',
      decimals: 18,
      total_supply: { formatted: '1000000' },
    })
  })

  test.each<[string, Hex]>([
    ['an offset outside', encodeAbiParameters([{ type: 'uint256' }, { type: 'uint256' }], [2n ** 255n, 5n])],
    ['a length outside', encodeAbiParameters([{ type: 'uint256' }, { type: 'uint256' }], [32n, 2n ** 200n])],
    ['half a word', '0x0000'],
    ['nothing', '0x'],
    ['an empty text', text('')],
    ['blanks', text(' \u0000\n ')],
    ['bytes that are no text', pad('0xfffefdfc', { dir: 'right', size: 32 })],
  ])('with %s is unknown', async (_, name) => {
    expect(await read(put(erc20({ ...token, name })))).toMatchObject({ name: null, symbol: 'TOK' })
  })

  test('may be in any script', async () => {
    const name = text('柴犬 🐕')
    expect(await read(put(erc20({ ...token, name, symbol: stringToHex('₿', { size: 32 }) })))).toMatchObject({
      name: '柴犬 🐕',
      symbol: '₿',
    })
  })
})

describe('a token that looks like another one', () => {
  test.each([
    ['USDC', 'Something'],
    ['usdc', 'Something'],
    ['$USDC', 'Something'],
    ['U S D C', 'Something'],
    ['USD\u200bC', 'Something'],
    ['UЅDС', 'Something'],
    ['ＵＳＤＣ', 'Something'],
    ['SAFE', 'USD Coin'],
  ])('is pointed out: %s, %s', async (symbol, name) => {
    const answer = await read(put(erc20({ ...token, symbol: text(symbol), name: text(name) })))
    expect(answer).toMatchObject({ familiar: false })
    expect(answer.meta.warnings).toMatchObject([
      {
        code: 'looks_like_another_token',
        message: expect.stringContaining('0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48'),
      },
    ])
  })

  test.each(['USDC.e', 'aUSDC', 'USDCX', 'TOK'])('is not one called %s', async symbol => {
    expect(codes(await read(put(erc20({ ...token, symbol: text(symbol) }))))).toEqual([])
  })

  test('is not the bridged one that is listed', async () => {
    const bridged = '0x2791bca1f2de4661ed88a30c99a7a9449aa84174'
    const named = { ...token, name: text('USD Coin (PoS)'), symbol: text('USDC') }
    data.evm.chains.polygon.accounts.set(bridged, erc20(named))
    const answer = await read(bridged, 'polygon')
    expect(answer).toMatchObject({ familiar: true, meta: { warnings: [] } })
  })
})

describe('where there is no token', () => {
  test('a wallet is not found to be a contract', async () => {
    const error = await refused(read(vitalik))
    expect(error).toMatchObject({
      code: 'not_found',
      message: expect.stringContaining('is not a contract on Ethereum'),
    })
  })

  test('a wallet with delegated code is none either', async () => {
    const address = put({ code: `0xef0100${'12'.repeat(20)}`, calls: erc20(token).calls ?? {} })
    expect(await refused(read(address))).toMatchObject({ code: 'not_found' })
  })

  test('the chain that has one is named', async () => {
    data.evm.nodes.arbitrum.fail('server error')
    const error = await refused(read('0x833589fcd6edb6e08f4c7c32d4f71b54bda02913'))
    expect(error.toProblem()).toMatchObject({ hint: expect.stringContaining('ask with chain=base') })
  })

  test('a chain that is silent is an outage, not a verdict', async () => {
    data.evm.nodes.eth.fail('server error')
    const error = await refused(read(`0x${'9'.repeat(40)}`))
    expect(error).toMatchObject({ code: 'upstream' })
    expect(error.toProblem().retryable).toBe(true)
  })
})
