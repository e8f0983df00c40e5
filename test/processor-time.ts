import { readFileSync } from 'node:fs'

/** Processor seconds by a `stat` of /proc: user and system, then those of ended children. Off Linux those of this process. */
const readSeconds = (path: string, fields: 2 | 4): number => {
  try {
    const text = readFileSync(path, 'utf8')
    const ticks = text
      .slice(text.lastIndexOf(')') + 2)
      .split(' ')
      .slice(11, 11 + fields)
    return ticks.reduce((sum, tick) => sum + Number(tick), 0) / 100
  } catch {
    const { user, system } = process.cpuUsage()
    return (user + system) / 1e6
  }
}

/** Processor seconds of this thread alone: other tests work in other threads of the same process. */
export const threadSeconds = (): number => readSeconds('/proc/thread-self/stat', 2)

/** Processor seconds of this process and of the children that it has waited for. */
export const processSeconds = (): number => readSeconds('/proc/self/stat', 4)
