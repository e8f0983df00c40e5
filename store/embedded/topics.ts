import type { Entry } from '../index.ts'

/** Entries of one topic that lie in a log file, as one frame: `count` of them, beginning with number `from`. */
export type Run = { file: number; from: number; count: number; offset: number; length: number }

/**
 * One log. Its first `base` entries lie in log files, as runs; the others are in memory, each as JSON text of its time and payload, or ''
 * where nothing has that number, as in logs that come from PostgreSQL. Those up to number `durable` may be shown.
 */
export type Topic = {
  name: string
  runs: Run[]
  base: number
  entries: string[]
  /** Memory of those entries, as an estimate. */
  heldBytes: number
  durable: number
  listeners: Set<(entry: Entry) => void>
}

/** The number of the last entry of a log. */
export const endOf = ({ base, entries }: Topic): number => base + entries.length

/** An entry as callers see it. */
const toEntry = (topic: string, at: number, text: string): Entry => {
  const { time, payload } = JSON.parse(text)
  return { topic, at, time, payload }
}

/** The last run that begins with this number or before. */
const runWith = (runs: readonly Run[], at: number): Run => {
  let low = 0
  let high = runs.length - 1
  while (low < high) {
    const middle = Math.ceil((low + high) / 2)
    if ((runs[middle] as Run).from <= at) low = middle
    else high = middle - 1
  }
  return runs[low] as Run
}

/** Entries of a topic after a number that may be shown, at most so many. Throws a StoreFailure where they cannot be read. */
export const entriesAfter = async (
  logs: { read(run: Run): Promise<readonly string[]> },
  topic: Topic,
  after: number,
  limit: number,
): Promise<Entry[]> => {
  const entries: Entry[] = []
  for (let at = Math.max(after, 0) + 1; at <= topic.durable && entries.length < limit; ) {
    const run = at > topic.base ? undefined : runWith(topic.runs, at)
    const texts = run ? await logs.read(run) : topic.entries
    const first = run ? run.from : topic.base + 1
    const end = Math.min(first + texts.length - 1, topic.durable)
    for (; at <= end && entries.length < limit; at++) {
      const text = texts[at - first]
      if (text) entries.push(toEntry(topic.name, at, text))
    }
  }
  return entries
}

/** Shows the entries up to `at`, which are safe now, to readers and listeners. One that throws is only reported. */
export const reveal = (topic: Topic, at: number, report: (problem: unknown) => void): void => {
  for (let next = topic.durable + 1; next <= at; next++) {
    topic.durable = next
    for (const listener of [...topic.listeners]) {
      if (!topic.listeners.has(listener)) continue
      try {
        const text = topic.entries[next - topic.base - 1] as string
        Promise.resolve(listener(toEntry(topic.name, next, text)) as unknown).catch(report)
      } catch (problem) {
        report(problem)
      }
    }
  }
}
