import { z } from 'zod'
import { collection } from '../../kernel/collection.ts'
import { ToolError } from '../../kernel/error.ts'
import { job } from '../../kernel/job.ts'
import { findInjection } from '../../lib/text/injection.ts'
import { dayMs } from '../../lib/time.ts'
import { formatUsd } from '../../lib/usd.ts'
import type { Index, Store } from '../../ports/store/port.ts'
import { emitEvent } from './event.ts'
import { notePrice, PriceNote, Terms } from './terms.ts'
import { closeThreads } from './thread.ts'

/** `sell` offers, `buy` looks for; everything else is the same, with the roles inverted. */
export type ListingType = 'sell' | 'buy'

type ListingState = 'live' | 'closed' | 'expired' | 'withdrawn'

/** An offer or request of an account. It never changes but for its state. */
export type Listing = {
  /** `lst_…`, rising with time. */
  id: string
  account: string
  handle: string
  listing_type: ListingType
  state: ListingState
  title: string
  body: string
  category: string
  terms: Terms
  terms_hash: string
  /** False for one of the free ones, which live a day and come last; absent in older rows. */
  paid?: boolean
  created_at: string
  /** From then on it is expired, whoever noticed it first. */
  expires_at: string
  /** The deal that closed it. */
  deal: string | null
}

/** Indexes to read listings by. */
export const listingIndexes: readonly Index[] = [
  { name: 'paid', fields: ['state', 'paid', 'created_at'] },
  { name: 'type-paid', fields: ['state', 'listing_type', 'paid', 'created_at'] },
  { name: 'category-paid', fields: ['state', 'category', 'paid', 'created_at'] },
  { name: 'type-category-paid', fields: ['state', 'listing_type', 'category', 'paid', 'created_at'] },
  { name: 'owner', fields: ['account', 'created_at'] },
  { name: 'expiry', fields: ['state', 'expires_at'] },
  { name: 'words', fields: ['title', 'body'], words: true },
]

export const listingsIn = collection<Listing>({
  name: 'broker.listings',
  indexes: listingIndexes,
  budget: {
    what: 'free listings',
    owner: ({ account }) => account,
    each: { rows: 20, bytes: 1 << 20 },
    network: { rows: 240, bytes: 8 << 20 },
    allBytes: 64 << 20,
    ends: 'A free listing ends after a day, a paid one after a week; each is dropped 30 days later, and a paid one counts beyond the bound.',
  },
})

/** Days that a listing is live. */
export const liveDays = { paid: 7, free: 1 }

/** Categories of trade, and other words for them. */
export const tradeCategories = {
  data: ['dataset', 'datasets', 'feed'],
  research: ['analysis', 'report'],
  writing: ['copywriting', 'content', 'text'],
  translation: ['localisation', 'localization'],
  code: ['programming', 'software', 'development'],
  review: ['audit', 'code-review'],
  testing: ['qa', 'test'],
  security: ['pentest', 'infosec'],
  design: ['ui', 'ux', 'graphics'],
  image: ['images', 'photo', 'illustration'],
  audio: ['voice', 'speech', 'music'],
  video: ['animation', 'film'],
  model: ['ml', 'inference', 'training'],
  compute: ['gpu', 'hosting', 'infrastructure'],
  automation: ['workflow', 'integration', 'bot'],
  scraping: ['crawling', 'extraction'],
  finance: ['trading', 'payments', 'accounting'],
  legal: ['law', 'compliance'],
  support: ['helpdesk', 'customer-service'],
  other: ['misc', 'general'],
} as const satisfies Record<string, readonly string[]>

type TradeCategory = keyof typeof tradeCategories

const names = new Map<string, TradeCategory>(
  Object.entries(tradeCategories).flatMap(([name, synonyms]) =>
    [name, ...synonyms].map(word => [word, name as TradeCategory] as const),
  ),
)

/** The category a word stands for; undefined when it stands for none. */
const parseCategory = (word: string): TradeCategory | undefined =>
  names.get(
    word
      .trim()
      .toLowerCase()
      .replace(/[\s_]+/g, '-'),
  )

/** The category a word stands for. Throws 422 that names them all when it stands for none. */
export const requireCategory = (word: string): TradeCategory => {
  const category = parseCategory(word)
  if (category) return category
  const message = `must be one of ${Object.keys(tradeCategories).join(', ')}`
  throw new ToolError('invalid_input', `category: ${message}.`, { issues: [{ path: 'category', message }] })
}

type Filter = {
  type: ListingType | undefined
  category: string | undefined
  words: string | undefined
  limit: number
  after: string | undefined
}

const toQuery = ({ type, category, words }: Pick<Filter, 'type' | 'category' | 'words'>) => {
  if (words !== undefined) return { index: 'words', where: { title: words } }
  const state = 'live' as const
  if (type && category) return { index: 'type-category-paid', where: { state, listing_type: type, category } }
  if (type) return { index: 'type-paid', where: { state, listing_type: type } }
  return category
    ? { index: 'category-paid', where: { state, category } }
    : { index: 'paid', where: { state } }
}

/** Pages of a search that are looked through for matches of the other filters. */
const maxPages = 5

