import { spawn } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { expect, test } from 'vitest'
import { compile } from '../store/compiled.ts'
import { freshSchema, postgresIsHere, withDatabase } from '../store/database.ts'
import { openChain, openFakeMethod, pay } from './fake-method.ts'
import { overX402 } from './x402.ts'

const url = withDatabase()

const program = compile('../payment/gate-child')

type Line = {
  here?: true
  code?: string
  output?: object
  receipt?: { transaction: string }
  debits?: number
}

/** Sends a payment to a process of its own; that is killed with -9 where it stops. */
const live = async (
  args: readonly string[],
  sent: object,
  more: NodeJS.ProcessEnv = {},
): Promise<Line | undefined> => {
  const env = { ...process.env, ...more }
  const child = spawn(process.execPath, [program, ...args], { stdio: ['pipe', 'pipe', 'inherit'], env })
  child.stdin.end(JSON.stringify(sent))
  let last: Line | undefined
  for await (const text of createInterface({ input: child.stdout })) {
    last = JSON.parse(text) as Line
    if (last.here) child.kill('SIGKILL')
  }
  return last
}

test.each([
  ['feed', 'before'],
  ['feed', 'after'],
  ['feed', 'running'],
  ['look', 'before'],
  ['look', 'after'],
  ['look', 'running'],
])('%s killed with -9 %s its settlement answers the same payload after a restart', async (name, stop) => {
  const dir = await mkdtemp(join(tmpdir(), 'octagent-gate-'))
  const chain = openChain()
  const from = chain.payer()
  const offer = await overX402(openFakeMethod(chain)).offer('0.10', name === 'look' ? 'after' : 'before')
  const sent = { payment: pay(chain, from, offer), secret: chain.secretOf(from) }
  expect(await live([dir, name, stop], sent)).toEqual({ here: true })
  const answered = await live([dir, name], sent)
  expect(answered).toMatchObject({ output: { said: `${name} Mia` }, debits: 1 })
  expect(await live([dir, name], sent)).toEqual(answered)
  await rm(dir, { recursive: true, force: true })
})

test.skipIf(!postgresIsHere)(
  'what a replica left that was killed with -9 waits for 45 seconds, and another one takes it over',
  async () => {
    const dir = await mkdtemp(join(tmpdir(), 'octagent-gate-'))
    const chain = openChain()
    const from = chain.payer()
    const offer = await overX402(openFakeMethod(chain)).offer('0.10', 'before')
    const sent = { payment: pay(chain, from, offer), secret: chain.secretOf(from) }
    const shared = { GATE_DATABASE: url(), GATE_SCHEMA: freshSchema() }
    expect(await live([dir, 'feed', 'running'], sent, shared)).toEqual({ here: true })
    expect(await live([dir, 'feed'], sent, shared)).toEqual({ code: 'payment_pending' })
    const later = { ...shared, GATE_LATER_MS: '46000' }
    const answered = await live([dir, 'feed'], sent, later)
    expect(answered).toMatchObject({ output: { said: 'feed Mia', run: 1 }, debits: 1 })
    expect(await live([dir, 'feed'], sent, later)).toEqual(answered)
    await rm(dir, { recursive: true, force: true })
  },
)
