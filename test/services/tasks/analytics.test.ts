import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  type Distribution,
  isApproximate,
  quantile,
  withValue,
} from '../../../mcp/services/tasks/analytics/histogram.ts'
import { accountOf, newTask, startTown, type Town } from './town.ts'

let town: Town
beforeAll(async () => {
  town = await startTown()
})
afterAll(() => town?.stop())

let number = 60_000
const medianOf = async (bounties: readonly string[]) => {
  const publisher = accountOf(++number)
  for (const bounty_usd of bounties) await town.ask(publisher, 'publish_task', { ...newTask, bounty_usd })
  const { bounty } = (await town.ask(publisher, 'task_analytics', {})) as unknown as {
    bounty: { median_usd: string; approximate: boolean }
  }
  return [bounty.median_usd, bounty.approximate]
}

test('the median of few bounties is exact, of an even number the mean of the middle two', async () => {
  expect(await medianOf(['5.00', '5.00', '5.00'])).toEqual(['5.00', false])
  expect(await medianOf(['1.00', '9.99', '3.33'])).toEqual(['3.33', false])
  expect(await medianOf(['1.00', '2.00', '4.00', '100.00'])).toEqual(['3.00', false])
})

const distributionOf = (values: readonly number[]) =>
  values.reduce<Distribution>((all, value) => withValue(all, value), { histogram: {} })

test('of many different values it is within 5 per cent, and says so', () => {
  const values = Array.from({ length: 501 }, (_, at) => 1000 + at * 10)
  const [many, few] = [distributionOf(values), distributionOf([3, 3, 7])]
  expect([isApproximate([few]), isApproximate([few, many])]).toEqual([false, true])
  const counted = Object.values(many.histogram).reduce((sum, count) => sum + count, 0)
  expect([counted, many.values]).toEqual([501, undefined])
  expect(Math.abs((quantile([many], 0.5) ?? 0) - 3500)).toBeLessThan(175)
  expect(Math.abs((quantile([many], 0.9) ?? 0) - 5500)).toBeLessThan(275)
  expect([quantile([few], 0.5), quantile([few, distributionOf([9, 9])], 0.5), quantile([], 0.5)]).toEqual([
    3,
    7,
    null,
  ])
})

test('counts of before, which are in buckets alone, are read on', () => {
  const before: Distribution = { histogram: { 80: 2 } }
  const after = withValue(before, 1100)
  expect(after).toEqual({ histogram: { 80: 3 } })
})
