import { readFileSync } from 'node:fs'

const pageBytes = 4096
const intervalMs = 50

const residentBytes = (root: number): number => {
  const queue = [root]
  let sum = 0
  for (let pid = queue.pop(); pid !== undefined; pid = queue.pop()) {
    try {
      sum += Number(readFileSync(`/proc/${pid}/statm`, 'utf8').split(' ')[1]) * pageBytes
      const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8')
      queue.push(...children.split(' ').filter(Boolean).map(Number))
    } catch {
      // It ended meanwhile.
    }
  }
  return sum
}

/** Looks at what a process and all below it hold in memory, 20 times a second, until it is told to stop. */
export const watchMemory = (pid: number, maxBytes: number, onLimit: () => void): (() => void) => {
  const timer = setInterval(() => {
    if (residentBytes(pid) > maxBytes) onLimit()
  }, intervalMs)
  return () => clearInterval(timer)
}
