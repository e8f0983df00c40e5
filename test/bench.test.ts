import { describe, expect, test } from 'vitest'
import { median } from '../bench/median.ts'
import { exitCode, json, table } from '../bench/report.ts'
import type { Bench, Group } from '../bench/row.ts'
import { pick, run } from '../bench/run.ts'

const bench = (name: string, value: number, more: Partial<Bench> = {}): Bench => ({
  name,
  unit: 'x',
  measure: async () => ({ value, note: `note of ${name}` }),
  ...more,
})

const groups = (): Group[] => [
  { name: 'web', benches: [bench('GET', 0.71234, { against: 'express', aim: { atLeast: 0.7 } })] },
  {
    name: 'disk',
    benches: [
      bench('stall', 50, { unit: 'ms', aim: { below: 50 } }),
      bench('bytes', 1_234_567, { unit: 'B' }),
      bench('writes', 0, {
        aim: { atLeast: 10 },
        measure: () => Promise.reject(new Error('the disk is full')),
      }),
    ],
  },
]

const all = () => run(groups(), () => undefined)

describe('what is measured', () => {
  test('--only keeps the rows whose group and name match, case apart, and drops empty groups', () => {
    const names = (only?: string) => pick(groups(), only).map(({ name, benches }) => [name, benches.length])
    expect(names()).toEqual([
      ['web', 1],
      ['disk', 3],
    ])
    expect(names('DISK')).toEqual([['disk', 3]])
    expect(names('disk (stall|bytes)')).toEqual([['disk', 2]])
    expect(names('^get')).toEqual([])
  })

  test('rows run in order, one after the other, and their names are told before', async () => {
    const told: string[] = []
    await run(groups(), name => told.push(name))
    expect(told).toEqual(['web GET', 'disk stall', 'disk bytes', 'disk writes'])
  })

  test('a group is closed once, also when a row in it fails', async () => {
    let closed = 0
    const failing = bench('bad', 0, { measure: () => Promise.reject(new Error('no')) })
    const close = async () => void closed++
    await run([{ name: 'one', benches: [failing, bench('good', 1)], close }], () => undefined)
    expect(closed).toBe(1)
  })
})

describe('what is reported', () => {
  test('--json is one array of name, value, unit, against, aim and met', async () => {
    expect(JSON.parse(json(await all()))).toEqual([
      { name: 'GET', value: 0.7123, unit: 'x', against: 'express', aim: '>= 0.7', met: true },
      { name: 'stall', value: 50, unit: 'ms', against: null, aim: '< 50', met: false },
      { name: 'bytes', value: 1_235_000, unit: 'B', against: null, aim: null, met: null },
      { name: 'writes', value: null, unit: 'x', against: null, aim: '>= 10', met: false },
    ])
  })

  test('an aim is held against the value before it is rounded', async () => {
    const close = bench('close', 0.699_99, { aim: { atLeast: 0.7 } })
    const [line] = await run([{ name: 'one', benches: [close] }], () => undefined)
    expect(line?.row).toMatchObject({ value: 0.7, met: false })
  })

  test('the table has a header, a rule and a line per row, all of one width', async () => {
    const lines = table(await all()).split('\n')
    expect(lines).toHaveLength(6)
    expect(new Set(lines.map(line => line.length)).size).toBe(1)
    expect(lines[1]).toMatch(/^(\|-+)+\|$/)
    expect(lines[2]).toMatch(/^\| GET +\| 0\.71 x +\| express \| >= 0\.7 \| yes +\| note of GET +\|$/)
    expect(lines[3]).toMatch(/\| 50 ms +\|.*\| < 50 +\| NO/)
    expect(lines[5]).toContain('not measured: the disk is full')
  })

  test('a missed aim is a finding, a row that nobody could measure is a failure', async () => {
    const lines = await all()
    expect(exitCode(lines)).toBe(1)
    expect(exitCode(lines.filter(({ row }) => row.value !== null))).toBe(0)
  })
})

test('the median is the middle value, or the mean of the middle two', () => {
  expect(median([9, 1, 5])).toBe(5)
  expect(median([4, 1, 10, 2])).toBe(3)
  expect(median([])).toBeNaN()
})
