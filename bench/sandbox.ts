import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { openBubblewrap } from '../mcp/ports/sandbox/bubblewrap.ts'
import { defaultFolder } from '../mcp/ports/sandbox/packages.ts'
import type { Sandbox, SandboxJob } from '../mcp/ports/sandbox/port.ts'
import { median } from './median.ts'
import type { Bench, Group } from './row.ts'

const python = '/usr/bin/python3'
const rounds = 25
const atOnce = 16

const limits = {
  timeoutMs: 60_000,
  memoryBytes: 1024 << 20,
  cpus: 1,
  outputBytes: 65_536,
  diskBytes: 64 << 20,
  processes: 32,
}

const runFile = promisify(execFile)

let opening: Promise<Sandbox> | undefined

const openSandbox = (): Promise<Sandbox> => {
  opening ??= openBubblewrap({ python, packages: defaultFolder }).then(probe => {
    if ('reason' in probe) throw new Error(probe.reason)
    return probe.sandbox
  })
  return opening
}

const job = (code: string): SandboxJob => ({ code, stdin: '', mode: 'restrictive', limits })

const timed = async (work: () => Promise<unknown>): Promise<number> => {
  const started = performance.now()
  await work()
  return performance.now() - started
}

const inSandbox = async (code: string): Promise<void> => {
  const { status, stderr } = await (await openSandbox()).run(job(code))
  if (status !== 'ok') throw new Error(`${status}: ${stderr}`)
}

const bare = (code: string) => runFile(python, ['-I', '-B', '-c', code], { env: { PATH: '/usr/bin:/bin' } })

/** Medians of both ways, taken in turn, since the machine is never the same twice. */
const compare = async (code: string, other: () => Promise<unknown>): Promise<[number, number]> => {
  const ours: number[] = []
  const theirs: number[] = []
  for (let round = -3; round < rounds; round++) {
    const [mine, its] = [await timed(() => inSandbox(code)), await timed(other)]
    if (round < 0) continue
    ours.push(mine)
    theirs.push(its)
  }
  return [median(ours), median(theirs)]
}

const printing: Bench = {
  name: 'print(1) in the sandbox, above bare python',
  unit: 'ms',
  against: 'python3',
  aim: { below: 30 },
  async measure() {
    const [mine, plain] = await compare('print(1)', () => bare('print(1)'))
    return { value: mine - plain, note: `${mine.toFixed(1)} ms; bare ${plain.toFixed(1)} ms` }
  },
}

const many: Bench = {
  name: `${atOnce} sandboxes at once, until the last one ends`,
  unit: 'ms',
  async measure() {
    await inSandbox('print(1)')
    const all = (work: () => Promise<unknown>) =>
      timed(() => Promise.all(Array.from({ length: atOnce }, work)))
    const ours: number[] = []
    const theirs: number[] = []
    for (let round = 0; round < 7; round++) {
      ours.push(await all(() => inSandbox('print(1)')))
      theirs.push(await all(() => bare('print(1)')))
    }
    return { value: median(ours), note: `${atOnce} bare pythons ${median(theirs).toFixed(0)} ms` }
  },
}

const numpy: Bench = {
  name: 'import numpy in the sandbox, above bare python',
  unit: 'ms',
  against: 'python3',
  async measure() {
    const [mine, plain] = await compare('import numpy', () => bare('import numpy'))
    return { value: mine - plain, note: `${mine.toFixed(1)} ms; bare ${plain.toFixed(1)} ms` }
  },
}

/** The same print in what others put code of strangers into, where that is here. */
const peer = (name: string, command: string, args: readonly string[]): Bench => ({
  name: `print(1) in the sandbox against ${name}`,
  unit: 'x',
  against: name,
  async measure() {
    const other = () => runFile(command, [...args, python, '-I', '-B', '-c', 'print(1)'])
    await other().catch(cause => {
      throw new Error(`${command} does not run here`, { cause })
    })
    const [mine, its] = await compare('print(1)', other)
    return { value: its / mine, note: `${mine.toFixed(1)} ms; ${name} ${its.toFixed(1)} ms` }
  },
})

/** What keeping code of strangers apart costs. */
export const sandboxes: Group = {
  name: 'sandbox',
  benches: [
    printing,
    many,
    numpy,
    peer('gVisor', 'runsc', ['--rootless', '--network=none', 'do']),
    peer('a container', 'docker', ['run', '--rm', '--network', 'none', 'python:3.13-slim']),
  ],
  close: async () => (await opening)?.close(),
}
