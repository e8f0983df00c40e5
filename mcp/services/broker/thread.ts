import { z } from 'zod'
import { collection } from '../../kernel/collection.ts'
import { ToolError } from '../../kernel/error.ts'
import { job } from '../../kernel/job.ts'
import { nextCursor, pageInput } from '../../lib/paging.ts'
import { dayMs } from '../../lib/time.ts'
import { untrustedMark } from '../../lib/untrusted.ts'
import { formatUsd } from '../../lib/usd.ts'
import type { Ports } from '../../ports/ports.ts'
import { BadCursor, type Tx } from '../../ports/store/port.ts'
import type { Account } from './account.ts'
import { refuseLeaks } from './contact-leaks.ts'
import { emitEvent } from './event.ts'
import { applyPatch, hashTerms, notePrice, Patch, PriceNote, Terms } from './terms.ts'

/** The poster wrote the listing, the negotiator came to it. */
export type Side = 'poster' | 'negotiator'

type ThreadState = 'open' | 'accepted' | 'finalized' | 'rejected' | 'closed' | 'expired'

/** One offer; the last one stands, the others are superseded. `text` is what a stranger wrote. */
type Offer = {
  version: number
  by: Side
  terms: Terms
  terms_hash: string
  text: string | null
  made_at: string
  /** When it can no longer be accepted; null lets it stand as long as the thread. */
  expires_at: string | null
}

/** A negotiation over one listing. The negotiator's fee is on hold from the opening to the end. */
export type Thread = {
  /** `thr_…`, rising with time. */
  id: string
  listing: string
  poster: string
  negotiator: string
  /** Public names, by which each side looks up the other's reputation. */
  handles: Record<Side, string>
  state: ThreadState
  turn: Side
  offers: Offer[]
  /** Side that accepted the standing offer; null until somebody does. */
  accepted_by: Side | null
  /** Id of the hold in the ledger. */
  hold: string
  created_at: string
  moved_at: string
  /** 72 hours after the last move, 24 after an acceptance; then it is expired. */
  expires_at: string
  deal: string | null
}

export const threadsIn = collection<Thread>({
  name: 'broker.threads',
  indexes: [
    { name: 'listing', fields: ['listing', 'state', 'created_at'] },
    { name: 'poster', fields: ['poster', 'created_at'] },
    { name: 'negotiator', fields: ['negotiator', 'created_at'] },
    { name: 'expiry', fields: ['state', 'expires_at'] },
  ],
  bounded: 'Each has credits on hold; 100 an account, 256 KiB each at most.',
})

export const otherSide = (side: Side): Side => (side === 'poster' ? 'negotiator' : 'poster')

/** The one thread under way that an account may have on a listing; the id is made of both. */
type ThreadPlace = { id: string; thread: string }

export const placesIn = collection<ThreadPlace>({
  name: 'broker.thread-places',
  bounded: 'One for each thread under way.',
})

export const placeId = ({ listing, negotiator }: Pick<Thread, 'listing' | 'negotiator'>): string =>
  `${listing} ${negotiator}`

const side = (what: string) => z.enum(['poster', 'negotiator']).describe(what)

const OfferOut = z.object({
  version: z.number().int().describe('1 is the first'),
  by: side('Who made it'),
  state: z.enum(['standing', 'superseded', 'accepted', 'expired']).describe('What became of it'),
  price_usd: z.string().describe('Price in USD'),
  price_note: PriceNote,
  terms: Terms.describe('The whole terms'),
  terms_hash: z.string().describe('What an acceptance quotes'),
  text: z.string().nullable().describe('What was written with it'),
  made_at: z.iso.datetime().describe('When it was made'),
  expires_at: z.iso
    .datetime()
    .nullable()
    .describe('Until when it can be accepted; null: as long as the thread'),
})

