// Costs: processes that are killed with -9 around what they write, on both stores.
import { spawn } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { compile } from '../../store/compiled.ts'
import { freshSchema, postgresIsHere, withDatabase } from '../../store/database.ts'
import { sample } from '../../stress.ts'
import type { SeriesLine, SeriesOrders } from './series-child.ts'
import { accountOf } from './town.ts'

const url = withDatabase()
const program = compile('../services/tasks/series-child')
const publisher = accountOf(0x5e)
const [begin, count] = [6, 4]
const total = 10_500_000n

/** Runs a process to its end, or until it kills itself: then it says nothing. */
const run = async (orders: SeriesOrders): Promise<SeriesLine | undefined> => {
  const child = spawn(process.execPath, [program], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, SERIES_CHILD: JSON.stringify(orders) },
  })
  let text = ''
  for await (const part of child.stdout) text += part
  return text === '' ? undefined : (JSON.parse(text) as SeriesLine)
}

const kills = [1, 2, 5].flatMap(nth => (['before', 'after'] as const).map(when => ({ nth, when })))

const story = async (database?: SeriesOrders['database']) => {
  const dir = await mkdtemp(join(tmpdir(), 'octagent-series-'))
  const common = { dir, publisher, count, ...(database && { database }) }
  await run({ ...common, begin, aheadMs: 0 })
  let hours = 0
  for (const kill of sample(kills, 2)) {
    hours += 1
    expect(await run({ ...common, begin: 0, aheadMs: hours * 3_600_000, kill })).toBeUndefined()
  }
  let last: SeriesLine | undefined
  // Undisturbed, until all must be there.
  for (let n = 0; n < count; n++) {
    hours += 1
    last = await run({ ...common, begin: 0, aheadMs: hours * 3_600_000 })
  }
  const { tasks, balance } = last ?? { tasks: [], balance: '0' }
  const names = tasks.map(({ series_id, number }) => `${series_id} ${number}`)
  expect(new Set(names).size).toBe(names.length)
  expect(tasks.length).toBe(begin * count)
  expect(tasks.every(({ escrow }) => BigInt(escrow) === total)).toBe(true)
  expect(BigInt(balance)).toBe(1_000_000_000n - BigInt(begin * count) * total)
  await rm(dir, { recursive: true, force: true })
}

describe('a marketplace that is killed with -9 while tasks repeat publishes each once, with its money', () => {
  test('on the embedded engine', () => story())
  test.skipIf(!postgresIsHere)('on PostgreSQL', async () => {
    await story({ url: url(), schema: freshSchema() })
  })
})
