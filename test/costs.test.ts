import { existsSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

/** Processor seconds by test file, from 5 on: written by `npm test -- --keep`. */
const costs: Record<string, number> = JSON.parse(readFileSync('test/costs.json', 'utf8'))

const dear = Object.entries(costs).filter(([file, seconds]) => seconds > 15 && existsSync(file))

test('a file that costs more than 15 processor seconds says why in its first line', () => {
  const silent = dear.filter(([file]) => !/^\/\/ Costs: \S/.test(readFileSync(file, 'utf8')))
  expect(silent).toEqual([])
})

test('all of them together stay below what a run may cost', () => {
  expect(Object.values(costs).reduce((sum, seconds) => sum + seconds, 0)).toBeLessThan(1150)
})
