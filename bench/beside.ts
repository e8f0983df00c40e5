import { type Child, openChild } from './child.ts'
import { type Ask, answerTo } from './load.ts'
import { median } from './median.ts'
import type { Bench, Group } from './row.ts'

const light: Ask = { method: 'GET', path: '/cat/api/pet', headers: { accept: 'application/json' } }

const contacts =
  'call +32 2 555 12 12 or tomorrow at 5, $1.000,50 a@b.example http://x.example/( next Friday '

/** A text that takes a worker some hundred milliseconds. */
const heavy: Ask = {
  method: 'POST',
  path: '/data/tools/text-entities?free=1',
  body: { text: contacts.repeat(800) },
}

/** Written once: the light calls are timed on the same thread. */
const heavyBody = JSON.stringify(heavy.body)

const heavyAtOnce = 50
const callsPerRound = 1000
const rounds = 5

const p99 = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length * 0.99)] ?? Number.NaN

/** The time of each of some light calls, one after the other. */
const times = async (url: string): Promise<number[]> => {
  const samples: number[] = []
  while (samples.length < callsPerRound) {
    const began = performance.now()
    await answerTo(url, light)
    samples.push(performance.now() - began)
  }
  return samples
}

/** One heavy call of a client. Throws when it is refused, since a refusal would weigh nothing. */
const callHeavy = async (url: string, client: string, signal: AbortSignal): Promise<void> => {
  const response = await fetch(url + heavy.path, {
    method: heavy.method,
    headers: { 'content-type': 'application/json', 'x-forwarded-for': client },
    body: heavyBody,
    signal,
  })
  const text = await response.text()
  if (response.status !== 200)
    throw new Error(`a heavy call was answered ${response.status}: ${text.slice(0, 300)}`)
}

/** The same while heavy calls are under way, always as many, each of another client. */
const timesBeside = async (url: string): Promise<number[]> => {
  const over = new AbortController()
  const lane = async (_: unknown, nth: number) => {
    while (!over.signal.aborted) await callHeavy(url, `192.0.2.${nth + 1}`, over.signal)
  }
  const lanes = Promise.all(Array.from({ length: heavyAtOnce }, lane)).then((): never => {
    throw new Error('the heavy calls ended before the light ones')
  })
  try {
    return await Promise.race([times(url), lanes])
  } finally {
    over.abort()
    await lanes.catch(() => undefined)
  }
}

const measureBeside = async ({ ready }: Child) => {
  const url = String(ready)
  await answerTo(url, heavy)
  await times(url)
  const alone: number[] = []
  const beside: number[] = []
  while (alone.length < rounds) {
    alone.push(p99(await times(url)))
    beside.push(p99(await timesBeside(url)))
  }
  return { alone, beside }
}

const lightBeside: Bench = {
  name: `p99 of light calls beside ${heavyAtOnce} heavy ones`,
  unit: 'times what it is alone',
  aim: { below: 2 },
  async measure() {
    const child = await openChild('octagent', ['proxied'])
    try {
      const { alone, beside } = await measureBeside(child)
      return {
        value: median(beside.map((ms, nth) => ms / (alone[nth] ?? Number.NaN))),
        note: `${median(beside).toFixed(1)} ms; alone ${median(alone).toFixed(1)} ms`,
      }
    } finally {
      await child.stop()
    }
  },
}

/** What one kind of calls does to another. */
export const besideOthers: Group = { name: 'beside', benches: [lightBeside] }
