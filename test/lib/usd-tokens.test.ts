import { DEFAULT_ASSETS } from '@x402/evm'
import { DEFAULT_ASSETS as solanaAssets } from '@x402/svm'
import { describe, expect, test } from 'vitest'
import { findUsdToken, isLookAlike, isSameAddress, toUsdMicros, usdTokens } from '../../mcp/lib/usd-tokens.ts'
import { networks } from '../../mcp/ports/chain/networks.ts'
import { solanaNetworks } from '../../mcp/ports/solnet/network.ts'
import { familiarTokens } from '../../mcp/services/data/evm/impostor-tokens.ts'

const base = 'eip155:8453'
const usdc = '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913'
const solana = 'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp'
const mint = 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v'
const other = `0x${'7'.repeat(40)}`

describe('the table of USD tokens', () => {
  test('holds what stock x402 clients pay by default, with the same decimals', () => {
    for (const table of [DEFAULT_ASSETS, solanaAssets])
      for (const [network, assets] of Object.entries(table)) {
        if (network === 'solana:4uhcVJyU9pJkvQyS88uRDiswHXSCkY3z') continue
        for (const { asset, decimals } of assets)
          expect(findUsdToken(network, asset), `${network} ${asset}`).toMatchObject({ asset, decimals })
      }
  })

  test('holds what this program is paid in, and the dollars that the data service knows', () => {
    for (const { id, token } of Object.values(networks))
      expect(findUsdToken(id, token.address)).toMatchObject({ symbol: 'USDC', decimals: token.decimals })
    for (const { id, mint, decimals } of Object.values(solanaNetworks))
      expect(findUsdToken(id, mint)).toMatchObject({ symbol: 'USDC', decimals })
    const chains = { eth: 1, base: 8453, arbitrum: 42161, optimism: 10, polygon: 137 }
    for (const { symbol, address, chain } of familiarTokens())
      if (symbol === 'USDC' || symbol === 'USDT')
        expect(findUsdToken(`eip155:${chains[chain]}`, address), `${chain} ${symbol}`).toBeDefined()
  })

  test('names every contract once', () => {
    const names = usdTokens().map(({ network, asset }) => `${network} ${asset.toLowerCase()}`)
    expect(new Set(names).size).toBe(names.length)
  })
})

test('an amount counts by the decimals of its contract, rounded up', () => {
  expect(toUsdMicros(base, usdc, '10000')).toBe(10_000n)
  const binance = '0x8AC76a51cc950d9822D68b83fE1Ad97B32Cd580d'
  expect(toUsdMicros('eip155:56', binance, '10000000000000000')).toBe(10_000n)
  expect(toUsdMicros('bsc', binance, '10000000000000001')).toBe(10_001n)
  expect(toUsdMicros(base, binance, '1')).toBeUndefined()
  expect(toUsdMicros('eip155:1', usdc, '1')).toBeUndefined()
})

test('hex has no letter case, base58 has', () => {
  expect(isSameAddress(usdc, usdc.toLowerCase())).toBe(true)
  expect(isSameAddress(mint, mint.toLowerCase())).toBe(false)
  expect(toUsdMicros(solana, mint, '5')).toBe(5n)
  expect(toUsdMicros('solana', mint, '5')).toBe(5n)
  expect(toUsdMicros(solana, mint.toLowerCase(), '5')).toBeUndefined()
})

describe('a look-alike', () => {
  test.each([
    ['the name', other, ['USD Coin']],
    ['the symbol', other, ['USDC']],
    ['the symbol beside a name of its own', other, ['Coin', 'usdc']],
    ['marks between the letters', other, ['U.S.D.-C']],
    ['letters of another script', other, ['USD\u0421']],
    ['full-width letters', other, ['ＵＳＤＣ']],
    ['letters that nobody sees', other, ['US\u200bDC']],
    ['the name of another dollar there', other, ['Tether USD']],
    ['its contract on another network', '0x3c499c542cEF5E3811e1192ce70d8cC03d5c3359', []],
  ])('is told by %s', (_, asset, names) => {
    expect(isLookAlike(base, asset, names)).toBe(true)
    expect(isLookAlike('base', asset, names)).toBe(true)
  })

  test('is a mint in other letter case', () => {
    expect(isLookAlike(solana, mint.toLowerCase(), [])).toBe(true)
    expect(isLookAlike(solana, mint, ['whatever'])).toBe(false)
  })

  test.each([
    ['a token of the table', base, usdc, ['Fancy name']],
    [
      'a bridged dollar of the table',
      'eip155:42161',
      '0xFF970A61A04b1cA14834A43f5dE4533eBDDB5CC8',
      ['USD Coin'],
    ],
    ['a token with a name of its own', base, other, ['crvUSD', 'Curve dollar']],
    ['a token without a name', base, other, []],
    ['a dollar on a network that nobody knows', 'eip155:99887766', other, ['USDC']],
  ])('is not %s', (_, network, asset, names) => {
    expect(isLookAlike(network, asset, names)).toBe(false)
  })
})
