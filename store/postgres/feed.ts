import type { Entry } from '../index.ts'
import type { Connections } from './connections.ts'
import { type Listener, listen } from './listener.ts'
import { lastEntry, readEntries } from './log.ts'

type Subscriber = { position: number | undefined; onEntry: (entry: Entry) => void }

type Topic = { subscribers: Set<Subscriber>; running: boolean; isWanted: boolean }

export type TopicFeed = {
  subscribe(topic: string, onEntry: (entry: Entry) => void): () => void
  /** Resolves when every subscription made so far knows where it starts, or after two seconds. */
  listening(): Promise<void>
  close(): Promise<void>
}

const batch = 500
const pauseMs = 500

/** The topic a notification names. Whoever may connect may notify, so it may be anything. */
const topicIn = (payload: string): string | undefined => {
  try {
    const [topic] = JSON.parse(payload) as unknown[]
    return typeof topic === 'string' ? topic : undefined
  } catch {
    return undefined
  }
}

/**
 * Delivers entries to subscribers. A notification only says that there is something to read; what is delivered is read
 * from the log, from where each subscriber stands, so nothing is missed, repeated or out of order.
 */
export const openFeed = (
  { askPlain, config }: Connections,
  schema: string,
  report: (problem: unknown) => void,
): TopicFeed => {
  const topics = new Map<string, Topic>()
  const starting = new Set<Promise<void>>()
  const timers = new Set<NodeJS.Timeout>()
  let listener: Listener | undefined
  let closed = false

  const later = (work: () => void) => {
    const timer = setTimeout(() => {
      timers.delete(timer)
      work()
    }, pauseMs)
    timers.add(timer)
  }

  const hand = (topic: Topic, subscriber: Subscriber, entry: Entry) => {
    if (subscriber.position === undefined || entry.at <= subscriber.position) return
    if (closed || !topic.subscribers.has(subscriber)) return
    subscriber.position = entry.at
    try {
      Promise.resolve(subscriber.onEntry(entry) as unknown).catch(report)
    } catch (problem) {
      report(problem)
    }
  }
  const deliver = async (name: string, topic: Topic) => {
    const positions = [...topic.subscribers].flatMap(({ position }) => position ?? [])
    if (positions.length === 0) return
    const entries = await readEntries(askPlain, schema, name, Math.min(...positions), batch)
    if (entries.length === batch) topic.isWanted = true
    for (const entry of entries)
      for (const subscriber of [...topic.subscribers]) hand(topic, subscriber, entry)
  }
  const wake = async (name: string) => {
    const topic = topics.get(name)
    if (!topic || closed) return
    topic.isWanted = true
    if (topic.running) return
    topic.running = true
    try {
      while (topic.isWanted && !closed) {
        topic.isWanted = false
        await deliver(name, topic)
      }
    } catch {
      later(() => void wake(name))
    } finally {
      topic.running = false
    }
  }

  const onMessage = (payload: string) => {
    const topic = topicIn(payload)
    if (topic !== undefined) void wake(topic)
  }
  const onConnected = () => {
    for (const name of topics.keys()) void wake(name)
  }
  const start = async (name: string, topic: Topic, subscriber: Subscriber): Promise<void> => {
    if (closed || !topic.subscribers.has(subscriber)) return
    try {
      subscriber.position = await lastEntry(askPlain, schema, name)
      void wake(name)
    } catch {
      later(() => void start(name, topic, subscriber))
    }
  }

  return {
    subscribe: (name, onEntry) => {
      const topic = topics.get(name) ?? { subscribers: new Set(), running: false, isWanted: false }
      topics.set(name, topic)
      const subscriber: Subscriber = { position: undefined, onEntry }
      topic.subscribers.add(subscriber)
      listener ??= listen(config, schema, onMessage, onConnected)
      const started = start(name, topic, subscriber)
      starting.add(started)
      void started.finally(() => starting.delete(started))
      return () => {
        topic.subscribers.delete(subscriber)
        if (topic.subscribers.size === 0 && topics.get(name) === topic) topics.delete(name)
      }
    },
    listening: async () => {
      if (starting.size === 0) return
      let timer: NodeJS.Timeout | undefined
      const enough = new Promise<void>(resolve => {
        timer = setTimeout(resolve, 2_000)
      })
      await Promise.race([Promise.all(starting), enough])
      clearTimeout(timer)
    },
    close: async () => {
      closed = true
      for (const timer of timers) clearTimeout(timer)
      await listener?.close()
      await Promise.all(starting)
    },
  }
}
