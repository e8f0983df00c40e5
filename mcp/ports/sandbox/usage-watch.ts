import { readFileSync } from 'node:fs'
import type { SandboxUsage } from './port.ts'

const pageBytes = 4096
/** USER_HZ: what /proc counts in, on every machine that Node runs on. */
const ticksPerSecond = 100
const intervalMs = 50

/** Reads what a process and all below it hold, and have used with those that they waited for. */
const read = (root: number): SandboxUsage => {
  const queue = [root]
  let pages = 0
  let ticks = 0
  for (let pid = queue.pop(); pid !== undefined; pid = queue.pop()) {
    try {
      // The name, which is in parentheses, may hold anything.
      const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
        .replace(/^.*\) /s, '')
        .split(' ')
        .map(Number)
      // utime, stime, cutime and cstime, then the resident set: fields 14 to 17 and 24 of proc_pid_stat(5).
      ticks += fields.slice(11, 15).reduce((sum, part) => sum + part, 0)
      pages += fields[21] ?? 0
      const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8')
      queue.push(...children.split(' ').filter(Boolean).map(Number))
    } catch {
      // It ended meanwhile.
    }
  }
  return { cpuSeconds: ticks / ticksPerSecond, memoryBytes: pages * pageBytes }
}

/** Looks at a process and all below it 20 times a second, until it is stopped, and tells when they hold too much memory. */
export const watchUsage = (pid: number, maxBytes: number, onLimit: () => void) => {
  const usage = { cpuSeconds: 0, memoryBytes: 0 }
  const look = () => {
    const now = read(pid)
    usage.cpuSeconds = Math.max(usage.cpuSeconds, now.cpuSeconds)
    usage.memoryBytes = Math.max(usage.memoryBytes, now.memoryBytes)
    if (now.memoryBytes > maxBytes) onLimit()
  }
  const timer = setInterval(look, intervalMs)
  return { usage, stop: () => clearInterval(timer) }
}
