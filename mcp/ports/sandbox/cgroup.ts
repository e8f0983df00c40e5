import { existsSync, mkdirSync, readdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'

const root = '/sys/fs/cgroup'
const periodUs = 100_000

export type GroupLimits = { memoryBytes: number; processes: number; cpus: number }

/** A group of processes that the kernel counts together. */
export type Group = {
  /** Its folders, one for each controller. */
  folders: readonly string[]
  add(pid: number): void
  /** Whether the kernel ended a process of it for want of memory. */
  ranOut(): boolean
  /** Ends what is still in the group, and takes it away. */
  remove(): Promise<void>
}

type Version = {
  folders: (name: string) => string[]
  limit: (folders: readonly string[], limits: GroupLimits) => void
  kills: (folders: readonly string[]) => number
}

const write = (folder: string, file: string, value: number | string) =>
  writeFileSync(join(folder, file), String(value))

const count = (text: string, name: string): number =>
  Number(new RegExp(`^${name} (\\d+)$`, 'm').exec(text)?.[1] ?? 0)

/** One hierarchy for each controller. */
const first: Version = {
  folders: name => ['memory', 'pids', 'cpu'].map(controller => join(root, controller, name)),
  limit([memory = '', pids = '', cpu = ''], limits) {
    write(memory, 'memory.limit_in_bytes', limits.memoryBytes)
    // With swap counted, where the kernel counts it.
    if (existsSync(join(memory, 'memory.memsw.limit_in_bytes')))
      write(memory, 'memory.memsw.limit_in_bytes', limits.memoryBytes)
    write(pids, 'pids.max', limits.processes)
    write(cpu, 'cpu.cfs_period_us', periodUs)
    write(cpu, 'cpu.cfs_quota_us', Math.round(limits.cpus * periodUs))
  },
  kills: ([memory = '']) => count(readFileSync(join(memory, 'memory.oom_control'), 'utf8'), 'oom_kill'),
}

/** One hierarchy for all; its controllers are switched on in the folder above. */
const second: Version = {
  folders: name => [join(root, name)],
  limit([folder = ''], limits) {
    write(folder, 'memory.max', limits.memoryBytes)
    if (existsSync(join(folder, 'memory.swap.max'))) write(folder, 'memory.swap.max', 0)
    write(folder, 'pids.max', limits.processes)
    write(folder, 'cpu.max', `${Math.round(limits.cpus * periodUs)} ${periodUs}`)
  },
  kills: ([folder = '']) => count(readFileSync(join(folder, 'memory.events'), 'utf8'), 'oom_kill'),
}

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

const makeGroup = (version: Version, name: string, limits: GroupLimits): Group => {
  const folders = version.folders(name)
  try {
    for (const folder of folders) mkdirSync(folder)
    version.limit(folders, limits)
  } catch (problem) {
    for (const folder of folders) removeFolder(folder)
    throw problem
  }
  return {
    folders,
    add: pid => {
      for (const folder of folders) write(folder, 'cgroup.procs', pid)
    },
    ranOut: () => version.kills(folders) > 0,
    remove: () => removeAll(folders),
  }
}

const prefix = 'octagent-sandbox-'

const isGone = (name: string): boolean => {
  const [pid] = name.slice(prefix.length).split('-')
  return !existsSync(`/proc/${pid}`)
}

/** Groups that processes which are gone have left. */
const sweep = ({ folders }: Version): void => {
  for (const folder of folders(''))
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
export const openGroups = (): ((limits: GroupLimits) => Group) | undefined => {
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
