import { loadPage } from '../mcp/services/broker/listing.ts'
import { encodeCursor } from '../store/cursor.ts'
import { type Board, closeBoards, type Engine, openBoard } from './board.ts'
import { removeFolders } from './folders.ts'
import { toListing } from './listings.ts'
import { median } from './median.ts'
import type { Bench, Group } from './row.ts'
import { serverCpu } from './server-cpu.ts'

const perPage = 20
const sizes = { '1k': 1000, '100k': 100_000, '1M': 1_000_000 } as const

type Size = keyof typeof sizes

const searches = {
  'two common words that meet often': () => 'weekly market',
  'two common words that never meet': () => 'monday friday',
  'a rare and a common word': (count: number) => `${Math.floor(count / 3)} market`,
} as const

const boards = new Map<string, Promise<Board>>()

const boardOf = (engine: Engine, size: Size): Promise<Board> => {
  const key = `${engine} ${size}`
  const board = boards.get(key) ?? openBoard(engine, sizes[size])
  boards.set(key, board)
  return board
}

/** A page of a search: the first, or the one that begins in the middle of the board. */
const openSearch = async (
  engine: Engine,
  size: Size,
  what: keyof typeof searches,
  page: 'first' | 'later',
) => {
  const { store, url } = await boardOf(engine, size)
  const count = sizes[size]
  const after = page === 'later' ? encodeCursor([], toListing(count / 2, new Date()).id) : undefined
  const filter = { type: undefined, category: undefined, words: searches[what](count), limit: perPage, after }
  return { url, once: () => loadPage(store, filter, new Date()) }
}

type Search = Awaited<ReturnType<typeof openSearch>>

/** Milliseconds of processor time that one search takes in this process, and in the server where there is one. */
const spend = async (
  { url, once }: Pick<Search, 'url'> & { once(): Promise<unknown> },
  times: number,
): Promise<number> => {
  const server = url === undefined ? 0 : await serverCpu(url)
  const before = process.cpuUsage()
  for (let nth = 0; nth < times; nth++) await once()
  const { user, system } = process.cpuUsage(before)
  const spent = url === undefined ? 0 : (await serverCpu(url)) - server
  return (user + system + spent) / 1000 / times
}

const rounds = 12
/** The server's time is told in ticks of ten milliseconds. */
const times = { embedded: 50, PostgreSQL: 200 } as const

const search = (engine: Engine, size: Size, what: keyof typeof searches, page: 'first' | 'later'): Bench => ({
  name: `broker search for ${what}, ${page} page, ${size} listings, ${engine}`,
  unit: 'x',
  against: 'processor time at 1k listings; less is better',
  aim: { below: 1.3 },
  async measure() {
    const many = await openSearch(engine, size, what, page)
    const few = await openSearch(engine, '1k', what, page)
    for (let warm = 0; warm < 300; warm++) await Promise.all([many.once(), few.once()])
    const took: { many: number; few: number }[] = []
    while (took.length < rounds)
      took.push({ many: await spend(many, times[engine]), few: await spend(few, times[engine]) })
    const ms = (values: readonly number[]) => `${median(values).toFixed(3)} ms`
    const { rows, next } = await many.once()
    return {
      value: median(took.map(pair => pair.many / pair.few)),
      note: `${ms(took.map(pair => pair.many))}, at 1k ${ms(took.map(pair => pair.few))}; ${rows.length} found${next === undefined ? '' : ', goes on'}`,
    }
  },
})

/** Whoever does not pay may ask for any words, so that his refusal must not search. */
const refused: Bench = {
  name: 'broker search for two common words that never meet, refused unpaid, 100k listings, embedded',
  unit: 'x',
  against: 'processor time at 1k listings; less is better',
  aim: { below: 1.3 },
  async measure() {
    const refuse = async (size: Size) => {
      const { market } = await boardOf('embedded', size)
      const once = () => market.ask('browse_feed', { q: 'monday friday' }).catch(() => undefined)
      return { url: undefined, once }
    }
    const [many, few] = [await refuse('100k'), await refuse('1k')]
    const ratios: number[] = []
    for (let round = 0; round < rounds + 4; round++) {
      const ratio = (await spend(many, times.embedded)) / (await spend(few, times.embedded))
      if (round >= 4) ratios.push(ratio)
    }
    return { value: median(ratios) }
  },
}

const kinds = Object.keys(searches) as (keyof typeof searches)[]

const rowsOn = (engine: Engine): Bench[] =>
  (['100k', '1M'] as const).flatMap(size =>
    kinds.flatMap(what => (['first', 'later'] as const).map(page => search(engine, size, what, page))),
  )

/** Searches of the broker's board as it grows. The rows at 1M on PostgreSQL fill for some ten minutes. */
export const searching: Group = {
  name: 'searching',
  benches: [...rowsOn('embedded'), refused, ...rowsOn('PostgreSQL')],
  async close() {
    boards.clear()
    await closeBoards()
    await removeFolders()
  },
}
