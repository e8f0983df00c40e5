import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { expect, test } from 'vitest'
import { runs } from '../stress.ts'
import { compiled } from './compiled.ts'

const kills = runs(200)
const lanes = 2
const writers = 16

type Line = {
  found?: Record<string, [left: number, right: number, log: number]>
  writer?: string
  n?: number
  wrong?: string
}

const program = compiled('crash-child')

/** What a child found, and the last number that it acknowledged for each writer until it was killed; some die early. */
const liveAndDie = async (dir: string, patience: number) => {
  const child: ChildProcess = spawn(process.execPath, [program, dir, String(writers)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const exited = once(child, 'exit')
  const early = Math.random() < 0.2
  if (early) setTimeout(() => child.kill('SIGKILL'), 60 + patience * 2)
  const acknowledged = new Map<string, number>()
  let found: Line['found']
  for await (const text of createInterface({ input: child.stdout as NodeJS.ReadableStream })) {
    const line = parsed(text)
    expect(line.wrong).toBeUndefined()
    if (line.found && !early) setTimeout(() => child.kill('SIGKILL'), patience)
    found ??= line.found
    if (line.writer && line.n) acknowledged.set(line.writer, line.n)
  }
  await exited
  if (!early) expect(Object.keys(found ?? {})).toHaveLength(writers)
  return { found: found ?? {}, acknowledged, killed: child.signalCode === 'SIGKILL' }
}

/** The kill may cut the last line. */
const parsed = (text: string): Line => {
  try {
    return JSON.parse(text)
  } catch {
    return {}
  }
}

const lane = async (): Promise<{ killed: number; acknowledged: number }> => {
  const dir = await mkdtemp(join(tmpdir(), 'octagent-kill-'))
  const sure = new Map<string, number>()
  let killed = 0
  let acknowledged = 0
  for (let life = 0; life < kills / lanes; life++) {
    const result = await liveAndDie(dir, Math.random() * 80)
    for (const [writer, [left, right, log]] of Object.entries(result.found)) {
      const known = sure.get(writer) ?? 0
      expect([known, known + 1], `${writer} after kill ${killed}`).toContain(left)
      expect([right, log], `${writer} after kill ${killed}`).toEqual([left, left])
      sure.set(writer, left)
    }
    for (const [writer, n] of result.acknowledged) {
      acknowledged += n - (sure.get(writer) ?? 0)
      sure.set(writer, n)
    }
    killed += result.killed ? 1 : 0
  }
  await rm(dir, { recursive: true, force: true })
  return { killed, acknowledged }
}

test(`finds every acknowledged transaction, whole, after each of ${kills} kills under load`, async () => {
  const results = await Promise.all(Array.from({ length: lanes }, lane))
  expect(results.reduce((sum, { killed }) => sum + killed, 0)).toBe(kills)
  expect(results.reduce((sum, { acknowledged }) => sum + acknowledged, 0)).toBeGreaterThan(kills)
}, 180_000)
