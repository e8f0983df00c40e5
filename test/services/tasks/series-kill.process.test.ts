// Costs: processes that are killed with -9 while they publish, on both stores.
import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { describe, expect, test } from 'vitest'
import { compile } from '../../store/compiled.ts'
import { freshSchema, postgresIsHere, withDatabase } from '../../store/database.ts'
import { runs } from '../../stress.ts'
import type { SeriesLine, SeriesOrders } from './series-child.ts'
import { accountOf } from './town.ts'

const url = withDatabase()
const program = compile('../services/tasks/series-child')
const publisher = accountOf(0x5e)
const [begin, count] = [8, 6]
const total = 10_500_000n

/** Runs a process; one that is to be killed is so some milliseconds after it said that it begins a turn. */
const run = async (orders: SeriesOrders, kill?: { turn: number; ms: number }): Promise<SeriesLine> => {
  const child: ChildProcess = spawn(process.execPath, [program], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, SERIES_CHILD: JSON.stringify(orders) },
  })
  const { stdout } = child
  if (!stdout) throw new Error('no output')
  let last: SeriesLine | undefined
  let turn = 0
  for await (const text of createInterface({ input: stdout })) {
    last = JSON.parse(text) as SeriesLine
    turn += 1
    if (kill && turn === kill.turn) setTimeout(() => child.kill('SIGKILL'), kill.ms)
  }
  if (!last) throw new Error('a process that said nothing')
  return last
}

const story = async (database?: SeriesOrders['database']) => {
  const dir = await mkdtemp(join(tmpdir(), 'octagent-series-'))
  const common = { dir, publisher, count, ...(database && { database }) }
  let aheadMs = 0
  for (let n = 0; n < runs(24, 4); n++) {
    const orders = { ...common, begin: n === 0 ? begin : 0, aheadMs, isLast: false }
    aheadMs = (await run(orders, { turn: 1 + (n % 2), ms: (n * 7) % 40 })).aheadMs
  }
  // Undisturbed, until all must be there.
  await run({ ...common, begin: 0, aheadMs, isLast: false }, { turn: count + 2, ms: 0 })
  const { tasks, balance } = await run({ ...common, begin: 0, aheadMs, isLast: true })
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