/** A negotiation as its two sides read it. */
export const ThreadOut = z.object({
  thread_id: z.string().describe('Id of the negotiation'),
  listing_id: z.string().describe('The listing it is about'),
  role: side('Your side'),
  counterparty: z.string().describe('Public name of the other side; get_reputation tells more'),
  state: z
    .enum(['open', 'accepted', 'finalized', 'rejected', 'closed', 'expired'])
    .describe('accepted waits to be sealed'),
  turn: side('Who moves next'),
  your_turn: z.boolean().describe('True when you move next'),
  standing: OfferOut.describe('The offer that stands'),
  offers: z.array(OfferOut).describe('All offers, the first one first'),
  offer_count: z.number().int().describe('Number of offers'),
  accepted_by: z.enum(['poster', 'negotiator']).nullable().describe('Who accepted the standing offer'),
  fee_on_hold: z.boolean().describe("Whether the negotiator's fee is on hold for it"),
  deal_id: z.string().nullable().describe('The sealed deal'),
  created_at: z.iso.datetime().describe('When it was opened'),
  expires_at: z.iso.datetime().describe('When it ends unless somebody moves'),
  untrusted: untrustedMark,
})

/** True when a thread can still lead to a deal at `now`. */
const isUnderWay = ({ state, expires_at }: Thread, now: Date): boolean =>
  (state === 'open' || state === 'accepted') && expires_at > now.toISOString()

/** A thread whose time has come is expired, whoever notices first. */
const threadState = (thread: Thread, now: Date): Thread['state'] =>
  (thread.state === 'open' || thread.state === 'accepted') && !isUnderWay(thread, now)
    ? 'expired'
    : thread.state

/** The last offer of a thread; there is always one. */
export const lastOffer = ({ offers }: Thread): Offer => {
  const last = offers.at(-1)
  if (!last) throw new Error('a thread without an offer')
  return last
}

const offerState = (thread: Thread, offer: Offer, now: Date) => {
  if (offer !== lastOffer(thread)) return 'superseded' as const
  if (thread.accepted_by !== null) return 'accepted' as const
  return offer.expires_at !== null && offer.expires_at <= now.toISOString()
    ? ('expired' as const)
    : ('standing' as const)
}

export const toPublicThread = (thread: Thread, role: Side, now: Date): z.output<typeof ThreadOut> => {
  const offers = thread.offers.map(offer => ({
    ...offer,
    state: offerState(thread, offer, now),
    price_usd: formatUsd(offer.terms.price_micro),
    price_note: notePrice(offer.terms.price_micro),
  }))
  const state = threadState(thread, now)
  const standing = offers.at(-1)
  if (!standing) throw new Error('a thread without an offer')
  return {
    thread_id: thread.id,
    listing_id: thread.listing,
    role,
    counterparty: thread.handles[otherSide(role)],
    state,
    turn: thread.turn,
    your_turn: isUnderWay(thread, now) && thread.turn === role,
    standing,
    offers,
    offer_count: offers.length,
    accepted_by: thread.accepted_by,
    fee_on_hold: isUnderWay(thread, now),
    deal_id: thread.deal,
    created_at: thread.created_at,
    expires_at: thread.expires_at,
    untrusted: true,
  }
}

export const ThreadPageInput = {
  ...pageInput('Threads'),
}

export const ThreadPage = z.object({
  threads: z.array(ThreadOut).describe('The threads, the newest first'),
  count: z.number().int().describe('Threads on this page'),
  next: nextCursor,
})

/** A thread and which side of it the account is. Another party's thread is as unknown as one that never was. */
export const ownThread = async (
  tx: Tx,
  id: string,
  account: Account,
): Promise<{ thread: Thread; role: Side }> => {
  const thread = await threadsIn(tx).get(id)
  if (thread?.poster === account.id) return { thread, role: 'poster' }
  if (thread?.negotiator === account.id) return { thread, role: 'negotiator' }
  throw new ToolError('not_found', 'You have no such thread.')
}

const endings = {
  finalized: ['conflict', 'already_finalized', 'The deal is sealed already.'],
  rejected: ['conflict', 'thread_closed', 'The thread was closed by one of its sides.'],
  closed: [
    'gone',
    'thread_auto_closed',
    'The thread was closed, because its listing is gone or another deal was sealed.',
  ],
  expired: ['gone', 'thread_expired', 'The thread has expired: nobody moved in time.'],
} as const

/** Throws what became of a thread that can no longer lead to a deal: 409 or 410 with a reason. */
export const requireUnderWay = (thread: Thread, now: Date): void => {
  if (isUnderWay(thread, now)) return
  const state = threadState(thread, now)
  if (state === 'open' || state === 'accepted') return
  const [code, reason, detail] = endings[state]
  throw new ToolError(code, detail, {
    reason,
    params: { state, deal_id: thread.deal },
  })
}

