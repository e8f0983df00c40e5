import { spawn } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { expect, test } from 'vitest'
import { compile } from '../store/compiled.ts'
import { freshSchema, postgresIsHere, withDatabase } from '../store/database.ts'
import { sample } from '../stress.ts'
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
  input: object,
  more: NodeJS.ProcessEnv = {},
): Promise<Line | undefined> => {
  const env = { ...process.env, ...more }
  const child = spawn(process.execPath, [program, ...args], { stdio: ['pipe', 'pipe', 'inherit'], env })
  child.stdin.end(JSON.stringify(input))
  let last: Line | undefined
  for await (const text of createInterface({ input: child.stdout })) {
    last = JSON.parse(text) as Line
    if (last.here) child.kill('SIGKILL')
  }
  return last
}

const lives = ['feed', 'look', 'brush'].flatMap(name =>
  ['before', 'after', 'running'].map(stop => [name, stop] as const),
)

// Each of them dies at each step in gate-kills.test.ts; here real processes do.
test.each(sample(lives, 4))(
  '%s killed with -9 %s its settlement answers the same payload after a restart',
  async (name, stop) => {
    const dir = await mkdtemp(join(tmpdir(), 'octagent-gate-'))
    const chain = openChain()
    const from = chain.payer()
    const offer = await overX402(openFakeMethod(chain)).offer('0.10', name === 'feed' ? 'before' : 'after')
    const input = { payment: pay(chain, from, offer), secret: chain.secretOf(from) }
    expect(await live([dir, name, stop], input)).toEqual({ here: true })
    const answer = await live([dir, name], input)
    expect(answer).toMatchObject({ output: { said: `${name} Mia` }, debits: 1 })
    expect(await live([dir, name], input)).toEqual(answer)
    await rm(dir, { recursive: true, force: true })
  },
)

test.skipIf(!postgresIsHere)(
  'what a replica left that was killed with -9 waits for 45 seconds, and another one takes it over',
  async () => {
    const dir = await mkdtemp(join(tmpdir(), 'octagent-gate-'))
    const chain = openChain()
    const from = chain.payer()
    const offer = await overX402(openFakeMethod(chain)).offer('0.10', 'before')
    const input = { payment: pay(chain, from, offer), secret: chain.secretOf(from) }
    const env = { GATE_DATABASE: url(), GATE_SCHEMA: freshSchema() }
    expect(await live([dir, 'feed', 'running'], input, env)).toEqual({ here: true })
    expect(await live([dir, 'feed'], input, env)).toEqual({ code: 'payment_pending' })
    const later = { ...env, GATE_LATER_MS: '46000' }
    const answer = await live([dir, 'feed'], input, later)
    expect(answer).toMatchObject({ output: { said: 'feed Mia', run: 1 }, debits: 1 })
    expect(await live([dir, 'feed'], input, later)).toEqual(answer)
    await rm(dir, { recursive: true, force: true })
  },
)
