import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  type Distribution,
  isApproximate,
  quantile,
  withValue,
} from '../../../mcp/services/tasks/analytics.ts'
import { findMajority, krippendorffAlpha } from '../../../mcp/services/tasks/work-analytics.ts'
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

/** Values of coders by unit, a point where one gave none. */
const unitsOf = (...coders: readonly string[]) =>
  [...(coders[0] ?? '')].map((_, at) =>
    coders.flatMap(values => (values[at] === '.' ? [] : (values[at] ?? []))),
  )

describe("Krippendorff's alpha", () => {
  test('is that of the examples that Krippendorff published (2011, sections A to D)', () => {
    const binary = unitsOf('0100000010', '1110010000')
    expect(krippendorffAlpha(binary, 'nominal')).toBeCloseTo(0.095, 3)
    const two = unitsOf('aabbdcccedda', 'babbbccceddd')
    expect(krippendorffAlpha(two, 'nominal')).toBeCloseTo(0.692, 3)
    const four = unitsOf('123321412...', '1233224125.3', '.3332342251.', '12332441251.')
    expect(krippendorffAlpha(four, 'nominal')).toBeCloseTo(0.743, 3)
    expect(krippendorffAlpha(four, 'interval')).toBeCloseTo(0.849, 3)
  })

  test('is 1 where all agree, and null where nothing varies or nobody has a second', () => {
    expect(
      krippendorffAlpha(
        [
          ['a', 'a'],
          ['b', 'b', 'b'],
        ],
        'nominal',
      ),
    ).toBe(1)
    for (const units of [[], [['a']], [['a', 'a'], ['b']]])
      expect(krippendorffAlpha(units, 'nominal')).toBeNull()
    expect([findMajority(['a', 'b', 'a']), findMajority(['a', 'b']), findMajority([])]).toEqual([
      { value: 'a', count: 2 },
      undefined,
      undefined,
    ])
  })
})

test('the work of three workers: golden answers, agreement, and what expired in hand', async () => {
  const publisher = accountOf(++number)
  await town.fund(publisher, 200_000_000n)
  const people = [await town.worker(++number), await town.worker(++number), await town.worker(++number)]
  const assign = async (task_id: string, by: string) => {
    await town.ask(by, 'apply_to_task', { task_id })
    const place = await town.ask(publisher, 'assign_worker', { task_id, executor_id: by })
    await town.ask(by, 'start_work', { task_id: place.task_id })
    return place.task_id
  }
  for (const answers of [
    ['Open.', 'open', 'OPEN'],
    ['shut', 'Shut!', 'open'],
  ]) {
    const made = await town.ask(publisher, 'publish_task', { ...newTask, workers: 3, deposit: 'now' })
    const golden_answers = [String(answers[0])]
    const noted = await town.ask(publisher, 'update_task', { task_id: made.task_id, golden_answers })
    expect(JSON.stringify(noted)).not.toContain('golden')
    const { entries } = await town.ask(people[0], 'get_history', { task_id: made.task_id })
    expect(entries).toHaveLength(1)
    for (const [at, by] of people.entries()) {
      const task_id = await assign(made.task_id, by)
      const evidence = [{ type: 'text_response', value: answers[at] }]
      const { submission_id } = await town.ask(by, 'submit_work', { task_id, evidence })
      await town.ask(publisher, 'approve_submission', { submission_id })
    }
  }
  const { task_id } = await town.ask(publisher, 'publish_task', newTask)
  await assign(task_id, String(people[2]))
  town.later(25 * 3_600_000)
  await town.settle()
  const { work } = await town.ask(publisher, 'task_analytics', {})
  expect(work).toMatchObject({
    workers: [
      {
        executor_id: people[2],
        assigned: 3,
        completed: 2,
        completion_rate: 0.667,
        on_time_rate: 0.667,
        acceptance_rate: 1,
        golden_answered: 2,
        golden_right: 1,
      },
      { assigned: 2, completed: 2, on_time_rate: 1, golden_answered: 2, golden_right: 2 },
      { assigned: 2, golden_right: 2 },
    ],
    agreement: { tasks: 2, answers: 6, scale: 'nominal', alpha: 0.375 },
  })
  const { agreement } = work as { agreement: { majorities: unknown[] } }
  expect(agreement.majorities).toHaveLength(2)
  expect(agreement.majorities).toEqual(
    expect.arrayContaining([
      expect.objectContaining({ majority: 'open', share: 1 }),
      expect.objectContaining({ majority: 'shut', share: 0.667 }),
    ]),
  )
  expect(await town.ask(undefined, 'get_worker', { executor_id: people[2] })).toMatchObject({
    on_time_rate: 0.667,
  })
  expect(await town.ask(publisher, 'task_analytics', { scope: 'all' })).toMatchObject({ work: null })
})
