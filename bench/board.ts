import { join } from 'node:path'
import { listingsIn } from '../mcp/services/broker/listing.ts'
import { openEmbedded } from '../store/embedded/open.ts'
import type { Store } from '../store/index.ts'
import { openPostgres } from '../store/postgres/open.ts'
import { ask } from '../test/database.ts'
import { startPostgres } from '../test/postgres.ts'
import { startMarket } from '../test/services/broker/market.ts'
import { newFolder } from './folders.ts'
import { toListing } from './listings.ts'

/** The engines that a board may be on. */
export type Engine = 'embedded' | 'PostgreSQL'

export type Board = Awaited<ReturnType<typeof openBoard>>

const perTransaction = 500
const writers = 4

const fill = async (store: Store, count: number): Promise<void> => {
  const postedAt = new Date()
  let next = 0
  const write = async () => {
    while (next < count) {
      const from = next
      next += perTransaction
      await store.transaction(async tx => {
        const listings = listingsIn(tx)
        for (let at = from; at < Math.min(from + perTransaction, count); at++)
          await listings.insert(toListing(at, postedAt))
      })
    }
  }
  await Promise.all(Array.from({ length: writers }, write))
}

const closers: (() => Promise<unknown>)[] = []
let server: ReturnType<typeof startPostgres> | undefined

/** An empty store, and what makes it know what it holds by now: PostgreSQL plans by guess until its daemon comes round. */
const storeOn = async (
  engine: Engine,
): Promise<{ store: Store; url: string | undefined; settle(): Promise<unknown> }> => {
  if (engine === 'embedded') {
    const store = await openEmbedded({ dir: join(await newFolder(), 'broker') })
    return { store, url: undefined, settle: async () => undefined }
  }
  server ??= startPostgres()
  const url = await (await server).createDatabase()
  return { store: await openPostgres({ url }), url, settle: () => ask(url, 'VACUUM ANALYZE') }
}

/** A broker of its own with this many live listings. */
export const openBoard = async (engine: Engine, listings: number) => {
  const { store, url, settle } = await storeOn(engine)
  closers.push(() => store.close())
  const market = await startMarket({ store })
  closers.push(market.stop)
  const began = performance.now()
  await fill(store, listings)
  await settle()
  return { store, url, market, filledMs: performance.now() - began }
}

/** Lets go of all boards and of the server some of them are on. */
export const closeBoards = async (): Promise<void> => {
  for (const close of closers.splice(0).reverse()) await close()
  const running = server
  server = undefined
  await (await running)?.stop()
}
