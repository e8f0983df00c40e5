import { z } from 'zod'
import { collection } from '../../kernel/collection.ts'
import { type InboxEvent, inboxEvents } from '../../kernel/inbox.ts'
import type { Store, Tx } from '../../ports/store/port.ts'

export const EventOut = z.object({
  id: z.string().describe('Number of the event; rises. Send it as after, to go on behind it'),
  at: z.iso.datetime().describe('When it happened'),
  service: z.string().describe('Where it happened'),
  type: z.string().describe('What happened: deal.offer_made, task.assigned, message.received …'),
  subject: z.string().nullable().describe('Id of what it is about'),
  data: z
    .looseObject({})
    .describe('More ids and amounts of it; open: each type has its own')
    .meta({ open: true }),
})

export type PublicEvent = z.output<typeof EventOut>

type Entry = Awaited<ReturnType<Store['read']>>[number]

export const toPublicEvent = ({ at, time, payload }: Entry): PublicEvent => ({
  id: String(at),
  at: time,
  ...(payload as unknown as InboxEvent),
})

/** The number that an id of an event is; what clients send as `after`. */
export const eventId = z
  .string()
  .regex(/^\d{1,15}$/, 'must be the id of an event')
  .transform(Number)

const marksIn = collection<{ id: string; read: number }>({
  name: 'accounts.inbox_marks',
  bounded: 'One for each person who reads an inbox.',
})

/** The number up to which a person has read. */
export const findMark = async (tx: Pick<Tx, 'collection'>, account: string): Promise<number> =>
  (await marksIn(tx).get(account))?.read ?? 0

/** Marks what came up to an event as read; a mark never goes back. Of a number that is not there yet it is the last one. */
export const markRead = async (store: Store, account: string, upTo: number): Promise<number> => {
  const [entry] = await store.read(inboxEvents.toName(account), upTo - 1, 1)
  const read = entry?.at === upTo ? upTo : 0
  return store.transaction(async tx => {
    const before = await findMark(tx, account)
    if (read > before) await marksIn(tx).put({ id: account, read })
    return Math.max(read, before)
  })
}

export const dropMark = (tx: Tx, account: string): Promise<boolean> => marksIn(tx).delete(account)

const maxEvents = 100

/** One page of an inbox, the oldest first. */
export const readInbox = async (
  store: Pick<Store, 'read'>,
  account: string,
  { after, limit = maxEvents }: { after: number; limit?: number },
): Promise<{ events: PublicEvent[]; next: string; more: boolean }> => {
  const entries = await store.read(inboxEvents.toName(account), after, limit + 1)
  const page = entries.slice(0, limit)
  return {
    events: page.map(toPublicEvent),
    next: String(page.at(-1)?.at ?? after),
    more: entries.length > limit,
  }
}

/** The number of the last event; `from` is one that is not after it. A log is read forwards, so the end is found by doubling and halving. */
export const findLast = async (store: Pick<Store, 'read'>, account: string, from = 0): Promise<number> => {
  const name = inboxEvents.toName(account)
  let last = from
  let end = Number.POSITIVE_INFINITY
  for (let step = 64; end > last; step *= 2) {
    const at = Number.isFinite(end) ? Math.floor((last + end) / 2) : last + step
    const [entry] = await store.read(name, at, 1)
    if (entry) last = entry.at
    else end = at
  }
  return last
}

/** The newest events of an inbox, the newest first. */
export const readNewest = async (
  store: Pick<Store, 'read'>,
  account: string,
  limit: number,
): Promise<PublicEvent[]> => {
  const name = inboxEvents.toName(account)
  const last = await findLast(store, account)
  // Numbers have gaps where a transaction was undone.
  for (let span = limit; ; span *= 2) {
    const after = Math.max(0, last - span)
    const entries = await store.read(name, after, span)
    if (entries.length >= limit || after === 0) return entries.slice(-limit).reverse().map(toPublicEvent)
  }
}
