import { join } from 'node:path'
import { openChild } from './child.ts'
import { newFolder, removeFolders } from './folders.ts'
import { median } from './median.ts'
import type { Bench, Group } from './row.ts'
import type { Written } from './writing.ts'

const accounts = 1000
const rounds = 10
const roundMs = 400
const warmMs = 1500

const entries = (writers: number, name: string): Bench => ({
  name: `embedded ledger, durable entries of two postings, ${name}`,
  unit: '/s',
  async measure() {
    const child = await openChild('ledger')
    try {
      await child.ask('open', { dir: join(await newFolder(), 'ledger'), accounts })
      const write = (ms: number) => child.ask<Written>('write', { accounts, writers, ms, until: 0 })
      await write(warmMs)
      const written: Written[] = []
      while (written.length < rounds) written.push(await write(roundMs))
      const audited = await child.ask<number>('audit')
      const micros = median(written.map(round => round.micros)).toFixed(0)
      return {
        value: median(written.map(({ writes, seconds }) => writes / seconds)),
        note: `${micros} µs of CPU; all pay to one account; ${audited.toLocaleString('en')} entries audited`,
      }
    } finally {
      await child.stop()
    }
  },
})

/** The ledger on the embedded engine: each entry in a transaction of its own, durable when it counts. */
export const ledger: Group = {
  name: 'ledger',
  benches: [entries(64, '64 writers'), entries(1, 'one writer')],
  close: removeFolders,
}
