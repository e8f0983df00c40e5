import { type PostgresServer, startPostgres } from '../test/postgres.ts'
import { type Child, openChild } from './child.ts'
import type { Worked } from './contestants/postgres.ts'
import { median } from './median.ts'
import type { Bench, Group } from './row.ts'
import { serverCpu } from './server-cpu.ts'

const rows = 1000
const workers = 16
const roundMs = 1000
const rounds = 5
let server: Promise<PostgresServer> | undefined

const withReplicas = async <R>(
  count: number,
  work: (replicas: readonly Child[], url: string) => Promise<R>,
) => {
  server ??= startPostgres()
  const url = await (await server).createDatabase()
  const replicas: Child[] = []
  try {
    while (replicas.length < count) {
      const replica = await openChild('postgres')
      replicas.push(replica)
      await replica.ask('open', { url })
    }
    await replicas[0]?.ask('seed', { rows })
    return await work(replicas, url)
  } finally {
    await Promise.all(replicas.map(replica => replica.stop()))
  }
}

type Verb = 'update' | 'transact' | 'read'

/** What all replicas together do in a second, each with its part of the workers. */
const rateOf = async (replicas: readonly Child[], verb: Verb, spread: number): Promise<number> => {
  const load = { workers: workers / replicas.length, rows: spread, ms: roundMs }
  const results = await Promise.all(replicas.map(replica => replica.ask<Worked>(verb, load)))
  return results.reduce((sum, { done, seconds }) => sum + done / seconds, 0)
}

const hotRow = (count: number, verb: 'update' | 'transact', what: string): Bench => ({
  name: `one hot row on PostgreSQL, ${what}, ${count} replica${count === 1 ? '' : 's'}`,
  unit: 'x',
  against: '1,000 rows in turn, the same machine',
  aim: { atLeast: 0.9 },
  measure: () =>
    withReplicas(count, async replicas => {
      const pairs: { hot: number; spread: number }[] = []
      await rateOf(replicas, verb, rows)
      await rateOf(replicas, verb, 1)
      while (pairs.length < rounds)
        pairs.push({ hot: await rateOf(replicas, verb, 1), spread: await rateOf(replicas, verb, rows) })
      const figure = (rates: readonly number[]) => `${Math.round(median(rates)).toLocaleString('en')}/s`
      return {
        value: median(pairs.map(({ hot, spread }) => hot / spread)),
        note: `hot ${figure(pairs.map(({ hot }) => hot))}, spread ${figure(pairs.map(({ spread }) => spread))}; fsync=off`,
      }
    }),
})

const reads: Bench = {
  name: 'read on PostgreSQL, nine by id and one page of twenty, processor time of program and server',
  unit: 'µs',
  measure: () =>
    withReplicas(1, async ([replica], url) => {
      if (!replica) throw new Error('no replica')
      const load = { workers, rows, ms: roundMs }
      await replica.ask('read', load)
      const rounds: { program: number; server: number }[] = []
      while (rounds.length < 5) {
        const before = await serverCpu(url)
        const { done, cpu } = await replica.ask<Worked>('read', { ...load, ms: 2000 })
        const spent = (await serverCpu(url)) - before
        rounds.push({ program: cpu / done, server: spent / done })
      }
      const program = median(rounds.map(round => round.program))
      const own = median(rounds.map(round => round.server))
      return {
        value: program + own,
        note: `${program.toFixed(0)} in the program, ${own.toFixed(0)} in the server`,
      }
    }),
}

/** PostgreSQL: what a read costs, and rows that everybody writes. */
export const postgres: Group = {
  name: 'postgres',
  benches: [
    reads,
    ...[1, 2, 4].map(count => hotRow(count, 'update', 'updates')),
    ...[1, 4].map(count => hotRow(count, 'transact', 'transactions')),
  ],
  close: async () => (await server)?.stop(),
}
