import { openChild } from './child.ts'
import { median } from './median.ts'
import type { Bench, Group } from './row.ts'

const urls = 50_000
const rounds = 7

const sitemap: Bench = {
  name: 'sitemap of 50,000 URLs',
  unit: 'ms',
  aim: { below: 250 },
  async measure() {
    const child = await openChild('feeds')
    try {
      const ask = () => child.ask<{ ms: number; megabytes: number }>('sitemap', urls)
      const { ms: first, megabytes } = await ask()
      const times: number[] = []
      while (times.length < rounds) times.push((await ask()).ms)
      return { value: median(times), note: `${megabytes.toFixed(1)} MB, first ${first.toFixed(0)} ms` }
    } finally {
      await child.stop()
    }
  },
}

const memory: Bench = {
  name: 'memory of a process after the hostile pages',
  unit: 'MB',
  aim: { below: 400 },
  async measure() {
    const child = await openChild('feeds')
    try {
      return { value: await child.ask<number>('memory', 3), note: 'resident, with two warm threads' }
    } finally {
      await child.stop()
    }
  },
}

/** What the data skills do with large XML, and what they hold after the worst of the web. */
export const feeds: Group = { name: 'feeds', benches: [sitemap, memory] }
