import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { type BootOrder, bootOrder, bootScript, codeEnvironment } from './boot.ts'
import type { SandboxJob, SandboxProbe, SandboxResult } from './port.ts'
import { probeRunner } from './probe.ts'
import { runProcess } from './process.ts'

export type ContainerOptions = {
  /** `docker`, `podman` or a path to what takes the same arguments. */
  engine: string
  /** With Python 3 as `python3`. */
  image: string
  /** Such as `runsc` for gVisor. */
  runtime?: string | undefined
}

/** Takes the boot script and the code from the first line, in JSON; what follows is for the code. */
const firstLine = `import sys, json
boot, given = json.loads(sys.stdin.buffer.readline())
exec(boot, {'__name__': '__main__', '__builtins__': __builtins__, 'given': given})`

const mebibytes = (bytes: number): string => `${Math.ceil(bytes / (1 << 20))}m`

/** Runs code in throw-away containers of an engine that an operator named. */
export const openContainer = async (options: ContainerOptions): Promise<SandboxProbe> => {
  const remove = (name: string): void => {
    const child = spawn(options.engine, ['rm', '--force', name], { stdio: 'ignore' })
    child.on('error', () => undefined)
  }

  const run = async (job: SandboxJob): Promise<SandboxResult> => {
    const name = `octagent-sandbox-${randomUUID()}`
    // The image knows where its programs lie.
    const { PATH: _path, ...environment } = codeEnvironment(job.limits)
    const memory = mebibytes(job.limits.memoryBytes)
    const order: BootOrder = {
      ...bootOrder({ ...job, workspace: undefined }),
      filter: null,
      landlock: null,
      file: null,
      packages: null,
    }
    const { extraOutput: _, ...result } = await runProcess({
      command: options.engine,
      args: [
        ...['run', '--rm', '--interactive', '--name', name, '--network', 'none', '--read-only'],
        ...['--cap-drop', 'ALL', '--security-opt', 'no-new-privileges', '--user', '65534:65534'],
        ...['--pids-limit', String(job.limits.processes + 8), '--memory', memory, '--memory-swap', memory],
        ...['--cpus', String(job.limits.cpus)],
        ...['--tmpfs', `/tmp:size=${mebibytes(job.limits.diskBytes)},noexec`, '--workdir', '/tmp'],
        ...Object.entries(environment).flatMap(([name, value]) => ['--env', `${name}=${value}`]),
        ...(options.runtime === undefined ? [] : ['--runtime', options.runtime]),
        ...[options.image, 'python3', '-I', '-B', '-c', firstLine, JSON.stringify(order)],
      ],
      stdin: `${JSON.stringify([bootScript, job.code])}\n${job.stdin}`,
      gives: new Map(),
      timeoutMs: job.limits.timeoutMs,
      signal: job.signal,
      outputBytes: job.limits.outputBytes,
      // Ending the client of an engine ends no container.
      watch: () => () => remove(name),
    })
    const seconds = (result.endedAt.getTime() - result.startedAt.getTime()) / 1000
    return {
      ...result,
      // What an engine counts is gone with the container.
      usage: { cpuSeconds: seconds * job.limits.cpus, memoryBytes: job.limits.memoryBytes },
      // 137 is an end by the kernel: for want of memory, as no signal of ours was sent.
      ...(result.status === 'error' && result.exitCode === 137 && { status: 'memory_limit' as const }),
    }
  }

  const findings = await probeRunner(run, ['/root', '/etc/shadow'])
  if ('reason' in findings) return { reason: `${options.engine}: ${findings.reason}` }
  return {
    sandbox: {
      facts: {
        runner: 'container',
        ...findings,
        isolates: {
          filesystem: `a read-only container of ${options.image}${options.runtime ? ` under ${options.runtime}` : ''}`,
          network: 'none',
          processes: 'the container, with all capabilities dropped',
          memory: 'container',
          cpu: true,
        },
        modes: ['restrictive', 'permissive'],
        workspace: false,
      },
      run,
      close: async () => undefined,
    },
  }
}
