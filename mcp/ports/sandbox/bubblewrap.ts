import type { ChildProcess } from 'node:child_process'
import { existsSync, readFileSync, realpathSync } from 'node:fs'
import { dirname } from 'node:path'
import type { Readable, Writable } from 'node:stream'
import { allowedModules, allowedPackages, type BootOrder, bootScript } from './boot.ts'
import { type Group, openGroups } from './cgroup.ts'
import { packFiles, unpackFiles, workspaceLimits } from './files.ts'
import { watchMemory } from './memory-watch.ts'
import type { Probe, SandboxJob, SandboxResult } from './port.ts'
import { type Found, probe } from './probe.ts'
import { runProcess } from './process.ts'
import { baseFilter, hasSeccomp, processFilter } from './seccomp.ts'
import { openSlots } from './slots.ts'

/** Users that nothing else runs as. A run is never root's: the kernel would let it write what belongs to root. */
const firstUser = 61_200

const descriptors = { code: 3, filter: 4, boot: 5, info: 6, block: 7, filesIn: 8, filesOut: 9 } as const

/** Facts of the kernel that a stranger's code has no use for. */
const masked = ['kallsyms', 'kcore', 'keys', 'key-users', 'timer_list', 'sched_debug', 'config.gz']

const mountsFor = (python: string): string[] => {
  const prefix = dirname(dirname(realpathSync(python)))
  return [
    ...['--ro-bind', '/usr', '/usr', '--symlink', 'usr/bin', '/bin', '--symlink', 'usr/lib', '/lib'],
    ...['--symlink', 'usr/lib64', '/lib64'],
    ...(existsSync('/etc/alternatives') ? ['--ro-bind', '/etc/alternatives', '/etc/alternatives'] : []),
    ...(prefix.startsWith('/usr') ? [] : ['--ro-bind', prefix, prefix]),
  ]
}

const arrange = (python: string, job: SandboxJob, canLockUsers: boolean): string[] => [
  ...['--unshare-all', '--unshare-user', '--die-with-parent', '--new-session'],
  ...(canLockUsers ? ['--disable-userns'] : []),
  ...['--uid', '1000', '--gid', '1000', '--hostname', 'sandbox', '--cap-drop', 'ALL'],
  ...mountsFor(python),
  // What belongs to root could be written by a run of root's, were it there; and memory by files in an unsized folder.
  ...['--proc', '/proc', '--size', '4096', '--tmpfs', '/proc/sys', '--remount-ro', '/proc/sys'],
  ...masked
    .map(name => `/proc/${name}`)
    .filter(existsSync)
    .flatMap(path => ['--ro-bind', '/dev/null', path]),
  ...['--dev', '/dev', '--size', String(8 << 20), '--tmpfs', '/dev/shm', '--remount-ro', '/dev'],
  ...['--size', String(job.limits.diskBytes), '--tmpfs', '/tmp', '--dir', '/box'],
  ...(job.workspace ? ['--size', String(workspaceLimits.bytes), '--tmpfs', '/workspace'] : []),
  ...['--ro-bind-data', String(descriptors.code), '/box/main.py'],
  ...['--ro-bind-data', String(descriptors.boot), '/box/boot.py'],
  ...['--remount-ro', '/', '--chdir', '/tmp', '--clearenv'],
  ...['--setenv', 'PATH', '/usr/bin', '--setenv', 'HOME', '/tmp', '--setenv', 'LANG', 'C.UTF-8'],
  // Threads of numeric libraries would each reserve memory.
  ...['--setenv', 'OPENBLAS_NUM_THREADS', '1', '--setenv', 'OMP_NUM_THREADS', '1'],
  ...['--setenv', 'MPLCONFIGDIR', '/tmp', '--seccomp', String(descriptors.filter)],
]

/** All processes below one, itself among them. */
const listFamily = (pid: number): number[] => {
  try {
    const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean)
    return [pid, ...children.flatMap(child => listFamily(Number(child)))]
  } catch {
    return [pid]
  }
}

