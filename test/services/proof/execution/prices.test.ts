import { expect, test } from 'vitest'
import {
  capPrice,
  limitsFor,
  priceTier,
  priceUse,
  type Tier,
  tiers,
} from '../../../../mcp/services/proof/execution/tiers.ts'

const amountOf = ({ amount }: { amount: string }) => Number(amount)

test.each(tiers.map((_, tier) => tier as Tier))('tier %i: what was used costs at most its quote', tier => {
  for (const permissive of [false, true])
    for (const timeout of [0.5, 2, 30, 600, null]) {
      const cap = amountOf(capPrice(tier, permissive, timeout, 200_000))
      const { timeoutMs, memoryBytes, cpus } = limitsFor(tier, timeout)
      const seconds = timeoutMs / 1000
      const all = priceUse(tier, permissive, {
        seconds,
        cpuSeconds: seconds * cpus,
        memoryBytes,
        bytes: 200_000,
      })
      expect(amountOf(all)).toBeLessThanOrEqual(cap)
      expect(cap).toBeLessThanOrEqual(amountOf(priceTier(tier, permissive)))
    }
})

test('a short run costs little, and its quote too where it says that it is short', () => {
  const use = { seconds: 0.05, cpuSeconds: 0.03, memoryBytes: 20 << 20, bytes: 100 }
  expect(priceUse(1, false, use)).toMatchObject({ amount: '12', unit: 'sat' })
  expect(priceUse(1, true, use).amount).toBe('36')
  expect(capPrice(1, false, 2, 100).amount).toBe('46')
  expect(capPrice(1, false, null, 100).amount).toBe('700')
})

test('each of processors, memory and bytes costs', () => {
  const use = { seconds: 10, cpuSeconds: 1, memoryBytes: 1 << 28, bytes: 100 }
  const base = amountOf(priceUse(2, false, use))
  for (const more of [{ cpuSeconds: 2 }, { memoryBytes: 1 << 30 }, { bytes: 10_000_000 }, { seconds: 30 }])
    expect(amountOf(priceUse(2, false, { ...use, ...more }))).toBeGreaterThan(base)
})

test('a tier has the memory that it sells', () => {
  expect(tiers.map((_, tier) => limitsFor(tier as Tier, null).memoryBytes / 2 ** 20)).toEqual([
    512, 1024, 4096, 5120,
  ])
})
