import { z } from 'zod'
import { free, tool } from '../../kernel/tool.ts'
import { awaitEntry } from '../../kernel/topic-events.ts'
import { countText } from '../../lib/text/count.ts'
import { requireAccount } from './account.ts'
import { accountEvents, type Event } from './event.ts'

const maxEvents = 100

const EventOut = z.object({
  at: z.number().int().describe('Number of the event; rises'),
  created_at: z.iso.datetime().describe('When it happened'),
  kind: z.string().describe('What happened: offer_made, deal_sealed, credits_added …'),
  listing_id: z.string().nullable().describe('The listing it is about'),
  thread_id: z.string().nullable().describe('The thread it is about'),
  deal_id: z.string().nullable().describe('The deal it is about'),
  credits: z.number().int().nullable().describe('Credits that came'),
})

export default tool({
  name: 'wait_events',
  title: 'Wait for events',
  description:
    'Returns what happened to your listings, threads, deals and credits after a number; waits up to 25 seconds when there is nothing yet. Use "next" as the next since. Free.',
  keywords: ['poll', 'changes', 'answer', 'new', 'notifications', 'stream'],
  input: z.object({
    since: z.number().int().min(0).default(0).describe('Events after this number; 0 from the beginning'),
    wait: z.number().int().min(0).max(25).default(0).describe('Seconds to wait for the first one, 0 to 25'),
  }),
  aliases: { since: ['next', 'at', 'after'] },
  output: z.object({
    events: z.array(EventOut).describe('What happened, the oldest first'),
    count: z.number().int().describe('Number of events here'),
    next: z.number().int().describe('Send it as since'),
    more: z.boolean().describe('True when more have happened already'),
  }),
  needs: ['store'],
  price: free,
  auth: ['apiKey'],
  hints: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
  a2a: { tags: ['events', 'free'] },
  rest: { routes: ['GET /v1/events'] },
  examples: [{}],
  summary: ({ count }) => (count === 0 ? 'Nothing has happened.' : `${countText(count, 'event')}.`),
}).run(async ({ store, caller, signal }, { since, wait }) => {
  const topic = accountEvents.toName((await requireAccount(store, caller)).id)
  const stored =
    (await awaitEntry(store, topic, { seconds: wait, signal }, async () => {
      const entries = await store.read(topic, since, maxEvents + 1)
      return entries.length > 0 ? entries : undefined
    })) ?? []
  const entries = stored.slice(0, maxEvents)
  const events = entries.map(({ at, time, payload }) => {
    const { kind, listing, thread, deal, credits } = payload as unknown as Event
    return {
      at,
      created_at: time,
      kind,
      listing_id: listing ?? null,
      thread_id: thread ?? null,
      deal_id: deal ?? null,
      credits: credits ?? null,
    }
  })
  return { events, count: events.length, next: entries.at(-1)?.at ?? since, more: stored.length > maxEvents }
})