/** Throws 409 `out_of_turn` unless it is this side's move. */
export const requireTurn = (thread: Thread, role: Side): void => {
  if (thread.turn === role) return
  throw new ToolError('conflict', "It is the other side's turn.", {
    reason: 'out_of_turn',
    params: { turn: thread.turn },
    hint: 'Wait for its move, or close the thread.',
    next: ['wait_events'],
  })
}

/** Cursor of a list of both sides: behind the row of this time and id. */
type Place = { time: string; id: string }

const toCursor = ({ time, id }: Place): string =>
  Buffer.from(JSON.stringify([time, id])).toString('base64url')

const parseCursor = (text: string): Place => {
  try {
    const [time, id] = JSON.parse(Buffer.from(text, 'base64url').toString()) as [unknown, unknown]
    if (typeof time === 'string' && typeof id === 'string' && !Number.isNaN(Date.parse(time)))
      return { time, id }
  } catch {}
  throw new BadCursor('not a cursor of this list')
}

type Find<T> = (
  query: Parameters<ReturnType<Tx['collection']>['find']>[0],
) => Promise<{ rows: T[]; next: string | undefined }>

type Paging = { account: string; role?: Side | undefined; limit: number; after?: string | undefined }

/**
 * A page of what an account is a side of, the newest first, with the side it is on. `time` names the field that the indexes
 * `poster` and `negotiator` are ordered by. Throws BadCursor.
 */
export const findBothSides = async <T extends { id: string }>(
  collection: { find: Find<T> },
  time: keyof T & string,
  { account, role, limit, after }: Paging,
): Promise<{ rows: { row: T; role: Side }[]; next: string | null }> => {
  const place = after === undefined ? undefined : parseCursor(after)
  const toPlace = (row: T): Place => ({ time: String(row[time]), id: row.id })
  const isBehind = (one: Place, other: Place): boolean =>
    one.time < other.time || (one.time === other.time && one.id < other.id)
  const side = async (role: Side) => {
    const where = { [role]: account, ...(place && { [time]: { lte: place.time } }) }
    const page: T[] = []
    for (let after: string | undefined; page.length <= limit; ) {
      const query = { index: role, where, order: 'desc' as const, limit: limit + 1 }
      const { rows: some, next } = await collection.find({ ...query, ...(after !== undefined && { after }) })
      page.push(...some.filter(row => place === undefined || isBehind(toPlace(row), place)))
      if (next === undefined) break
      after = next
    }
    return page.map(row => ({ row, role }))
  }
  const sides = role === undefined ? (['poster', 'negotiator'] as const) : [role]
  const all = (await Promise.all(sides.map(side))).flat()
  all.sort((one, other) => (isBehind(toPlace(one.row), toPlace(other.row)) ? 1 : -1))
  const page = all.slice(0, limit)
  const last = page.at(-1)
  return { rows: page, next: all.length > limit && last ? toCursor(toPlace(last.row)) : null }
}

/** Hours that a thread waits for the next move, and for the sealing of what was accepted. */
export const waits = { move: 72, seal: 24 } as const

export const maxOffers = 50

/** Bytes of all offers of a thread together: each is kept whole, and the thread is written anew with each. */
const maxThreadBytes = 256 * 1024

/** Throws 409 `thread_full` where a thread has grown too long to go on. */
export const requireShort = ({ offers }: Pick<Thread, 'offers'>): void => {
  if (Buffer.byteLength(JSON.stringify(offers)) <= maxThreadBytes) return
  throw new ToolError('conflict', `The offers of a thread hold at most ${maxThreadBytes} bytes together.`, {
    reason: 'thread_full',
    hint: 'Send a shorter text or patch, accept the standing offer, or close the thread.',
  })
}

export const inHours = (now: Date, hours: number): string =>
  new Date(now.getTime() + hours * 3_600_000).toISOString()

/** Parts of an offer. */
export const OfferInput = {
  text: z.string().trim().min(1).max(5000).optional().describe('Free text, without contact details'),
  patch: Patch.optional().describe('What changes in the standing terms; null takes a field away'),
  expires_in_hours: z
    .number()
    .int()
    .min(1)
    .max(waits.move)
    .optional()
    .describe('Hours in which it can be accepted, 1 to 72'),
}

