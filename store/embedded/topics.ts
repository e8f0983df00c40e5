import type { Entry } from '../index.ts'
import type { Topic } from './state.ts'

/** Entry `at` of a topic as callers see it. */
const entryAt = (topic: Topic, at: number): Entry => {
  const { time, payload } = JSON.parse(topic.entries[at - 1] as string)
  return { topic: topic.name, at, time, payload }
}

/** Entries of a topic after a number that may be shown, at most so many. */
export const entriesAfter = (topic: Topic, after: number, limit: number): Entry[] => {
  const entries: Entry[] = []
  for (let at = after + 1; at <= topic.durable && entries.length < limit; at++)
    if (topic.entries[at - 1] !== '') entries.push(entryAt(topic, at))
  return entries
}

/** Shows the entries up to `at`, which are safe now, to readers and listeners. One that throws is only reported. */
export const reveal = (topic: Topic, at: number, report: (problem: unknown) => void): void => {
  for (let next = topic.durable + 1; next <= at; next++) {
    topic.durable = next
    for (const listener of [...topic.listeners]) {
      if (!topic.listeners.has(listener)) continue
      try {
        Promise.resolve(listener(entryAt(topic, next)) as unknown).catch(report)
      } catch (problem) {
        report(problem)
      }
    }
  }
}
