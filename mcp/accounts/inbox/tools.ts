import { z } from 'zod'
import { ToolError } from '../../kernel/error.ts'
import { inboxEvents } from '../../kernel/inbox.ts'
import { type Caller, free, tool } from '../../kernel/tool.ts'
import { awaitEntry } from '../../kernel/topic-events.ts'
import { EventOut, eventId, findMark, markRead, readInbox } from './events.ts'

/** The account of a signed-in person. Throws `unauthenticated` when there is none. */
export const requirePerson = (caller: Caller | undefined): string => {
  if (caller?.id.startsWith('acct_')) return caller.id
  throw new ToolError(
    'unauthenticated',
    'This needs a person: a signed-in client, or a key that begins with oct_.',
    {
      hint: 'Sign in with the client, or send such a key as Authorization: Bearer <key>.',
    },
  )
}

const after = eventId
  .optional()
  .describe('Id of the last event that you have; from the beginning without one')

const output = z.object({
  events: z.array(EventOut).describe('What happened, the oldest first'),
  count: z.number().int().describe('Number of events here'),
  next: z.string().describe('Send it as after'),
  more: z.boolean().describe('True when more have happened already'),
  read_up_to: z.string().describe('Id of the last event that is marked as read'),
})

const facts = {
  output,
  price: free,
  auth: ['bearer'],
  hints: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
  needsSetup: true,
  summary: ({ count }: { count: number }) => (count === 0 ? 'Nothing has happened.' : `${count} events.`),
} as const

export const listEvents = tool({
  ...facts,
  name: 'list_events',
  title: 'List events of the inbox',
  description:
    'What happened to a person at all services, the oldest first: deals, tasks, messages, sales, calls that were not covered. Free.',
  input: z.object({
    after,
    unread: z.boolean().default(false).describe('Only what is not marked as read'),
    limit: z.number().int().min(1).max(100).default(50).describe('Events on a page, 1 to 100'),
  }),
  needs: ['store'],
  examples: [{}],
}).run(async ({ store, caller }, { after: from = 0, unread, limit }) => {
  const account = requirePerson(caller)
  const read = await findMark(store, account)
  const page = await readInbox(store, account, { after: unread ? Math.max(from, read) : from, limit })
  return { ...page, count: page.events.length, read_up_to: String(read) }
})

export const waitEvents = tool({
  ...facts,
  name: 'wait_events',
  title: 'Wait for events of the inbox',
  description:
    'The same after an event, or only some types of them; waits up to 25 seconds when there is nothing yet. Use "next" as the next after. Free.',
  input: z.object({
    after,
    wait: z.number().int().min(0).max(25).default(0).describe('Seconds to wait for the first one, 0 to 25'),
    types: z
      .array(z.string().max(60))
      .max(20)
      .default([])
      .describe('Only these, such as submission.received; what else happened is passed over'),
  }),
  needs: ['store'],
  examples: [{}],
}).run(async ({ store, caller, signal }, { after: from = 0, wait, types }) => {
  const account = requirePerson(caller)
  let passed = from
  const page = await awaitEntry(store, inboxEvents.toName(account), { seconds: wait, signal }, async () => {
    for (;;) {
      const found = await readInbox(store, account, { after: passed })
      const events = found.events.filter(({ type }) => types.length === 0 || types.includes(type))
      if (events.length > 0) return { ...found, events }
      passed = Number(found.next)
      if (!found.more) return undefined
    }
  })
  const read_up_to = String(await findMark(store, account))
  const { events, next, more } = page ?? { events: [], next: String(passed), more: false }
  return { events, count: events.length, next, more, read_up_to }
})

export const markEvents = tool({
  name: 'mark_events',
  title: 'Mark events as read',
  description: 'Marks what came up to an event as read. A mark never goes back. Free.',
  input: z.object({ up_to: eventId.describe('Id of the last event that was read') }),
  output: z.object({ read_up_to: z.string().describe('Id of the last event that is marked as read') }),
  needs: ['store'],
  price: free,
  auth: ['bearer'],
  hints: { readOnly: false, destructive: false, idempotent: true, openWorld: false },
  needsSetup: true,
  examples: [{ up_to: '1' }],
  summary: ({ read_up_to }) => `Read up to ${read_up_to}.`,
}).run(async ({ store, caller }, { up_to }) => ({
  read_up_to: String(await markRead(store, requirePerson(caller), up_to)),
}))
