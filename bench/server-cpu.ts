import { readdir, readFile } from 'node:fs/promises'
import pg from 'pg'

/** Microseconds of processor time in a clock tick of /proc. */
const tickMicros = 10_000

const readStat = async (pid: string): Promise<string[]> => {
  const text = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '')
  return text.slice(text.lastIndexOf(')') + 2).split(' ')
}

/** Microseconds of processor time of a server and all its processes, the ended ones too. */
export const serverCpu = async (url: string): Promise<number> => {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  const answer = await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid')
  const [, postmaster] = await readStat(String(answer.rows[0]?.pid))
  await client.end()
  if (postmaster === undefined) throw new Error('the server is on another machine')
  const pids = (await readdir('/proc')).filter(name => /^\d+$/.test(name))
  const stats = await Promise.all(pids.map(readStat))
  const own = stats.filter((stat, at) => stat[1] === postmaster || pids[at] === postmaster)
  const ticks = own.reduce((sum, stat, at) => {
    const isPostmaster = pids[stats.indexOf(own[at] ?? [])] === postmaster
    const spent = [11, 12, ...(isPostmaster ? [13, 14] : [])]
    return sum + spent.reduce((part, field) => part + Number(stat[field]), 0)
  }, 0)
  return ticks * tickMicros
}
