import { openChild } from './child.ts'
import { median } from './median.ts'
import type { Bench, Group } from './row.ts'

type RepairTime = { ms: number; bytes: number }

const rounds = 9
const smallRows = 250
const megabyteRows = 9000

const repairing: Bench = {
  name: 'json-repair, 28 KB of broken JSON',
  unit: 'x',
  against: 'jsonrepair 3.15.0',
  aim: { atLeast: 1 },
  async measure() {
    const child = await openChild('text')
    try {
      const repair = (by?: string) => child.ask<RepairTime>('repair', { count: smallRows, by })
      for (let nth = 0; nth < 5; nth++) await repair()
      for (let nth = 0; nth < 5; nth++) await repair('jsonrepair')
      const ours: number[] = []
      const theirs: number[] = []
      while (ours.length < rounds) {
        ours.push((await repair()).ms)
        theirs.push((await repair('jsonrepair')).ms)
      }
      const [mine, peer] = [median(ours), median(theirs)]
      return {
        value: peer / mine,
        note: `${mine.toFixed(1)} ms of CPU with the list of fixes; peer ${peer.toFixed(1)} ms`,
      }
    } finally {
      await child.stop()
    }
  },
}

const inMs = (name: string, verb: string, arg: unknown): Bench => ({
  name,
  unit: 'ms of CPU',
  aim: { below: 300 },
  async measure() {
    const child = await openChild('text')
    try {
      const ask = async () => {
        const result = await child.ask<number | RepairTime>(verb, arg)
        return typeof result === 'number' ? result : result.ms
      }
      const first = await ask()
      const times: number[] = []
      while (times.length < rounds) times.push(await ask())
      return {
        value: median(times),
        note: `first ${first.toFixed(0)} ms, most ${Math.max(...times).toFixed(0)}`,
      }
    } finally {
      await child.stop()
    }
  },
})

/** What the data skills do with text alone, on one thread. */
export const dataText: Group = {
  name: 'dataText',
  benches: [
    repairing,
    inMs('json-repair, 1 MB of broken JSON', 'repair', { count: megabyteRows }),
    inMs('text-entities, 1 MB of contacts', 'entities', 1_000_000),
  ],
}
