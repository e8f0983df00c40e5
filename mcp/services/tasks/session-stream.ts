import { endpoint, type StreamEvent } from '../../kernel/endpoint.ts'
import { lastEventNumber, topicEvents } from '../../kernel/topic-events.ts'
import type { Json } from '../../ports/store/port.ts'
import { tasksSettings } from './config.ts'
import { toReceipt } from './public-session.ts'
import { loadSessionAs, sessionsIn, stopsAt } from './session.ts'
import { sessionEvents, tickSession } from './session-clock.ts'

type Happened = { event: string; final: boolean; [field: string]: Json }

const toEvent = (payload: Json): Omit<StreamEvent, 'id'> => {
  const { event, ...data } = payload as Happened
  return { event, data }
}

/** The longest that a timer of Node may be set for. */
const maxTimerMs = 2_147_483_647

export default endpoint({
  name: 'session_stream',
  title: 'Follow a session',
  description:
    'Streams what happens in a session as server-sent events: session_open, voucher_accepted, payment-need-voucher when its clock stands, session_close, settlement_complete, and payment-receipt at its end. Goes on after Last-Event-ID. Free.',
  method: 'GET',
  path: '/api/v1/streams/session/:session_id/events',
  body: 'none',
  answers: ['text/event-stream'],
  needs: ['store', 'clock', tasksSettings.sessionIdle],
  auth: ['erc8128', 'apiKey'],
  limits: [{ perMinute: 60, per: 'client' }],
}).run(async ({ store, clock, sessionIdle, caller }, { params, headers, signal }) => {
  const { session_id = '' } = params
  await loadSessionAs(store, session_id, caller.id)
  const topic = sessionEvents.toName(session_id)
  const load = () => sessionsIn(store).get(session_id)
  const after = lastEventNumber(headers['last-event-id'])
  const gone = new AbortController()
  signal.addEventListener('abort', () => gone.abort())

  const tick = () =>
    store.transaction(async tx => {
      const session = await sessionsIn(tx).get(session_id)
      if (session) await tickSession(tx, session, { now: clock.now(), idleMs: sessionIdle * 1000 })
    })

  /** Tells that the clock stands in the moment in which it stops, not when the job comes by. */
  const watchClock = (): (() => void) => {
    let timer: NodeJS.Timeout | undefined
    const set = async (): Promise<void> => {
      clearTimeout(timer)
      const session = await load()
      const stop = session && stopsAt(session)
      if (!stop || gone.signal.aborted) return
      const waitMs = Math.min(Math.max(0, stop.getTime() - clock.now().getTime()) + 5, maxTimerMs)
      timer = setTimeout(() => void tick().catch(() => undefined), waitMs)
      timer.unref()
    }
    const renew = () => void set().catch(() => undefined)
    const stopListening = store.subscribe(topic, renew)
    renew()
    return () => {
      stopListening()
      clearTimeout(timer)
    }
  }

  async function* events(): AsyncGenerator<StreamEvent> {
    const stopWatching = watchClock()
    try {
      const session = await load()
      const isRead = session?.ended === true && (await store.read(topic, after, 1)).length === 0
      if (!isRead) {
        for await (const event of topicEvents(store, topic, { after, signal: gone.signal, toEvent })) {
          yield event
          if ((event.data as Happened).final) break
        }
      }
      const last = await load()
      if (last?.ended)
        yield {
          event: 'payment-receipt',
          data: toReceipt(last, { at: new Date(last.ended_at ?? clock.now()) }),
        }
    } finally {
      gone.abort()
      stopWatching()
    }
  }
  return { kind: 'events', events: events() }
})