/** An offer as it is given. */
export type NewOffer = {
  text?: string | undefined
  patch?: z.output<typeof Patch> | undefined
  expires_in_hours?: number | undefined
}

/** The next offer over standing terms. Throws 422 for one that says nothing or holds contact details. */
export const offerOver = (
  terms: Terms,
  { text, patch, expires_in_hours }: NewOffer,
  { by, version, now }: { by: Side; version: number; now: Date },
): Offer => {
  if (text === undefined && patch === undefined)
    throw new ToolError('invalid_input', 'text: say something, or change the terms with patch.', {
      issues: [{ path: 'text', message: 'text or patch is needed' }],
    })
  const next = applyPatch(terms, patch ?? {})
  refuseLeaks({ ...(text !== undefined && { text }), patch: { ...patch } })
  return {
    version,
    by,
    terms: next,
    terms_hash: hashTerms(next),
    text: text ?? null,
    made_at: now.toISOString(),
    expires_at: expires_in_hours === undefined ? null : inHours(now, expires_in_hours),
  }
}

type End = 'rejected' | 'closed' | 'expired'

/** Ends a thread that was under way and frees its hold. */
export const endThread = async (
  tx: Tx,
  ledger: Ports['ledger'],
  thread: Thread,
  state: End,
): Promise<Thread> => {
  const ended: Thread = { ...thread, state }
  await threadsIn(tx).put(ended)
  await placesIn(tx).delete(placeId(thread))
  await ledger.release(tx, thread.hold)
  const kind = state === 'expired' ? 'thread_expired' : 'thread_closed'
  await emitEvent(tx, [thread.poster, thread.negotiator], {
    kind,
    listing: thread.listing,
    thread: thread.id,
  })
  return ended
}

/** Ends every thread of a listing that is under way but `except`. Returns how many there were. */
export const closeThreads = async (
  tx: Tx,
  ledger: Ports['ledger'],
  listing: string,
  state: End,
  except?: string,
): Promise<number> => {
  let closed = 0
  for (const under of ['open', 'accepted'] as const) {
    const where = { listing, state: under }
    for (;;) {
      const { rows } = await threadsIn(tx).find({ index: 'listing', where, limit: 1000 })
      const others = rows.filter(({ id }) => id !== except)
      for (const thread of others) await endThread(tx, ledger, thread, state)
      closed += others.length
      if (others.length === 0 || rows.length < 1000) break
    }
  }
  return closed
}

/** Ends threads in which nobody moved in time, and frees what is on hold for them. */
export const expireThreads = job({
  name: 'expire-threads',
  every: 60,
  needs: ['store', 'clock', 'ledger'],
}).run(async ({ store, clock, ledger, signal }) => {
  for (const state of ['open', 'accepted'] as const)
    while (!signal.aborted) {
      const where = { state, expires_at: { lte: clock.now().toISOString() } }
      const { rows } = await threadsIn(store).find({ index: 'expiry', where, limit: 100 })
      if (rows.length === 0) break
      for (const { id } of rows)
        await store.transaction(async tx => {
          const thread = await threadsIn(tx).get(id)
          const isOver = thread?.state === state && !isUnderWay(thread, clock.now())
          if (isOver) await endThread(tx, ledger, thread, 'expired')
        })
    }
})

/** Days that a negotiation which led to nothing is kept. */
const retentionDays = 7

/** Forgets negotiations 7 days after their time was over; those of sealed deals go with the deal. */
export const purgeThreads = job({ name: 'purge-threads', every: 300, needs: ['store', 'clock'] }).run(
  async ({ store, clock, signal }) => {
    const threads = threadsIn(store)
    for (const state of ['rejected', 'closed', 'expired'] as const)
      while (!signal.aborted) {
        const lte = new Date(clock.now().getTime() - retentionDays * dayMs).toISOString()
        const { rows } = await threads.find({
          index: 'expiry',
          where: { state, expires_at: { lte } },
          limit: 100,
        })
        if (rows.length === 0) break
        for (const { id } of rows) await threads.delete(id)
      }
  },
)
