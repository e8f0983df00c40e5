import { describe, expect, test } from 'vitest'
import { formatUsd } from '../../../mcp/lib/usd.ts'
import { gasNetworks } from '../../../mcp/services/money/gas/networks.ts'
import { capInWei, minPrice, priceForCap, weiToUsdc } from '../../../mcp/services/money/gas/price.ts'
import { openPriceFeed } from '../../../mcp/services/money/gas/sponsor-chains.ts'

const coin = { answer: 3000_00000000n, decimals: 8 }

describe('the price of an operation', () => {
  test('the cap is the sum of all five limits at the highest fee', () => {
    const limits = {
      callGasLimit: 70_000n,
      verificationGasLimit: 60_000n,
      preVerificationGas: 90_000n,
      paymasterVerificationGasLimit: 60_000n,
      paymasterPostOpGasLimit: 1n,
    }
    expect(capInWei({ ...limits, maxFeePerGas: 10n })).toBe(2_800_010n)
  })

  test('is 0.03 at least', () => {
    expect(priceForCap(0n, coin)).toBe(minPrice)
    // 0.03 / 1.3 / 3000 ether, and a little more.
    expect(priceForCap(7_692_307_692_307n, coin)).toBe(30_000n)
    expect(priceForCap(7_692_564_102_565n, coin)).toBe(30_002n)
  })

  test('is 1.3 times the cap, rounded up once, whatever the digits of the feed', () => {
    expect(priceForCap(10n ** 18n, coin)).toBe(3_900_000_000n)
    expect(priceForCap(10n ** 18n + 1n, coin)).toBe(3_900_000_001n)
    expect(priceForCap(10n ** 18n, { answer: 3000n * 10n ** 18n, decimals: 18 })).toBe(3_900_000_000n)
    for (let wei = 1n; wei < 10n ** 21n; wei = wei * 3n + 7n) {
      const exact = wei * coin.answer * 13n
      const price = priceForCap(wei, coin)
      expect(price * 10n ** 21n >= exact).toBe(true)
      expect(price === minPrice || (price - 1n) * 10n ** 21n < exact).toBe(true)
    }
  })

  test('and dollars are written with two digits at least', () => {
    expect([formatUsd(30_000n), formatUsd(1_234_567n), formatUsd(0n)]).toEqual(['0.03', '1.234567', '0.00'])
    expect(weiToUsdc(1n, coin)).toBe(1n)
  })
})

describe('the price of a coin', () => {
  const [base] = gasNetworks
  const now = new Date('2026-11-22T12:00:00Z')
  const seconds = BigInt(now.getTime() / 1_000)
  const feed = (answer: bigint, updatedAt: bigint, fails = false) => {
    const readContract = async ({ functionName }: { functionName: string }) => {
      if (fails) throw new Error('no node')
      return functionName === 'decimals' ? 8 : [1n, answer, 0n, updatedAt, 1n]
    }
    if (!base) throw new Error('no network')
    return openPriceFeed({ readContract } as never, base, '0x00000000000000000000000000000000000000f1', {
      clock: { now: () => now },
      maxAgeSeconds: 3_900,
    })
  }

  test('is what the feed says, as long as it is not too old', async () => {
    expect(await feed(3000_00000000n, seconds - 3_900n)()).toEqual(coin)
  })

  test.each([
    ['too old', 3000_00000000n, seconds - 3_901n, false],
    ['zero', 0n, seconds, false],
    ['negative', -1n, seconds, false],
    ['not read', 1n, seconds, true],
  ])('that is %s sells nothing', async (_, answer, updatedAt, fails) => {
    await expect(feed(answer, updatedAt, fails)()).rejects.toMatchObject({
      code: 'unavailable',
      extra: { reason: 'coin_price_unknown' },
    })
  })
})