/** Live listings, paid ones first, then the newest; a search for words looks at title and body and puts paid ones first on each page. Throws BadCursor. */
export const loadPage = async (
  store: Store,
  filter: Filter,
  now: Date,
): Promise<{ rows: Listing[]; next: string | undefined }> => {
  const { type, category, limit } = filter
  const holds = (row: Listing) =>
    row.state === 'live' &&
    row.expires_at > now.toISOString() &&
    (type === undefined || row.listing_type === type) &&
    (category === undefined || row.category === category)
  const query = toQuery(filter)
  const rows: Listing[] = []
  let after = filter.after
  for (let page = 0; page < maxPages; page++) {
    const missingCount = limit - rows.length
    const result = await listingsIn(store).find({
      ...query,
      order: 'desc',
      limit: missingCount,
      ...(after !== undefined && { after }),
    })
    rows.push(...result.rows.filter(holds))
    after = result.next
    // A page that is short and goes on was given up by the store: the words are common and seldom meet.
    if (after === undefined || rows.length >= limit || result.rows.length < missingCount) break
  }
  if (query.index === 'words')
    rows.sort((one, other) => Number(other.paid ?? false) - Number(one.paid ?? false))
  return { rows, next: after }
}

/**
 * Throws BadCursor unless a page may begin behind `after`. It reads the row that stands there in the index and searches for
 * nothing: no word is looked up.
 */
export const requireCursor = async (
  store: Store,
  { words, after, ...filter }: Omit<Filter, 'limit' | 'after'> & { after: string },
): Promise<void> => {
  const query = toQuery({ ...filter, words: words === undefined ? undefined : '' })
  await listingsIn(store).find({ ...query, limit: 1, after })
}

/** A listing as everybody reads it. */
export const ListingOut = z.object({
  listing_id: z.string().describe('Id of the listing'),
  handle: z.string().describe('Public name of the account that posted it'),
  listing_type: z.enum(['sell', 'buy']).describe('sell offers, buy looks for'),
  state: z.enum(['live', 'closed', 'expired', 'withdrawn']).describe('What became of it'),
  title: z.string().describe('What it is about'),
  body: z.string().describe('The whole text'),
  injection: z
    .string()
    .nullable()
    .describe('Why its text looks made to steer the model that reads it; null where nothing does'),
  category: z.string().describe('Category'),
  price_usd: z.string().describe('Asking price, or what is offered, in USD'),
  price_note: PriceNote,
  terms: Terms.describe('The terms a negotiation starts from'),
  terms_hash: z.string().describe('sha256: of the canonical terms'),
  created_at: z.iso.datetime().describe('When it was posted'),
  expires_at: z.iso.datetime().describe('When it expires'),
})

/** A live listing whose time has come is expired, whoever notices first. */
export const listingState = ({ state, expires_at }: Listing, now: Date): Listing['state'] =>
  state === 'live' && expires_at <= now.toISOString() ? 'expired' : state

export const toPublicListing = (listing: Listing, now: Date): z.output<typeof ListingOut> => ({
  listing_id: listing.id,
  handle: listing.handle,
  listing_type: listing.listing_type,
  state: listingState(listing, now),
  title: listing.title,
  body: listing.body,
  injection: findInjection(`${listing.title}\n${listing.body}`),
  category: listing.category,
  price_usd: formatUsd(listing.terms.price_micro),
  price_note: notePrice(listing.terms.price_micro),
  terms: listing.terms,
  terms_hash: listing.terms_hash,
  created_at: listing.created_at,
  expires_at: listing.expires_at,
})

/** Ends listings whose time is over, and what was negotiated over them. */
export const expireListings = job({
  name: 'expire-listings',
  every: 60,
  needs: ['store', 'clock', 'ledger'],
}).run(async ({ store, clock, ledger, signal }) => {
  while (!signal.aborted) {
    const where = { state: 'live' as const, expires_at: { lte: clock.now().toISOString() } }
    const { rows } = await listingsIn(store).find({ index: 'expiry', where, limit: 100 })
    if (rows.length === 0) return
    for (const { id } of rows)
      await store.transaction(async tx => {
        const listing = await listingsIn(tx).get(id)
        if (listing?.state !== 'live') return
        await listingsIn(tx).put({ ...listing, state: 'expired' })
        await closeThreads(tx, ledger, id, 'closed')
        await emitEvent(tx, [listing.account], { kind: 'listing_expired', listing: id })
      })
  }
})

/** Days that a listing is kept after its time: its owner reads what became of it, a search still passes over it. */
const retentionDays = 30

/** Forgets listings 30 days after their time, however they ended. A deal keeps the hash of its terms. */
export const purgeListings = job({ name: 'purge-listings', every: 3600, needs: ['store', 'clock'] }).run(
  async ({ store, clock, signal }) => {
    const listings = listingsIn(store)
    const lte = new Date(clock.now().getTime() - retentionDays * dayMs).toISOString()
    for (const state of ['closed', 'expired', 'withdrawn'] as const)
      while (!signal.aborted) {
        const where = { state, expires_at: { lte } }
        const { rows } = await listings.find({ index: 'expiry', where, limit: 100 })
        if (rows.length === 0) break
        for (const { id } of rows) await listings.delete(id)
      }
  },
)
