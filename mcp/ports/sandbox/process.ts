import { type ChildProcess, spawn } from 'node:child_process'
import type { Readable, Writable } from 'node:stream'
import { toStopError } from '../fetch/deadline.ts'
import { bootExits } from './boot.ts'
import type { SandboxResult, SandboxStatus } from './port.ts'

/** How the process of a sandbox is started and watched. */
export type ProcessStart = {
  command: string
  args: readonly string[]
  /** The user it runs as, where this process is root. */
  user?: number | undefined
  environment?: Readonly<Record<string, string>> | undefined
  stdin: string
  /** Bytes that it reads from descriptors above 2, by descriptor. */
  gives: ReadonlyMap<number, string | Buffer>
  /** Descriptor that it writes on beside its two streams, and how much of that is kept. */
  takes?: { descriptor: number; bytes: number } | undefined
  timeoutMs: number
  /** Ends it early: the promise rejects with the reason once everything of it is gone. */
  signal?: AbortSignal | undefined
  outputBytes: number
  /** Descriptors that `watch` sees to. */
  leaves?: readonly number[]
  /** Called once it runs, with what ends it and gives a status; what it returns is called at its end. */
  watch?(pid: number, end: (status?: SandboxStatus) => void, child: ChildProcess): (() => void) | undefined
  /** Ends what a signal to the process group does not reach. */
  stop?(): void
}

type End = Omit<SandboxResult, 'workspace' | 'usage'> & { extraOutput: Buffer | undefined }

const statusByExit = new Map<number, SandboxStatus>([
  [0, 'ok'],
  [bootExits.memory, 'memory_limit'],
  [bootExits.policy, 'policy_violation'],
])

/** Collects a stream up to a limit, which may end the run. */
const collect = (stream: Readable, limit: number, onLimit: () => void) => {
  const chunks: Buffer[] = []
  let size = 0
  stream.on('error', () => undefined)
  stream.on('data', (chunk: Buffer) => {
    const room = limit - size
    if (room > 0) chunks.push(chunk.subarray(0, room))
    size += chunk.length
    if (size > limit) onLimit()
  })
  return { bytes: () => Buffer.concat(chunks), isWhole: () => size <= limit }
}

/** Runs a process to its end, whatever that is. Throws only when it cannot be started, or is ended by its signal. */
export const runProcess = (start: ProcessStart): Promise<End> =>
  new Promise((resolve, reject) => {
    const { signal: stop } = start
    if (stop?.aborted) return reject(toStopError(stop))
    const extra = [
      ...start.gives.keys(),
      ...(start.leaves ?? []),
      ...(start.takes ? [start.takes.descriptor] : []),
    ]
    const open = new Set([0, 1, 2, ...extra])
    const startedAt = new Date()
    const child = spawn(start.command, start.args, {
      // PID 1 of a sandbox shows the environment that it was started with.
      env: start.environment ?? { PATH: '/usr/bin:/bin' },
      cwd: '/',
      // What is not used is not there.
      stdio: Array.from({ length: Math.max(...open) + 1 }, (_, fd) => (open.has(fd) ? 'pipe' : 'ignore')),
      detached: true,
      ...(start.user !== undefined && { uid: start.user, gid: start.user }),
    })
    let status: SandboxStatus | undefined
    const end = (why?: SandboxStatus) => {
      status ??= why
      if (child.pid !== undefined)
        try {
          process.kill(-child.pid, 'SIGKILL')
        } catch {
          // It is gone.
        }
      start.stop?.()
    }
    child.on('error', reject)
    const stdio = child.stdio as (Readable | Writable | null)[]
    if (child.pid === undefined || [...open].some(fd => !stdio[fd])) return

    const stdout = collect(stdio[1] as Readable, start.outputBytes, () => end('output_limit'))
    const stderr = collect(stdio[2] as Readable, start.outputBytes, () => end('output_limit'))
    const extraOutput =
      start.takes && collect(stdio[start.takes.descriptor] as Readable, start.takes.bytes, () => undefined)
    for (const [descriptor, stream] of stdio.entries()) {
      if (descriptor === 1 || descriptor === 2 || descriptor === start.takes?.descriptor) continue
      if (stream === null || start.leaves?.includes(descriptor)) continue
      const bytes = descriptor === 0 ? start.stdin : (start.gives.get(descriptor) ?? '')
      stream.on('error', () => undefined)
      ;(stream as Writable).end(bytes)
    }
    const timer = setTimeout(() => end('timeout'), start.timeoutMs)
    const abandon = () => end()
    stop?.addEventListener('abort', abandon, { once: true })
    const unwatch = start.watch?.(child.pid, end, child)
    child.on('close', (exitCode, signal) => {
      clearTimeout(timer)
      stop?.removeEventListener('abort', abandon)
      unwatch?.()
      start.stop?.()
      if (stop?.aborted) return reject(toStopError(stop))
      resolve({
        status: status ?? statusByExit.get(exitCode ?? -1) ?? 'error',
        exitCode,
        signal,
        stdout: stdout.bytes(),
        stderr: stderr.bytes(),
        startedAt,
        endedAt: new Date(),
        extraOutput: extraOutput?.isWhole() ? extraOutput.bytes() : undefined,
      })
    })
  })
