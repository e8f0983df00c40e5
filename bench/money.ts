import { openChild } from './child.ts'
import { newFolder, removeFolders } from './folders.ts'
import { median } from './median.ts'
import type { Bench, Group } from './row.ts'

const rounds = 15

/** Asks one contestant again and again, after a first time that does not count. */
const repeat = async <R>(verb: string, arg: unknown): Promise<R[]> => {
  const child = await openChild('money')
  try {
    for (let nth = 0; nth < 5; nth++) await child.ask<R>(verb, arg)
    const results: R[] = []
    while (results.length < rounds) results.push(await child.ask<R>(verb, arg))
    return results
  } finally {
    await child.stop()
  }
}

const simulation: Bench = {
  name: 'dry run of a purchase of stocks on anvil: create, approve, deposit',
  unit: 'ms',
  aim: { below: 15 },
  async measure() {
    type Times = { ours: number; bare: number; answer: number }
    const times = await repeat<Times>('simulation', { dir: await newFolder() })
    const [ours, bare, answer] = (['ours', 'bare', 'answer'] as const).map(name =>
      median(times.map(time => time[name])),
    )
    return {
      value: ours ?? Number.NaN,
      note: `viem's own simulateBlocks ${bare?.toFixed(1)} ms; the whole answer of buy_stocks ${answer?.toFixed(1)} ms`,
    }
  },
}

const signals: Bench = {
  name: 'signals over 4 × 250 closes',
  unit: 'ms of CPU',
  aim: { below: 1 },
  async measure() {
    const times = await repeat<number>('signals', { closes: 250, rounds: 100 })
    return { value: median(times) }
  },
}

const priceToBeat: Bench = {
  name: 'price_to_beat from a live socket',
  unit: 'ms of CPU',
  aim: { below: 2 },
  async measure() {
    const times = await repeat<{ unpaid: number; paid: number }>('priceToBeat', { rounds: 20 })
    const paid = median(times.map(({ paid }) => paid)).toFixed(2)
    return {
      value: median(times.map(({ unpaid }) => unpaid)),
      note: `with its quote, until the 402; ${paid} ms paid, with the local ledger; the market's servers included`,
    }
  },
}

/** Tools of the money service. */
export const money: Group = {
  name: 'money',
  benches: [simulation, signals, priceToBeat],
  close: removeFolders,
}
