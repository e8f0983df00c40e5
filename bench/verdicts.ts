import { openChild } from './child.ts'
import { median } from './median.ts'
import type { Bench, Group } from './row.ts'

const rounds = 9

const flipping: Bench = {
  name: 'validate, 10,000 sign flips of 2,000 trades',
  unit: 'x',
  against: 'plain typed loop',
  aim: { atLeast: 10 },
  async measure() {
    const child = await openChild('verdicts')
    try {
      const flip = (plain: boolean) => child.ask<number>('flip', { permutations: 10_000, plain })
      for (const plain of [false, true, false, true]) await flip(plain)
      const ours: number[] = []
      const theirs: number[] = []
      while (ours.length < rounds) {
        ours.push(await flip(false))
        theirs.push(await flip(true))
      }
      const [mine, plain] = [median(ours), median(theirs)]
      return { value: plain / mine, note: `${mine.toFixed(1)} ms of CPU; plain loop ${plain.toFixed(1)} ms` }
    } finally {
      await child.stop()
    }
  },
}

/** Median milliseconds of processor time of a verb, in a process of its own and after it is warm. */
const measureVerb = async (verb: string): Promise<number> => {
  const child = await openChild('verdicts')
  try {
    const times: number[] = []
    for (let round = 0; round < 5 * rounds; round++) {
      const ms = await child.ask<number>(verb)
      if (round >= 2 * rounds) times.push(ms)
    }
    return median(times)
  } finally {
    await child.stop()
  }
}

const reviewing: Bench = {
  name: 'review of a diff of 20 kB, processor time',
  unit: 'ms',
  aim: { below: 5 },
  measure: async () => ({ value: await measureVerb('review'), note: 'every rule, no model' }),
}

const signing: Bench = {
  name: 'on-chain review without a node, processor time',
  unit: 'ms',
  aim: { below: 0.5 },
  measure: async () => ({ value: await measureVerb('onchain'), note: 'mean over the labelled actions' }),
}

/** What verdicts cost: of track records, transactions and artifacts. */
export const verdicts: Group = { name: 'verdicts', benches: [reviewing, signing, flipping] }
