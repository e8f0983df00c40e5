import type { Clock } from '../../ports/clock/port.ts'
import type { Store } from '../../ports/store/port.ts'
import { collection } from '../collection.ts'
import { countDay } from './daily.ts'

/** How many of its free first calls a key has used. */
type FirstCalls = { id: string; used: number }

type Taker = { slug: string; caller: string; address: string; calls: number }

const countersIn = collection<FirstCalls>({
  name: 'first-calls',
  bounded: 'One for each account with a key.',
})

const counterId = (slug: string, caller: string): string => `${slug}:${caller}`

/** How many priced calls a key still has for nothing. */
export const countFirstCallsLeft = async (
  store: Pick<Store, 'collection'>,
  { slug, caller, calls }: Omit<Taker, 'address'>,
): Promise<number> => {
  const { used = 0 } = (await countersIn(store).get(counterId(slug, caller))) ?? {}
  return Math.max(0, calls - used)
}

/**
 * Takes one of the first calls that a key has for nothing. They count against one network address too, as many a UTC day, so that
 * nobody has more of them by making keys. Returns the way to give it back, undefined when none is left.
 */
export const takeFirst = async (
  store: Store,
  clock: Clock,
  { slug, caller, address, calls }: Taker,
): Promise<(() => Promise<void>) | undefined> => {
  const id = counterId(slug, caller)
  // Most calls come with keys whose first ones are long over: those are told apart without a transaction.
  if (((await countersIn(store).get(id))?.used ?? 0) >= calls) return undefined
  const day = `first ${slug}:${address}`
  const now = clock.now()
  const add = (by: 1 | -1) =>
    store.transaction(async tx => {
      const { used = 0 } = (await countersIn(tx).get(id)) ?? {}
      if (by > 0 && used >= calls) return false
      if ((await countDay(tx, day, now, { by, limit: calls })) === undefined) return false
      await countersIn(tx).put({ id, used: Math.max(0, used + by) })
      return true
    })
  if (!(await add(1))) return undefined
  return async () => void (await add(-1))
}
