import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Collection, Query, Row, Store } from '../../../store/index.ts'
import { listingOf, type Market, refused, startMarket } from './market.ts'

/** What a store was asked for a collection. */
type Reads = { gets: number; finds: Query[]; counts: number; rows: number }

/** The same store, which keeps account of every read of one collection. */
const countingReads = (store: Store, name: string) => {
  const reads: Reads = { gets: 0, finds: [], counts: 0, rows: 0 }
  const counting = {
    ...store,
    collection: <T extends Row>(wanted: string, indexes?: never): Collection<T> => {
      const inner = store.collection<T>(wanted, indexes)
      if (wanted !== name) return inner
      return {
        ...inner,
        get: id => {
          reads.gets++
          return inner.get(id)
        },
        find: async query => {
          reads.finds.push(query)
          const page = await inner.find(query)
          reads.rows += page.rows.length
          return page
        },
        count: query => {
          reads.counts++
          return inner.count(query)
        },
      }
    },
  } as Store
  const since = async (work: () => Promise<unknown>): Promise<Reads> => {
    Object.assign(reads, { gets: 0, finds: [], counts: 0, rows: 0 })
    await work()
    return { ...reads }
  }
  return { counting, since }
}

let market: Market
let board: ReturnType<typeof countingReads>
beforeAll(async () => {
  market = await startMarket()
  const { store } = market.world.ports
  if (!store) throw new Error('no store')
  board = countingReads(store, 'broker.listings')
  market.world.ports.store = board.counting
  for (let nth = 0; nth < 20; nth++) {
    const one = await market.trader()
    for (const title of ['weekly report', 'weekly data', 'market data'])
      await one.ask('post_listing', { ...listingOf, title })
  }
})
afterAll(() => market.stop())

const unpaid = (input: object) => () => refused(market.ask('browse_feed', input))

test('what is quoted to somebody who does not pay reads no listing, whatever he looks for', async () => {
  const nothing = { gets: 0, finds: [], counts: 0, rows: 0 }
  for (const input of [
    {},
    { q: 'weekly market data' },
    { q: 'weekly', type: 'buy', category: 'data' },
    { limit: 100 },
  ])
    expect(await board.since(unpaid(input))).toEqual(nothing)
  const poor = await market.trader()
  expect(await board.since(() => refused(poor.ask('browse_feed', { q: 'weekly data' })))).toEqual(nothing)
})

test('a cursor is checked by one row, without a word of the search', async () => {
  const rich = await market.trader({ credits: 100 })
  for (const [query, index, where] of [
    [{ q: 'weekly data' }, 'words', { title: '' }],
    [{ type: 'sell' }, 'type-paid', { state: 'live', listing_type: 'sell' }],
  ] as const) {
    const { next } = await rich.ask('browse_feed', { ...query, limit: 2 })
    const { finds, rows } = await board.since(unpaid({ ...query, after: next }))
    expect(finds).toEqual([{ index, where, limit: 1, after: next }])
    expect(rows).toBe(1)
    expect(await refused(market.ask('browse_feed', { ...query, after: 'made-up' }))).toMatchObject({
      code: 'invalid_input',
      issues: [{ path: 'after' }],
    })
  }
  expect(await refused(market.ask('browse_feed', { category: 'gossip' }))).toMatchObject({
    issues: [{ path: 'category' }],
  })
})
