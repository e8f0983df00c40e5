import { type BootOrder, bootOrder, bootScript, codeEnvironment } from './boot.ts'
import { findInstallation } from './installation.ts'
import { findPackages } from './packages.ts'
import type { RunnerOptions, SandboxJob, SandboxProbe, SandboxResult } from './port.ts'
import { type Found, probeRunner } from './probe.ts'
import { runProcess } from './process.ts'
import { callFilter, hasSeccomp } from './seccomp.ts'
import { watchUsage } from './usage-watch.ts'
import { asOwnUser } from './users.ts'

/** How a process is started. */
type Entry = {
  command: string
  args: readonly string[]
  user: number | undefined
  /** Root of its files. */
  root: string
  says: string
}

const system = '/usr'

/** Paths of time zones below the other root, for zoneinfo and for pytz. */
const timeZones = { PYTHONTZPATH: '/share/zoneinfo', PYTZ_TZDATADIR: '/share/zoneinfo' }

const unshareFlags = ['--ipc', '--net']

/**
 * Ways in, the most closed first: with the system alone as the root of all files, if the kernel lets this program say so, since Landlock
 * hides what is in a file and not that it is there; and with message queues and interfaces of its own.
 */
const entriesFor = (user: number | undefined): Entry[] => {
  const id = String(user)
  const chosen = { root: system, says: 'nothing else of the machine is there' }
  const plain: Entry = {
    command: '',
    args: [],
    user,
    root: '/',
    says: 'what else is there can be seen, not opened',
  }
  if (user === undefined)
    return [
      {
        ...chosen,
        command: 'unshare',
        args: ['--user', ...unshareFlags, `--root=${system}`, '--wd=/'],
        user,
      },
      plain,
    ]
  const asUser = ['--setuid', id, '--setgid', id]
  return [
    {
      ...chosen,
      command: 'unshare',
      args: [...unshareFlags, `--root=${system}`, '--wd=/', ...asUser],
      user: undefined,
    },
    { ...chosen, command: 'chroot', args: [`--userspec=${id}:${id}`, '--groups=', system], user: undefined },
    plain,
  ]
}

const isRoot = process.getuid?.() === 0

/** A path as it is named below a root; undefined for one that lies elsewhere. */
const below = (root: string, path: string): string | undefined => {
  if (root === '/' || path === root) return root === '/' ? path : '/'
  return path.startsWith(`${root}/`) ? path.slice(root.length) : undefined
}

/**
 * Runs code under Landlock and a filter of system calls, where namespaces are forbidden, as in many containers. Nothing can be
 * written, no process started, and only restrictive code is taken: there is no namespace to hold what it would start.
 * `skipped` leaves out the first ways in.
 */
export const openLandlock = async (
  { python, packages: folder }: RunnerOptions,
  skipped = 0,
): Promise<SandboxProbe> => {
  if (process.platform !== 'linux' || !hasSeccomp()) return { reason: 'Landlock needs Linux on x64 or arm64' }
  const installation = await findInstallation(python)
  if ('reason' in installation) return { reason: `Landlock: ${installation.reason}` }
  const packages = findPackages(folder)
  const readable = [...installation.folders, ...(packages ? [packages.folder] : [])]

  const runAs = async (user: number | undefined, way: number, job: SandboxJob): Promise<SandboxResult> => {
    const entry = entriesFor(user)[way]
    if (!entry) throw new Error('There is no such way in.')
    const inside = (path: string) => below(entry.root, path)
    const command = inside(python)
    if (command === undefined) throw new Error(`${python} is not below ${entry.root}.`)
    // Under another root Python does not find its library by itself, and -I would not let it be told.
    const home = entry.root === '/' ? undefined : inside(installation.prefix)
    const modules = packages && inside(packages.modules)
    const order: BootOrder = {
      ...bootOrder({ ...job, workspace: undefined }),
      fileBytes: 0,
      // Those of its user, if that is ours.
      ...(user === undefined && { processes: 1024 }),
      filter: null,
      landlock: {
        readable: readable.flatMap(path => inside(path) ?? []),
        filter: callFilter(true).toString('base64'),
      },
      file: null,
      packages: modules ?? null,
    }
    const libraries = packages && inside(packages.libraries)
    let watcher: ReturnType<typeof watchUsage> | undefined
    const { extraOutput: _, ...result } = await runProcess({
      command: entry.command || command,
      args: [
        ...(entry.command ? [...entry.args, command] : []),
        ...(home === undefined ? ['-I'] : ['-s']),
        ...['-B', '-c', bootScript, JSON.stringify(order)],
      ],
      user: entry.user,
      environment: {
        ...codeEnvironment(job.limits, modules && libraries ? { folder, modules, libraries } : undefined),
        ...(home !== undefined && { PYTHONHOME: home, ...timeZones }),
        PATH: '/usr/bin:/usr/sbin:/bin:/sbin',
      },
      stdin: job.stdin,
      gives: new Map([[3, job.code]]),
      timeoutMs: job.limits.timeoutMs,
      signal: job.signal,
      outputBytes: job.limits.outputBytes,
      watch(pid, end) {
        watcher = watchUsage(pid, job.limits.memoryBytes, () => end('memory_limit'))
        return watcher.stop
      },
    })
    return { ...result, usage: watcher?.usage ?? { cpuSeconds: 0, memoryBytes: 0 } }
  }

  const attempts: (Found | { reason: string })[] = []
  for (const [way, { says }] of entriesFor(isRoot ? 0 : undefined).entries()) {
    if (way < skipped) continue
    const run = (job: SandboxJob) => asOwnUser(user => runAs(user, way, job))
    const findings = await probeRunner(run)
    attempts.push(findings)
    if ('reason' in findings) continue
    return {
      sandbox: {
        facts: {
          runner: 'landlock',
          ...findings,
          isolates: {
            filesystem: `Landlock: programs and libraries can be read, nothing written; ${says}`,
            network: 'no sockets, by a list of system calls',
            processes: 'a list of system calls: none can be started, none signalled',
            memory: 'watcher',
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
  return {
    reason: `Landlock: ${attempts.map(attempt => ('reason' in attempt ? attempt.reason : '')).at(-1)}`,
  }
}
