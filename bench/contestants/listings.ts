import { listingIndexes } from '../../mcp/services/broker/listing.ts'
import { openEmbedded } from '../../store/embedded/open.ts'
import type { Store } from '../../store/index.ts'
import { contest } from '../contestant.ts'
import { toListing } from '../listings.ts'

/** What the process holds: in the heap of V8, and in buffers beside it. */
const held = (): { heap: number; beside: number } => {
  global.gc?.()
  global.gc?.()
  const { heapUsed, arrayBuffers } = process.memoryUsage()
  return { heap: heapUsed, beside: arrayBuffers }
}

const batch = 500
const stores: Store[] = []

contest(
  undefined,
  {
    /** Bytes that each of so many listings takes, in the heap and beside it, with the indexes that are named. */
    fill: async ({ dir, count, names }: { dir: string; count: number; names: readonly string[] }) => {
      const store = await openEmbedded({ dir })
      stores.push(store)
      const indexes = listingIndexes.filter(({ name }) => names.includes(name))
      const listings = store.collection<ReturnType<typeof toListing>>('listings', indexes)
      await listings.count()
      const before = held()
      const postedAt = new Date()
      let bytes = 0
      for (let from = 0; from < count; from += batch)
        await store.transaction(async tx => {
          const rows = tx.collection<ReturnType<typeof toListing>>('listings')
          for (let at = from; at < Math.min(from + batch, count); at++) {
            const listing = toListing(at, postedAt)
            bytes += JSON.stringify(listing).length
            await rows.insert(listing)
          }
        })
      const after = held()
      const each = (value: number) => value / count
      return {
        heap: each(after.heap - before.heap),
        beside: each(after.beside - before.beside),
        json: each(bytes),
        counted: each(store.use()?.bytes ?? 0),
      }
    },
  },
  () => Promise.all(stores.map(store => store.close())),
)
