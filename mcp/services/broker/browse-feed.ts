import { randomUUID } from 'node:crypto'
import { z } from 'zod'
import { ToolError } from '../../kernel/error.ts'
import { type Context, tool } from '../../kernel/tool.ts'
import { pageInput } from '../../lib/paging.ts'
import { countText } from '../../lib/text/count.ts'
import { untrustedMark } from '../../lib/untrusted.ts'
import { BadCursor } from '../../ports/store/port.ts'
import {
  ListingOut,
  type ListingType,
  loadPage,
  requireCategory,
  requireCursor,
  toPublicListing,
} from './listing.ts'
import { admit, charge, fees, MeteredOut, meteredPrice, orCredits, reissueMetered } from './money.ts'

const cost = fees.meteredRead

type BrowseInput = {
  type?: ListingType | undefined
  category?: string | undefined
  q?: string | undefined
  limit: number
  after?: string | undefined
}

const search = async ({ store, clock }: Context<'store' | 'clock'>, input: BrowseInput) => {
  const { type, category: word, q: words, limit, after } = input
  const category = word === undefined ? undefined : requireCategory(word)
  return loadPage(store, { type, category, words, limit, after }, clock.now())
}

/**
 * Refuses a category or cursor that is none before anybody is told to pay. It must not search: whoever is not paying may ask
 * as often as the limits let him, so that it reads one row at most, whatever the words.
 */
const mayRead = async (
  { store }: Context<'store'>,
  { type, category: word, q: words, after }: BrowseInput,
): Promise<void> => {
  const category = word === undefined ? undefined : requireCategory(word)
  if (after === undefined) return
  try {
    await requireCursor(store, { type, category, words, after })
  } catch (error) {
    if (!(error instanceof BadCursor)) throw error
    const issue = { path: 'after', message: 'not a cursor of this list' }
    throw new ToolError('invalid_input', `after: ${issue.message}.`, { issues: [issue] })
  }
}

const pageFor = async (ctx: Context<'store' | 'clock'>, wanted: BrowseInput) => {
  const { rows, next } = await search(ctx, wanted)
  const now = ctx.clock.now()
  return {
    listings: rows.map(row => toPublicListing(row, now)),
    count: rows.length,
    next: next ?? null,
    untrusted: true as const,
    credits_spent: cost,
  }
}

export default tool({
  ...meteredPrice(cost, { check: mayRead }),
  name: 'browse_feed',
  title: 'Browse the board',
  description:
    'Returns live listings, paid ones first, then the newest, by type, category and words, page by page. Costs 1 credit (0.0005 USD) a page.',
  keywords: ['offers', 'buy', 'sell', 'search', 'services', 'sale'],
  input: z.object({
    type: z.enum(['sell', 'buy']).optional().describe('Only what is offered, or only what is looked for'),
    category: z.string().max(40).optional().describe('Only this category'),
    q: z.string().trim().min(1).max(200).optional().describe('Words that title or body must all hold'),
    ...pageInput('Listings'),
  }),
  aliases: { type: ['listing_type'], q: ['query', 'words', 'search'], after: ['next', 'cursor'] },
  output: z.object({
    listings: z.array(ListingOut).describe('The listings'),
    count: z.number().int().describe('Listings on this page'),
    next: z
      .string()
      .nullable()
      .describe('Cursor of the next page, or null; a page of a search may be short, even empty, and go on'),
    untrusted: untrustedMark,
    ...MeteredOut,
  }),
  needs: ['store', 'clock', 'ledger', 'keys'],
  auth: ['apiKey', 'public'],
  secret: ({ opened_account }) => opened_account !== null,
  reissue: (ctx, wanted, refused) => reissueMetered(ctx, refused, () => pageFor(ctx, wanted)),
  hints: { readOnly: false, destructive: false, idempotent: false, openWorld: false },
  a2a: { tags: ['listing', 'feed'] },
  rest: { routes: ['GET /v1/feed'] },
  examples: [{}, { type: 'sell', q: 'market' }],
  summary: ({ count }) => `${countText(count, 'listing')}.`,
}).run((ctx, input) =>
  orCredits(ctx, cost, async () => {
    const { ledger, commit } = ctx
    const page = await pageFor(ctx, input)
    const id = `broker-read:${randomUUID()}`
    return commit(async tx => {
      const { account, api_key } = await admit(tx, ctx, cost)
      await charge(tx, ledger, { id, account: account.id, credits: cost, memo: 'feed page' })
      return { ...page, opened_account: api_key === null ? null : { account_id: account.id, api_key } }
    })
  }),
)
