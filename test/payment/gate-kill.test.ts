import { spawn } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { expect, test } from 'vitest'
import { compiled } from '../store/compiled.ts'
import { openChain, openFakeMethod, pay } from './fake-method.ts'
import { overX402 } from './x402.ts'

const program = compiled('../payment/gate-child')

type Line = { here?: true; output?: object; receipt?: { transaction: string }; debits?: number }

/** Sends a payment to a process of its own; that is killed with -9 where it stops. */
const live = async (args: readonly string[], sent: object): Promise<Line | undefined> => {
  const child = spawn(process.execPath, [program, ...args], { stdio: ['pipe', 'pipe', 'inherit'] })
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
