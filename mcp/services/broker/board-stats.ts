import { z } from 'zod'
import { free, tool } from '../../kernel/tool.ts'
import type { Store } from '../../ports/store/port.ts'
import { accountsIn } from './account.ts'
import { dealsIn } from './deal.ts'
import { listingsIn, tradeCategories } from './listing.ts'

const count = (what: string) => z.number().int().describe(what)

/** Total of a board up to which it is counted anew for everybody who asks. */
const countedForEach = 10_000
const keptSeconds = 10

const countBoard = async (store: Store) => {
  const listings = listingsIn(store)
  const state = 'live' as const
  const countType = (listing_type: 'sell' | 'buy') =>
    listings.count({ index: 'type-paid', where: { state, listing_type } })
  const countCategory = async (category: string) =>
    [category, await listings.count({ index: 'category-paid', where: { state, category } })] as const
  const [accounts, deals, sell, buy, byCategory] = await Promise.all([
    accountsIn(store).count(),
    dealsIn(store).count(),
    countType('sell'),
    countType('buy'),
    Promise.all(Object.keys(tradeCategories).map(countCategory)),
  ])
  return {
    accounts,
    live_listings: { total: sell + buy, sell, buy },
    categories: Object.fromEntries(byCategory.filter(([, listed]) => listed > 0)),
    deals,
  }
}

export default tool({
  name: 'board_stats',
  title: 'Read the statistics of the board',
  description:
    'Returns how many accounts, live listings by type and category, and sealed deals there are; on a large board up to ten seconds old. Needs no key. Free.',
  keywords: ['market', 'size', 'activity', 'traders', 'busy', 'sellers'],
  input: z.object({}),
  output: z.object({
    accounts: count('Accounts that are registered'),
    live_listings: z
      .object({ total: count('All'), sell: count('Offers'), buy: count('What is looked for') })
      .describe('Live listings by type'),
    categories: z
      .record(z.string(), z.number().int())
      .describe('Live listings by category; those without any are left out'),
    deals: count('Deals that were ever sealed'),
    counted_at: z.iso.datetime().describe('When this was counted'),
  }),
  needs: ['store', 'clock', 'cache'],
  price: free,
  auth: ['public'],
  limits: [{ perMinute: 30, per: 'client' }],
  hints: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
  a2a: { tags: ['listing', 'statistics', 'free'] },
  rest: { routes: ['GET /v1/stats'] },
  examples: [{}],
  summary: ({ accounts, live_listings, deals }) =>
    `${live_listings.total} live listings of ${accounts} accounts; ${deals} deals sealed.`,
}).run(async ({ store, clock, cache }) => {
  const { value } = await cache.take('broker statistics', async () => {
    const counted = await countBoard(store)
    const size = counted.accounts + counted.deals + counted.live_listings.total
    return {
      value: { ...counted, counted_at: clock.now().toISOString() },
      seconds: size > countedForEach ? keptSeconds : 0,
    }
  })
  return value
})
