import { join } from 'node:path'
import { startPostgres } from '../test/postgres.ts'
import { openChild } from './child.ts'
import { newFolder, removeFolders } from './folders.ts'
import { median } from './median.ts'
import type { Bench, Group, Measurement } from './row.ts'
import type { Written } from './writing.ts'

const accounts = 1000
const rounds = 10
const roundMs = 400
const warmMs = 1500
const postingsPerEntry = 2

const entriesAt = async (place: { dir: string } | { url: string }, writers: number) => {
  const child = await openChild('ledger')
  try {
    await child.ask('open', { ...place, accounts })
    const write = (ms: number) => child.ask<Written>('write', { accounts, writers, ms, until: 0 })
    await write(warmMs)
    const results: Written[] = []
    while (results.length < rounds) results.push(await write(roundMs))
    const entries = await child.ask<number>('audit')
    const micros = median(results.map(round => round.micros)).toFixed(0)
    return {
      value: median(results.map(({ writes, seconds }) => writes / seconds)),
      note: `${micros} µs of CPU; all pay to one account; ${entries.toLocaleString('en')} entries audited`,
    } satisfies Measurement
  } finally {
    await child.stop()
  }
}

const entries = (writers: number, name: string): Bench => ({
  name: `embedded ledger, durable entries of two postings, ${name}`,
  unit: '/s',
  measure: async () => entriesAt({ dir: join(await newFolder(), 'ledger') }, writers),
})

const onPostgres: Bench = {
  name: 'ledger postings/s on PostgreSQL, 64 writers',
  unit: '/s',
  async measure() {
    const server = await startPostgres()
    try {
      const { value, note } = await entriesAt({ url: await server.createDatabase() }, 64)
      return {
        value: value * postingsPerEntry,
        note: `${value.toFixed(0)} entries/s of two postings; fsync=off, so not durable; in the program ${note}`,
      }
    } finally {
      await server.stop()
    }
  },
}

/** The ledger on both engines: each entry in a transaction of its own, committed when it counts. */
export const ledger: Group = {
  name: 'ledger',
  benches: [entries(64, '64 writers'), entries(1, 'one writer'), onPostgres],
  close: removeFolders,
}
