import { spawn } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { setTimeout as wait } from 'node:timers/promises'
import { openChild } from './child.ts'
import { agedFolder, bytesIn, newFolder, removeFolders } from './folders.ts'
import { median } from './median.ts'
import type { Bench, Group } from './row.ts'

const documents = 1_000_000
const megabytes = (bytes: number): string => `${Math.round(bytes / 2 ** 20)} MiB`

const storeStart: Bench = {
  name: 'embedded store, start from 1M documents with two indexes',
  unit: 's',
  aim: { below: 10 },
  async measure() {
    const dir = await agedFolder(documents)
    const runs: number[] = []
    while (runs.length < 3) {
      const child = await openChild('embedded')
      try {
        runs.push((await child.ask<number>('open', { dir, indexed: true })) / 1000)
        await child.ask('close')
      } finally {
        await child.stop()
      }
    }
    const times = runs.map(run => run.toFixed(1)).join(', ')
    return { value: median(runs), note: `${times} s; ${megabytes(await bytesIn(dir))} on disk` }
  },
}

/** A server started as its user starts it, when it has given its first answer. */
export type StartedProgram = { url: string; readyMs: number; pid: number; stop(): Promise<void> }

export const startProgram = async (
  dir: string,
  environment: Readonly<Record<string, string>> = {},
): Promise<StartedProgram> => {
  const began = performance.now()
  const child = spawn(process.execPath, ['dist/main.js', 'serve', '--port', '0'], {
    env: { ...process.env, OCTAGENT_DATA: dir, OCTAGENT_LOG: 'silent', ...environment },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  const exit = new Promise<void>(resolve => child.once('exit', () => resolve()))
  const stop = async () => {
    child.kill('SIGTERM')
    await exit
  }
  try {
    const url = await new Promise<string>((resolve, reject) => {
      let output = ''
      child.stderr.on('data', chunk => {
        output += chunk
        const [found] = /http:\/\/127\.0\.0\.1:\d+/.exec(output) ?? []
        if (found) resolve(found)
      })
      child.once('exit', () => reject(new Error(`the program ended: ${output}`)))
    })
    const { status } = await fetch(`${url}/healthz`)
    if (status !== 200) throw new Error(`/healthz answered ${status}`)
    return { url, readyMs: performance.now() - began, pid: child.pid ?? 0, stop }
  } catch (error) {
    await stop()
    throw error
  }
}

/** Milliseconds from `node dist/main.js serve` to the first answer of /healthz. */
const readyMs = async (dir: string): Promise<number> => {
  const { readyMs: ms, stop } = await startProgram(dir)
  await stop()
  return ms
}

/** What a process holds in memory, as Linux counts it. */
export const residentBytes = async (pid: number): Promise<number> => {
  const [, kilobytes] = /^VmRSS:\s+(\d+) kB$/m.exec(await readFile(`/proc/${pid}/status`, 'utf8')) ?? []
  if (kilobytes === undefined) throw new Error('the system does not tell what a process holds')
  return Number(kilobytes) * 1024
}

const idleMemory: Bench = {
  name: 'memory of node dist/main.js with all services, idle for ten seconds',
  unit: 'MiB',
  aim: { below: 100 },
  async measure() {
    const { pid, stop } = await startProgram(await newFolder())
    try {
      const atFirst = await residentBytes(pid)
      await wait(10_000)
      return {
        value: (await residentBytes(pid)) / 2 ** 20,
        note: `${megabytes(atFirst)} at the first answer`,
      }
    } finally {
      await stop()
    }
  },
}

const programStart: Bench = {
  name: 'ready time of node dist/main.js',
  unit: 'ms',
  aim: { below: 500 },
  async measure() {
    const dir = await newFolder()
    const first = await readyMs(dir)
    const runs: number[] = []
    while (runs.length < 7) runs.push(await readyMs(dir))
    const min = Math.min(...runs)
    return {
      value: median(runs),
      note: `spawn to the first answer of /healthz; least ${min.toFixed(0)}, with a new data folder ${first.toFixed(0)}`,
    }
  },
}

/** How long the store and the program take to start. */
export const start: Group = {
  name: 'start',
  benches: [programStart, idleMemory, storeStart],
  close: removeFolders,
}
