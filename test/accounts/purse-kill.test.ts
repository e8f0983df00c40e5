import { spawn } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { expect, test } from 'vitest'
import { newAccountId } from '../../mcp/accounts/account.ts'
import { compile } from '../store/compiled.ts'
import { freshSchema, postgresIsHere, withDatabase } from '../store/database.ts'

const url = withDatabase()

const program = compile('../accounts/purse-child')

/** Runs one call in a process of its own, which is killed with -9 once it is in its handler. */
const live = async (args: readonly string[], more: NodeJS.ProcessEnv = {}): Promise<unknown> => {
  const env = { ...process.env, ...more }
  const child = spawn(process.execPath, [program, ...args], { stdio: ['ignore', 'pipe', 'inherit'], env })
  let last: unknown
  for await (const text of createInterface({ input: child.stdout })) {
    last = JSON.parse(text)
    if ((last as { here?: true }).here) child.kill('SIGKILL')
  }
  return last
}

const free = {
  before: { available: '0.10', held: '0.00', debt: '0.00' },
  after: { available: '0.00', held: '0.00', debt: '0.00' },
  spent: '0.10',
}

test('a process killed with -9 between hold and capture leaves the money and the limit to the next call', async () => {
  const dir = await mkdtemp(join(tmpdir(), 'octagent-purse-'))
  const account = newAccountId()
  expect(await live([dir, account, 'stop'])).toEqual({ here: true })
  expect(await live([dir, account])).toEqual(free)
  await rm(dir, { recursive: true, force: true })
})

test.skipIf(!postgresIsHere)(
  'what a replica held that was killed with -9 is held for its lease, and then free again',
  async () => {
    const env = { PURSE_DATABASE: url(), PURSE_SCHEMA: freshSchema() }
    const account = newAccountId()
    expect(await live(['', account, 'stop'], env)).toEqual({ here: true })
    expect(await live(['', account], env)).toEqual({
      before: { available: '0.00', held: '0.10', debt: '0.00' },
      reason: 'limit_per_day',
    })
    expect(await live(['', account], { ...env, PURSE_LATER_MS: '46000' })).toEqual(free)
  },
)