/** Lets a run begin once all that it consists of is in its group. */
const enterGroup = (group: Group, pid: number, child: ChildProcess, end: () => void): void => {
  const stdio = child.stdio as unknown as readonly (Readable & Writable)[]
  const { [descriptors.info]: info, [descriptors.block]: block } = stdio
  if (!info || !block) {
    end()
    return
  }
  for (const stream of [info, block]) stream.on('error', () => undefined)
  info.once('data', () => {
    try {
      for (const member of listFamily(pid)) group.add(member)
      block.end('1')
    } catch {
      end()
    }
  })
}

const orderFor = (job: SandboxJob): BootOrder => {
  const restrictive = job.mode === 'restrictive'
  return {
    memory: job.limits.memoryBytes,
    cpuSeconds: Math.ceil(job.limits.timeoutMs / 1000) + 1,
    fileBytes: job.limits.diskBytes,
    processes: restrictive ? 4 : job.limits.processes,
    restrictive,
    filter: restrictive ? processFilter().toString('base64') : null,
    landlock: null,
    file: '/box/main.py',
    allowed: [...allowedModules, ...allowedPackages],
    workspace: job.workspace !== undefined,
  }
}

/** Runs code under bubblewrap, if that works here: namespaces of its own for everything, no network, a filter of system calls. */
export const openBubblewrap = async (python: string, concurrency: number): Promise<Probe> => {
  if (process.platform !== 'linux' || !hasSeccomp())
    return { reason: 'bubblewrap needs Linux on x64 or arm64' }
  const isRoot = process.getuid?.() === 0
  const newGroup = openGroups()
  const slots = openSlots(concurrency)

  const runWith =
    (canLockUsers: boolean) =>
    (job: SandboxJob): Promise<SandboxResult> =>
      slots.within(async slot => {
        const group = newGroup?.({ ...job.limits, processes: job.limits.processes + 8 })
        try {
          const { extraOutput, ...result } = await runProcess({
            command: 'bwrap',
            args: [
              ...arrange(python, job, canLockUsers),
              ...(group
                ? ['--info-fd', String(descriptors.info), '--block-fd', String(descriptors.block)]
                : []),
              ...['--', python, '-I', '-B', '/box/boot.py', JSON.stringify(orderFor(job))],
            ],
            user: isRoot ? firstUser + slot : undefined,
            stdin: job.stdin,
            gives: new Map<number, string | Buffer>([
              [descriptors.code, job.code],
              [descriptors.filter, baseFilter()],
              [descriptors.boot, bootScript],
              [descriptors.filesIn, job.workspace ? packFiles(job.workspace) : ''],
            ]),
            leaves: group ? [descriptors.info, descriptors.block] : [],
            takes: { descriptor: descriptors.filesOut, bytes: 2 * workspaceLimits.bytes },
            timeoutMs: job.limits.timeoutMs,
            signal: job.signal,
            outputBytes: job.limits.outputBytes,
            watch(pid, end, child: ChildProcess) {
              if (!group) return watchMemory(pid, job.limits.memoryBytes, () => end('memory_limit'))
              enterGroup(group, pid, child, () => end())
              return undefined
            },
          })
          return {
            ...result,
            ...(group?.ranOut() && result.status === 'error' && { status: 'memory_limit' as const }),
            workspace:
              job.workspace && result.status === 'ok' && extraOutput ? unpackFiles(extraOutput) : undefined,
          }
        } finally {
          await group?.remove()
        }
      })

  const attempts: (Found | { reason: string })[] = []
  for (const canLockUsers of [true, false]) {
    const run = runWith(canLockUsers)
    const findings = await probe(run)
    attempts.push(findings)
    if ('reason' in findings) continue
    return {
      sandbox: {
        facts: {
          runner: 'bubblewrap',
          ...findings,
          isolates: {
            filesystem: 'mount namespace; the system is read-only, /tmp is empty and ends with the run',
            network: 'network namespace without an interface, and no sockets',
            processes: 'process namespace and a system call filter',
            memory: newGroup ? 'cgroup' : 'watcher',
            cpu: newGroup !== undefined,
          },
          modes: ['restrictive', 'permissive'],
          workspace: true,
        },
        run,
        close: async () => undefined,
      },
    }
  }
  return {
    reason: `bubblewrap: ${attempts.map(attempt => ('reason' in attempt ? attempt.reason : '')).at(-1)}`,
  }
}
