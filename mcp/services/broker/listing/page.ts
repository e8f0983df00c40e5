import type { Store } from '../../../ports/store/port.ts'
import { type Listing, type ListingType, listingsIn } from './listing.ts'

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
