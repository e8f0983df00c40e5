import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { StoreFailure } from '../index.ts'
import type { Disk } from './disk.ts'

type Holder = { pid: number; started: string; host: string }

const host = (): string => hostname().replaceAll(/[^A-Za-z0-9-]/g, '-')

const readStat = (pid: number): { state?: string | undefined; started: string } => {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1')
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    return { state: fields[0], started: fields[19] ?? '0' }
  } catch {
    return { started: '0' }
  }
}

const isAlive = ({ pid, started }: Holder): boolean => {
  try {
    process.kill(pid, 0)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ESRCH') return false
  }
  const now = readStat(pid)
  return now.state !== 'Z' && (started === '0' || started === now.started)
}

const holderIn = (name: string): Holder | undefined => {
  const [, pid, started, at] = /^lock\.(\d+)\.(\d+)\.([A-Za-z0-9-]+)\.[0-9a-f]+$/.exec(name) ?? []
  return pid && started && at ? { pid: Number(pid), started, host: at } : undefined
}

const refusal = (dir: string, name: string, { pid, host: at }: Holder): string => {
  if (at === host()) return `${dir} is in use by process ${pid}. One process at a time: stop that one first.`
  return `${dir} is in use by process ${pid} of ${at}. If that machine is gone, delete ${join(dir, name)} and start again.`
}

const attempt = async (disk: Disk, dir: string): Promise<{ path: string } | { reason: string }> => {
  const ownName = `lock.${process.pid}.${readStat(process.pid).started}.${host()}.${randomBytes(8).toString('hex')}`
  const path = join(dir, ownName)
  await (await disk.create(path)).close()
  for (const name of await disk.list(dir)) {
    const holder = name === ownName ? undefined : holderIn(name)
    if (!holder) continue
    if (holder.host === host() && !isAlive(holder)) {
      await disk.remove(join(dir, name))
      continue
    }
    await disk.remove(path)
    return { reason: refusal(dir, name, holder) }
  }
  return { path }
}

/**
 * Takes the directory for this process and returns the way to let go. Each comer first puts down a file of its own,
 * named by process, start time and host, and then looks for others: two may both step back, never both go on. What a
 * dead process of this host left is removed. Throws a StoreFailure when a living process holds the directory.
 */
export const lock = async (disk: Disk, dir: string): Promise<() => Promise<void>> => {
  let reason = ''
  for (let tries = 0; tries < 3; tries++) {
    const attemptResult = await attempt(disk, dir)
    if ('path' in attemptResult) return () => disk.remove(attemptResult.path)
    reason = attemptResult.reason
    await sleep(20 + Math.random() * 80)
  }
  throw new StoreFailure(reason)
}
