import type { ChildProcess } from 'node:child_process'
import { readFileSync } from 'node:fs'
import type { Readable, Writable } from 'node:stream'
import { type BootOrder, bootOrder, bootScript, codeEnvironment } from './boot.ts'
import { openGroups, type ProcessGroup } from './cgroup.ts'
import { packFiles, unpackFiles, workspaceLimits } from './files.ts'
import { findInstallation } from './installation.ts'
import { findPackages } from './packages.ts'
import type { RunnerOptions, SandboxJob, SandboxProbe, SandboxResult } from './port.ts'
import { type Found, probeRunner } from './probe.ts'
import { runProcess } from './process.ts'
import { callFilter, hasSeccomp, processFilter } from './seccomp.ts'
import { watchUsage } from './usage-watch.ts'
import { asOwnUser } from './users.ts'

const descriptors = {
  code: 3,
  filter: 4,
  boot: 5,
  info: 6,
  block: 7,
  filesIn: 8,
  filesOut: 9,
  stdin: 10,
} as const

/** All of /dev that code gets: no terminals, no descriptors by their path. */
const devices = ['null', 'zero', 'full', 'random', 'urandom']

const arrange = (
  { mounts, canLockUsers }: { mounts: readonly string[]; canLockUsers: boolean },
  { limits, workspace }: SandboxJob,
  environment: Readonly<Record<string, string>>,
): string[] => [
  ...['--unshare-all', '--unshare-user', '--die-with-parent', '--new-session'],
  ...(canLockUsers ? ['--disable-userns'] : []),
  ...['--uid', '1000', '--gid', '1000', '--hostname', 'sandbox', '--cap-drop', 'ALL'],
  ...['--symlink', 'usr/bin', '/bin', '--symlink', 'usr/lib', '/lib', '--symlink', 'usr/lib64', '/lib64'],
  ...mounts.flatMap(path => ['--ro-bind', path, path]),
  // There is no /proc: it would show the machine, and open the memory of processes of the same user.
  ...['--size', '65536', '--tmpfs', '/dev'],
  ...devices.flatMap(name => ['--dev-bind', `/dev/${name}`, `/dev/${name}`]),
  ...['--ro-bind-data', String(descriptors.stdin), '/dev/stdin'],
  ...['--size', String(8 << 20), '--tmpfs', '/dev/shm', '--remount-ro', '/dev'],
  ...['--size', String(limits.diskBytes), '--tmpfs', '/tmp', '--dir', '/box'],
  ...(workspace ? ['--size', String(workspaceLimits.bytes), '--tmpfs', '/workspace'] : []),
  ...['--ro-bind-data', String(descriptors.code), '/box/main.py'],
  ...['--ro-bind-data', String(descriptors.boot), '/box/boot.py'],
  ...['--remount-ro', '/', '--chdir', '/tmp', '--clearenv'],
  ...Object.entries(environment).flatMap(([name, value]) => ['--setenv', name, value]),
  ...['--seccomp', String(descriptors.filter)],
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
const enterGroup = (group: ProcessGroup, pid: number, child: ChildProcess, end: () => void): void => {
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

const orderFor = (job: SandboxJob, packages: string | undefined): BootOrder => ({
  ...bootOrder(job),
  filter: processFilter().toString('base64'),
  landlock: null,
  file: '/box/main.py',
  packages: packages ?? null,
})

/** Runs code under bubblewrap, if that works here: namespaces of its own for everything, no network, a filter of system calls. */
export const openBubblewrap = async ({ python, packages: folder }: RunnerOptions): Promise<SandboxProbe> => {
  if (process.platform !== 'linux' || !hasSeccomp())
    return { reason: 'bubblewrap needs Linux on x64 or arm64' }
  const installation = await findInstallation(python)
  if ('reason' in installation) return { reason: `bubblewrap: ${installation.reason}` }
  const packages = findPackages(folder)
  const mounts = [...installation.folders, ...(packages ? [packages.folder] : [])]
  const newGroup = openGroups()

  const runAs = async (user: number | undefined, canLockUsers: boolean, job: SandboxJob) => {
    const group = newGroup?.({ ...job.limits, processes: job.limits.processes + 8 })
    const { workspace } = job
    let watcher: ReturnType<typeof watchUsage> | undefined
    try {
      const { extraOutput, ...result } = await runProcess({
        command: 'bwrap',
        args: [
          ...arrange({ mounts, canLockUsers }, job, codeEnvironment(job.limits, packages)),
          ...(group ? ['--info-fd', String(descriptors.info), '--block-fd', String(descriptors.block)] : []),
          ...['--', python, '-I', '-B', '/box/boot.py', JSON.stringify(orderFor(job, packages?.modules))],
        ],
        user,
        stdin: job.stdin,
        gives: new Map<number, string | Buffer>([
          [descriptors.code, job.code],
          [descriptors.filter, callFilter()],
          [descriptors.boot, bootScript],
          [descriptors.stdin, job.stdin],
          ...(workspace ? [[descriptors.filesIn, packFiles(workspace)] as const] : []),
        ]),
        leaves: group ? [descriptors.info, descriptors.block] : [],
        takes: workspace && { descriptor: descriptors.filesOut, bytes: 2 * workspaceLimits.bytes },
        timeoutMs: job.limits.timeoutMs,
        signal: job.signal,
        outputBytes: job.limits.outputBytes,
        watch(pid, end, child: ChildProcess) {
          if (group) enterGroup(group, pid, child, () => end())
          if (group?.usage()) return undefined
          watcher = watchUsage(pid, job.limits.memoryBytes, () => end('memory_limit'))
          return watcher.stop
        },
      })
      return {
        ...result,
        usage: group?.usage() ?? watcher?.usage ?? { cpuSeconds: 0, memoryBytes: 0 },
        ...(group?.ranOut() && result.status === 'error' && { status: 'memory_limit' as const }),
        workspace: workspace && result.status === 'ok' && extraOutput ? unpackFiles(extraOutput) : undefined,
      }
    } finally {
      await group?.remove()
    }
  }

  const runWith =
    (canLockUsers: boolean) =>
    (job: SandboxJob): Promise<SandboxResult> =>
      asOwnUser(user => runAs(user, canLockUsers, job))

  const attempts: (Found | { reason: string })[] = []
  for (const canLockUsers of [true, false]) {
    const run = runWith(canLockUsers)
    const findings = await probeRunner(run)
    attempts.push(findings)
    if ('reason' in findings) continue
    return {
      sandbox: {
        facts: {
          runner: 'bubblewrap',
          ...findings,
          isolates: {
            filesystem:
              'mount namespace; programs and libraries are read-only, /tmp is empty and ends with the run',
            network: 'network namespace without an interface, and no sockets',
            processes: 'process namespace and a list of system calls',
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
