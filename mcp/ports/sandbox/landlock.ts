import { existsSync, realpathSync } from 'node:fs'
import { dirname } from 'node:path'
import { allowedModules, allowedPackages, bootScript } from './boot.ts'
import { watchMemory } from './memory-watch.ts'
import type { Probe, SandboxJob, SandboxResult } from './port.ts'
import { probe } from './probe.ts'
import { runProcess } from './process.ts'
import { baseFilter, hasSeccomp, processFilter } from './seccomp.ts'
import { openSlots } from './slots.ts'

const firstUser = 61_700

const readableFor = (python: string): string[] =>
  [
    ...new Set([
      '/usr/lib',
      '/usr/lib64',
      '/usr/share',
      '/usr/local/lib',
      dirname(dirname(realpathSync(python))),
    ]),
  ]
    // The folder of a prefix such as /usr is what Python itself needs; its secrets, if any, lie elsewhere.
    .filter(existsSync)

/**
 * Runs code under Landlock and a filter of system calls, where namespaces are forbidden, as in many containers. Nothing can be
 * written, no process started, and only restrictive code is taken: there is no namespace to hold what it would start.
 */
export const openLandlock = async (python: string, concurrency: number): Promise<Probe> => {
  if (process.platform !== 'linux' || !hasSeccomp()) return { reason: 'Landlock needs Linux on x64 or arm64' }
  const isRoot = process.getuid?.() === 0
  const slots = openSlots(concurrency)

  const run = (job: SandboxJob): Promise<SandboxResult> =>
    slots.within(async slot => {
      const order = {
        memory: job.limits.memoryBytes,
        cpuSeconds: Math.ceil(job.limits.timeoutMs / 1000) + 1,
        fileBytes: 0,
        processes: 4,
        restrictive: job.mode === 'restrictive',
        filter: processFilter().toString('base64'),
        landlock: { readable: readableFor(python), filter: baseFilter(true).toString('base64') },
        file: null,
        allowed: [...allowedModules, ...allowedPackages],
        workspace: false,
      }
      const { extraOutput: _, ...result } = await runProcess({
        command: python,
        args: ['-I', '-B', '-c', bootScript, JSON.stringify(order)],
        user: isRoot ? firstUser + slot : undefined,
        stdin: job.stdin,
        gives: new Map([[3, job.code]]),
        timeoutMs: job.limits.timeoutMs,
        signal: job.signal,
        outputBytes: job.limits.outputBytes,
        watch: (pid, end) => watchMemory(pid, job.limits.memoryBytes, () => end('memory_limit')),
      })
      return result
    })

  const findings = await probe(run)
  if ('reason' in findings) return { reason: `Landlock: ${findings.reason}` }
  return {
    sandbox: {
      facts: {
        runner: 'landlock',
        ...findings,
        isolates: {
          filesystem: 'Landlock: only the libraries of Python can be read, nothing written',
          network: 'no sockets, by a system call filter',
          processes: 'a system call filter: none can be started, none signalled',
          memory: 'rlimit',
          cpu: false,
        },
        modes: ['restrictive'],
        workspace: false,
      },
      run,
      close: async () => undefined,
    },
  }
}
