import { z } from 'zod'
import { endpoint } from '../../kernel/endpoint.ts'
import { ToolError } from '../../kernel/error.ts'
import { type InboxEvent, inboxEvents } from '../../kernel/inbox.ts'
import { lastEventNumber, topicEvents } from '../../kernel/topic-events.ts'
import type { Json } from '../../ports/store/port.ts'
import { requirePerson } from './tools.ts'

export const eventsPath = '/v1/events'

const Query = z.object({
  after: z
    .string()
    .regex(/^\d{1,15}$/)
    .optional(),
  wait: z
    .string()
    .regex(/^(?:\d|1\d|2[0-5])$/)
    .optional(),
})

/** The inbox over plain HTTP: JSON with a long poll, or server-sent events where the client accepts those. */
export default endpoint({
  name: 'events',
  title: 'Read or follow the inbox',
  description:
    'Events of a signed-in person at all services after `after`: as JSON, waiting up to `wait` seconds, or as a stream with Accept: text/event-stream, which Last-Event-ID resumes.',
  method: 'GET',
  path: eventsPath,
  body: 'none',
  answers: ['application/json', 'text/event-stream'],
  needs: ['store'],
  auth: ['bearer'],
  bundled: true,
  limits: [{ perMinute: 120, per: 'client' }],
}).run(async ({ store, caller, call }, { query, headers, signal }) => {
  const account = requirePerson(caller)
  const { data, error } = Query.safeParse(query)
  if (!data) {
    const path = error.issues[0]?.path.join('.') ?? 'query'
    const message = path === 'wait' ? '0 to 25 seconds' : 'the id of an event'
    throw new ToolError('invalid_input', `${path}: ${message}.`, { issues: [{ path, message }] })
  }
  if (!/text\/event-stream/i.test(headers.accept ?? '')) {
    const body = await call('wait_events', {
      ...(data.after !== undefined && { after: data.after }),
      wait: Number(data.wait ?? 0),
    })
    return { kind: 'json', body }
  }
  const toEvent = (payload: Json) => {
    const { type } = payload as unknown as InboxEvent
    return { event: type, data: payload }
  }
  const after = lastEventNumber(headers['last-event-id'] ?? data.after)
  return {
    kind: 'events',
    events: topicEvents(store, inboxEvents.toName(account), { after, signal, toEvent }),
  }
})
