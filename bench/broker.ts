import { loadPage } from '../mcp/services/broker/listing.ts'
import { startApp } from '../test/app.ts'
import { listingOf, type Trader } from '../test/services/broker/market.ts'
import { type Board, closeBoards, type Engine, openBoard } from './board.ts'
import { removeFolders } from './folders.ts'
import { median } from './median.ts'
import type { Bench, Group, Measurement } from './row.ts'
import { sealDeal } from './sealing.ts'

const perPage = 20
const large = 100_000
const small = 1000
const samples = 300

const p95 = (values: readonly number[]): number =>
  [...values].sort((a, b) => a - b)[Math.floor(values.length * 0.95)] ?? Number.NaN

const measureMs = async (work: () => Promise<unknown>): Promise<number> => {
  const began = performance.now()
  await work()
  return performance.now() - began
}

/** The cursor of a page, from 1; long steps lead to the same row as pages of 20. */
const findCursor = async ({ store }: Board, page: number): Promise<string | undefined> => {
  const all = { type: undefined, category: undefined, words: undefined }
  let after: string | undefined
  for (let remaining = (page - 1) * perPage; remaining > 0; remaining -= 1000)
    after = (await loadPage(store, { ...all, limit: Math.min(remaining, 1000), after }, new Date())).next
  return after
}

type Reader = { read(): Promise<unknown>; call(): Promise<unknown> }

const openReader = async (board: Board, page: number): Promise<Reader> => {
  const after = await findCursor(board, page)
  const one = await board.market.trader({ credits: 10_000 })
  const query = { type: undefined, category: undefined, words: undefined, limit: perPage, after }
  return {
    read: () => loadPage(board.store, query, new Date()),
    call: async () => {
      const { count } = await one.ask('browse_feed', { limit: perPage, after })
      if (count !== perPage) throw new Error(`page ${page} holds ${count} listings`)
    },
  }
}

const boards = new Map<Engine, Promise<{ large: Board; small: Board }>>()

const boardsOn = (engine: Engine) => {
  const open = async () => ({ large: await openBoard(engine, large), small: await openBoard(engine, small) })
  const promise = boards.get(engine) ?? open()
  boards.set(engine, promise)
  return promise
}

const ms = (values: readonly number[]): string => `${p95(values).toFixed(2)} ms`

/** Both boards are asked in turn, so that they meet the same machine. */
const measureFeed = async (engine: Engine, page: 1 | 1000): Promise<Measurement> => {
  const two = await boardsOn(engine)
  const many = await openReader(two.large, page)
  const few = await openReader(two.small, page === 1 ? 1 : small / perPage)
  const took = {
    many: [] as number[],
    few: [] as number[],
    readMany: [] as number[],
    readFew: [] as number[],
  }
  for (let warm = 0; warm < 30; warm++) await Promise.all([many.call(), few.call()])
  for (let sample = 0; sample < samples; sample++) {
    took.many.push(await measureMs(many.call))
    took.few.push(await measureMs(few.call))
    took.readMany.push(await measureMs(many.read))
    took.readFew.push(await measureMs(few.read))
  }
  const fillSeconds = (two.large.filledMs / 1000).toFixed(0)
  return {
    value: p95(took.many) / p95(took.few),
    note: `p95 ${ms(took.many)}, at 1k ${ms(took.few)}; without the charge ${ms(took.readMany)}, ${ms(took.readFew)}; filled in ${fillSeconds} s`,
  }
}

const feed = (engine: Engine, page: 1 | 1000): Bench => ({
  name: `broker feed, ${page === 1 ? 'first page' : '1,000th page'}, 100k listings, ${engine}`,
  unit: 'x',
  against: `p95 of ${page === 1 ? 'the first' : 'the last'} page of 1k listings; less is better`,
  aim: { below: 2 },
  measure: () => measureFeed(engine, page),
})

const negotiations = 50
const rounds = 6

/** One thread of each pair, ready to be sealed. */
const negotiate = (pairs: readonly { poster: Trader; negotiator: Trader }[]) =>
  Promise.all(
    pairs.map(async ({ poster, negotiator }) => {
      const { listing_id } = await poster.ask('post_listing', listingOf)
      const thread = await negotiator.ask('open_thread', { listing: listing_id, text: 'As it is.' })
      const { terms_hash } = thread.standing as { terms_hash: string }
      return () => poster.ask('finalize_deal', { id: thread.thread_id, terms_hash })
    }),
  )

const sealings = (engine: Engine): Bench => ({
  name: `broker, finalize of ${negotiations} negotiations at once, ${engine}`,
  unit: '/s',
  async measure() {
    const { market } = await openBoard(engine, 0)
    const trader = () => market.trader({ credits: 20_000 })
    const pairs = await Promise.all(
      Array.from({ length: negotiations }, async () => ({
        poster: await trader(),
        negotiator: await trader(),
      })),
    )
    const rates: number[] = []
    while (rates.length < rounds) {
      const seal = await negotiate(pairs)
      rates.push(negotiations / ((await measureMs(() => Promise.all(seal.map(one => one())))) / 1000))
    }
    const note = engine === 'embedded' ? 'durable' : 'fsync=off, so not durable'
    return { value: median(rates), note: `${note}; rounds ${rates.map(rate => rate.toFixed(0)).join(', ')}` }
  },
})

/** Ten registrations a minute is what the broker takes of one client: five deals. */
const deals = 5

const wholeDeal: Bench = {
  name: 'broker, from two registrations to a sealed deal, REST over loopback',
  unit: 'ms',
  async measure() {
    const app = await startApp()
    try {
      const took: number[] = []
      while (took.length < deals) {
        const name = `deal-${took.length}`
        took.push(await measureMs(() => sealDeal(`${app.url}/broker`, app.internet, name)))
      }
      const times = took.map(one => one.toFixed(0)).join(', ')
      return { value: median(took), note: `19 calls one after the other, DNS proof included; ${times}` }
    } finally {
      await app.stop()
    }
  },
}

/** The deal broker: the board at size, sealing under load, and a deal as its two sides live it. */
export const broker: Group = {
  name: 'broker',
  benches: [
    feed('embedded', 1),
    feed('embedded', 1000),
    feed('PostgreSQL', 1),
    feed('PostgreSQL', 1000),
    sealings('embedded'),
    sealings('PostgreSQL'),
    wholeDeal,
  ],
  async close() {
    boards.clear()
    await closeBoards()
    await removeFolders()
  },
}
