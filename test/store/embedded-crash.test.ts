import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { expect, test } from 'vitest'
import { runs } from '../stress.ts'
import { compile } from './compiled.ts'

const kills = runs(200)
const lanes = 2
const writers = 16

type Line = {
  counts?: Record<string, [left: number, right: number, log: number]>
  writer?: string
  n?: number
  wrong?: string
}

const program = compile('crash-child')

/** What a child found, and the last number that it acknowledged for each writer until it was killed; some die early. */
const liveAndDie = async (dir: string, patience: number) => {
  const child: ChildProcess = spawn(process.execPath, [program, dir, String(writers)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const exit = once(child, 'exit')
  const early = Math.random() < 0.2
  if (early) setTimeout(() => child.kill('SIGKILL'), 60 + patience * 2)
  const acks = new Map<string, number>()
  let counts: Line['counts']
  for await (const text of createInterface({ input: child.stdout as NodeJS.ReadableStream })) {
    const line = parseLine(text)
    expect(line.wrong).toBeUndefined()
    if (line.counts && !early) setTimeout(() => child.kill('SIGKILL'), patience)
    counts ??= line.counts
    if (line.writer && line.n) acks.set(line.writer, line.n)
  }
  await exit
  if (!early) expect(Object.keys(counts ?? {})).toHaveLength(writers)
  return { counts: counts ?? {}, acks, wasKilled: child.signalCode === 'SIGKILL' }
}

/** The kill may cut the last line. */
const parseLine = (text: string): Line => {
  try {
    return JSON.parse(text)
  } catch {
    return {}
  }
}

const lane = async (): Promise<{ killCount: number; acks: number }> => {
  const dir = await mkdtemp(join(tmpdir(), 'octagent-kill-'))
  const sure = new Map<string, number>()
  let killCount = 0
  let acks = 0
  for (let life = 0; life < kills / lanes; life++) {
    const result = await liveAndDie(dir, Math.random() * 80)
    for (const [writer, [left, right, log]] of Object.entries(result.counts)) {
      const lastAck = sure.get(writer) ?? 0
      expect([lastAck, lastAck + 1], `${writer} after kill ${killCount}`).toContain(left)
      expect([right, log], `${writer} after kill ${killCount}`).toEqual([left, left])
      sure.set(writer, left)
    }
    for (const [writer, n] of result.acks) {
      acks += n - (sure.get(writer) ?? 0)
      sure.set(writer, n)
    }
    killCount += result.wasKilled ? 1 : 0
  }
  await rm(dir, { recursive: true, force: true })
  return { killCount, acks }
}

test(`finds every acknowledged transaction, whole, after each of ${kills} kills under load`, async () => {
  const results = await Promise.all(Array.from({ length: lanes }, lane))
  expect(results.reduce((sum, { killCount }) => sum + killCount, 0)).toBe(kills)
  expect(results.reduce((sum, { acks }) => sum + acks, 0)).toBeGreaterThan(kills)
})
