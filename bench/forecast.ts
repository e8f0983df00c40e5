import { openChild } from './child.ts'
import { median } from './median.ts'
import type { Bench, Group } from './row.ts'

const rounds = 9
const million = 1_000_000

let child: ReturnType<typeof openChild> | undefined
const ask = async <R>(verb: string, arg: unknown): Promise<R> => {
  child ??= openChild('forecast')
  return (await child).ask<R>(verb, arg)
}

const repeat = async (verb: string, arg: unknown, warmUp = 2): Promise<number[]> => {
  for (let n = 0; n < warmUp; n++) await ask(verb, arg)
  const values: number[] = []
  while (values.length < rounds) values.push(await ask<number>(verb, arg))
  return values
}

const scoring: Bench = {
  name: 'score 100,000 predictions in full',
  unit: 'ms of CPU',
  aim: { below: 150 },
  async measure() {
    return {
      value: median(await repeat('score', 100_000)),
      note: 'Brier to AUC, curve, bootstrap, time-weighted',
    }
  },
}

const snapshot: Bench = {
  name: 'signed snapshot of a million predictions after one more',
  unit: 'ms of CPU',
  aim: { below: 5 },
  async measure() {
    const values = await repeat('snapshot', million, 60)
    return {
      value: median(values),
      note: `at most ${Math.max(...values).toFixed(1)} ms; the store is memory`,
    }
  },
}

const proofs: Bench = {
  name: 'inclusion and consistency proofs among a million predictions',
  unit: 'ms',
  aim: { below: 1 },
  async measure() {
    const both: { inclusion: number; consistency: number }[] = []
    for (let n = 0; n < 200; n++) both.push(await ask('prove', million))
    const [one, other] = [median(both.map(row => row.inclusion)), median(both.map(row => row.consistency))]
    return {
      value: Math.max(one, other),
      note: `inclusion ${one.toFixed(3)} ms, consistency ${other.toFixed(3)} ms`,
    }
  },
}

const filings: Bench = {
  name: 'filings analysis of 3 MB of company facts, on a thread of its own',
  unit: 'ms of CPU',
  against: 'a plain walk',
  aim: { below: 60 },
  async measure() {
    const ours = median(await repeat('filings', false, 5))
    const plain = median(await repeat('filings', true, 5))
    return { value: ours, note: `a plain walk over it ${plain.toFixed(1)} ms` }
  },
}

const consultation: Bench = {
  name: 'consultation without a model',
  unit: 'ms of CPU',
  aim: { below: 2 },
  async measure() {
    return {
      value: median(await repeat('consult', 200)),
      note: 'from input to sealed, registered and signed answer',
    }
  },
}

/** What forecasts cost, and the record of them. */
export const forecasts: Group = {
  name: 'forecasts',
  benches: [scoring, filings, consultation, snapshot, proofs],
  async close() {
    await (await child)?.stop()
    child = undefined
  },
}
