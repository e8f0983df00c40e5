import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmdirSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import type { SandboxUsage } from './port.ts'

const root = '/sys/fs/cgroup'
const periodUs = 100_000

export type GroupLimits = { memoryBytes: number; processes: number; cpus: number }

/** A group of processes that the kernel counts together. */
export type ProcessGroup = {
  /** Its folders, one for each controller. */
  folders: readonly string[]
  add(pid: number): void
  /** True when the kernel ended a process of it for want of memory. */
  ranOut(): boolean
  /** Usage until now. */
  usage(): SandboxUsage | undefined
  /** Ends what is still in the group, and takes it away. */
  remove(): Promise<void>
}

type Version = {
  controllers: readonly string[]
  limit: (name: string, limits: GroupLimits) => void
  kills: (name: string) => number
  /** Undefined where the kernel does not keep it. */
  usage: (name: string) => SandboxUsage | undefined
}

const at = (controller: string, name: string, file: string): string => join(root, controller, name, file)

const write = (path: string, value: number | string) => writeFileSync(path, String(value))

const read = (path: string): string => readFileSync(path, 'utf8')

const count = (text: string, name: string): number =>
  Number(new RegExp(`^${name} (\\d+)$`, 'm').exec(text)?.[1] ?? 0)

/** One hierarchy for each controller. */
const first: Version = {
  controllers: ['memory', 'pids', 'cpu', 'cpuacct'],
  limit(name, limits) {
    write(at('memory', name, 'memory.limit_in_bytes'), limits.memoryBytes)
    // With swap counted, where the kernel counts it.
    const swap = at('memory', name, 'memory.memsw.limit_in_bytes')
    if (existsSync(swap)) write(swap, limits.memoryBytes)
    write(at('pids', name, 'pids.max'), limits.processes)
    write(at('cpu', name, 'cpu.cfs_period_us'), periodUs)
    write(at('cpu', name, 'cpu.cfs_quota_us'), Math.round(limits.cpus * periodUs))
  },
  kills: name => count(read(at('memory', name, 'memory.oom_control')), 'oom_kill'),
  usage: name => ({
    cpuSeconds: Number(read(at('cpuacct', name, 'cpuacct.usage'))) / 1e9,
    memoryBytes: Number(read(at('memory', name, 'memory.max_usage_in_bytes'))),
  }),
}

/** One hierarchy for all; its controllers are switched on in the folder above. */
const second: Version = {
  controllers: [''],
  limit(name, limits) {
    write(at('', name, 'memory.max'), limits.memoryBytes)
    const swap = at('', name, 'memory.swap.max')
    if (existsSync(swap)) write(swap, 0)
    write(at('', name, 'pids.max'), limits.processes)
    write(at('', name, 'cpu.max'), `${Math.round(limits.cpus * periodUs)} ${periodUs}`)
  },
  kills: name => count(read(at('', name, 'memory.events')), 'oom_kill'),
  usage(name) {
    // Since Linux 5.19.
    const peak = at('', name, 'memory.peak')
    if (!existsSync(peak)) return
    const cpuSeconds = count(read(at('', name, 'cpu.stat')), 'usage_usec') / 1e6
    return { cpuSeconds, memoryBytes: Number(read(peak)) }
  },
}

/** Its folders; one where several controllers are mounted together. */
const foldersOf = ({ controllers }: Version, name: string): string[] => [
  ...new Set(controllers.map(controller => join(realpathSync(join(root, controller)), name))),
]

const removeFolder = (folder: string): boolean => {
  try {
    rmdirSync(folder)
    return true
  } catch (problem) {
    return (problem as NodeJS.ErrnoException).code === 'ENOENT'
  }
}

const endAll = (folder: string): void => {
  try {
    const pids = readFileSync(join(folder, 'cgroup.procs'), 'utf8').split('\n').map(Number)
    // 0 stands for a process outside of our namespace, and to kill() for this process and its group.
    for (const pid of pids) if (pid > 0) process.kill(pid, 'SIGKILL')
  } catch {
    // They ended meanwhile, and with them perhaps the folder.
  }
}

const removalTries = 100
const pauseMs = 20

/** A group can be taken away only after the last of its processes is buried, some moments after it was killed. */
const removeAll = async (folders: readonly string[]): Promise<void> => {
  let left = folders
  for (let tries = removalTries; tries > 0; tries--) {
    left = left.filter(folder => !removeFolder(folder))
    if (left.length === 0) return
    for (const folder of left) endAll(folder)
    await pause(pauseMs)
  }
}

const makeGroup = (version: Version, name: string, limits: GroupLimits): ProcessGroup => {
  const folders = foldersOf(version, name)
  try {
    for (const folder of folders) mkdirSync(folder)
    version.limit(name, limits)
  } catch (problem) {
    for (const folder of folders) removeFolder(folder)
    throw problem
  }
  return {
    folders,
    add: pid => {
      for (const folder of folders) write(join(folder, 'cgroup.procs'), pid)
    },
    ranOut: () => version.kills(name) > 0,
    usage: () => version.usage(name),
    remove: () => removeAll(folders),
  }
}

const prefix = 'octagent-sandbox-'

const isGone = (name: string): boolean => {
  const [pid] = name.slice(prefix.length).split('-')
  return !existsSync(`/proc/${pid}`)
}

/** Groups that processes which are gone have left. */
const sweep = (version: Version): void => {
  for (const folder of foldersOf(version, ''))
    for (const name of readdirSync(folder))
      if (name.startsWith(prefix) && isGone(name)) removeFolder(join(folder, name))
}

const delegates = (): boolean => {
  if (!existsSync(join(root, 'cgroup.subtree_control'))) return false
  const inUse = readFileSync(join(root, 'cgroup.subtree_control'), 'utf8').trim().split(' ')
  return ['memory', 'pids', 'cpu'].every(controller => inUse.includes(controller))
}

let groups = 0

/** Makes groups, if this process may; undefined where the kernel has none or somebody else keeps them. */
export const openGroups = (): ((limits: GroupLimits) => ProcessGroup) | undefined => {
  const version = existsSync(join(root, 'memory')) ? first : delegates() ? second : undefined
  if (!version) return
  const make = (limits: GroupLimits) => makeGroup(version, `${prefix}${process.pid}-${++groups}`, limits)
  try {
    sweep(version)
    void make({ memoryBytes: 64 << 20, processes: 16, cpus: 1 }).remove()
    return make
  } catch {
    return
  }
}
