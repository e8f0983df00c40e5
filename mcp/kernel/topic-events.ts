import type { Json, Store } from '../ports/store/port.ts'
import type { StreamEvent } from './endpoint.ts'

type Options = {
  /** The number of the last entry that the client has; entries after it are read from the log first. */
  after: number
  signal: AbortSignal
  /** Converts an entry; undefined leaves it out. */
  toEvent?: (payload: Json) => Omit<StreamEvent, 'id'> | undefined
  /** Milliseconds after which the log is read without news, doubled up to 30 s: news of other replicas may be lost. Default 1000. */
  recheckMs?: number
}

const pageSize = 100
const maxRecheckMs = 30_000

/** The number in a `Last-Event-ID`; 0 for none, and for what is no number of ours. */
export const lastEventNumber = (id: string | undefined): number =>
  id !== undefined && /^\d{1,15}$/.test(id) ? Number(id) : 0

/**
 * Entries of a store's topic as server-sent events, in order and without gaps: those after `after` from the log, then those that
 * are committed, on every replica. Its ids are the entries' numbers, for `Last-Event-ID`. Ends when the signal aborts.
 */
export async function* topicEvents(
  store: Pick<Store, 'read' | 'subscribe'>,
  topic: string,
  { after, signal, toEvent = data => ({ data }), recheckMs = 1000 }: Options,
): AsyncGenerator<StreamEvent> {
  let news = true
  let wake = () => {}
  const notify = () => {
    news = true
    wake()
  }
  const stop = store.subscribe(topic, notify)
  signal.addEventListener('abort', notify)
  try {
    let at = after
    let pauseMs = recheckMs
    while (!signal.aborted) {
      if (!news) {
        const timer = setTimeout(() => wake(), pauseMs)
        timer.unref()
        await new Promise<void>(resolve => {
          wake = resolve
          if (news || signal.aborted) resolve()
        })
        clearTimeout(timer)
        pauseMs = news ? recheckMs : Math.min(pauseMs * 2, maxRecheckMs)
      }
      news = false
      for (;;) {
        if (signal.aborted) return
        const entries = await store.read(topic, at, pageSize)
        for (const entry of entries) {
          at = entry.at
          const event = toEvent(entry.payload)
          if (event) yield { ...event, id: String(entry.at) }
          if (signal.aborted) return
        }
        if (entries.length < pageSize) break
      }
    }
  } finally {
    stop()
    signal.removeEventListener('abort', notify)
  }
}

/** Resolves when something is appended, after `seconds`, or when the signal aborts. */
const arrival = (
  { subscribe }: Pick<Store, 'subscribe'>,
  topic: string,
  seconds: number,
  signal: AbortSignal,
): Promise<void> =>
  new Promise(resolve => {
    const end = () => {
      stop()
      clearTimeout(timer)
      signal.removeEventListener('abort', end)
      resolve()
    }
    const timer = setTimeout(end, seconds * 1000)
    const stop = subscribe(topic, end)
    signal.addEventListener('abort', end)
    if (signal.aborted) end()
  })

/** Looks, and again whenever something comes to the topic, until there is something: a long poll of `seconds` at most. */
export const awaitEntry = async <found>(
  store: Pick<Store, 'subscribe'>,
  topic: string,
  { seconds, signal }: { seconds: number; signal: AbortSignal },
  look: () => Promise<found | undefined>,
): Promise<found | undefined> => {
  const end = performance.now() + seconds * 1000
  for (;;) {
    // Listening starts before the look, so that nothing falls in between.
    const enough = new AbortController()
    const left = signal.aborted ? 0 : (end - performance.now()) / 1000
    const waiting = left > 0 && arrival(store, topic, left, AbortSignal.any([signal, enough.signal]))
    try {
      const found = await look()
      if (found !== undefined || !waiting) return found
      await waiting
    } finally {
      enough.abort()
    }
  }
}
