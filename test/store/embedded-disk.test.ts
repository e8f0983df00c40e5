import { expect, test } from 'vitest'
import { openEmbedded } from '../../store/embedded/open.ts'
import { type Store, StoreFailure } from '../../store/index.ts'
import { firstSeed, type Random, withSeed } from '../random.ts'
import { runs } from '../stress.ts'
import { type SimulatedDisk, simulatedDisk } from './simulated-disk.ts'
import { type Workload, workload } from './workload.ts'

const dir = '/simulated'
const lifetimes = runs(1500)

const untilDead = async <R>(disk: SimulatedDisk, work: Promise<R>): Promise<R | undefined> =>
  Promise.race([work, disk.dead.then(() => undefined)])

const live = async (disk: SimulatedDisk, load: Workload, random: Random): Promise<void> => {
  const checkpointAt = random.pick([300, 3000, 1 << 20])
  const store = await untilDead(disk, openEmbedded({ dir, disk, checkpointAt }))
  if (!store) return
  if (
    (await untilDead(
      disk,
      load.verify(store).then(() => true),
    )) === undefined
  )
    return
  await untilDead(disk, load.run(store, random, random.below(12)))
  if (random.chance(0.2)) await untilDead(disk, store.close())
}

const ignoreStoreFailure = (problem: unknown): void => {
  if (!(problem instanceof StoreFailure)) throw problem
  if (!problem.message.includes('EIO') && !problem.message.includes('ENOSPC')) throw problem
}

const lifetime = async (random: Random): Promise<number> => {
  const load = workload(1 + random.below(5))
  let disk = simulatedDisk(random)
  for (let lives = 2 + random.below(5); lives > 0; lives--) {
    disk.stopAfter(1 + random.below(random.pick([8, 30, 150])))
    if (random.chance(0.3))
      disk.failAfter(1 + random.below(60), random.pick(['EIO', 'ENOSPC']), random.pick(['append', 'sync']))
    await live(disk, load, random).catch(ignoreStoreFailure)
    disk = random.chance(0.4) ? disk.afterKill() : disk.afterPowerCut()
  }
  const store: Store = await openEmbedded({ dir, disk })
  await load.verify(store)
  await store.close()
  return load.acks()
}

test(`keeps every acknowledged write and invents none through ${lifetimes} lives with kills, power cuts and failing syncs`, async () => {
  const first = firstSeed()
  let acks = 0
  for (let run = 0; run < (process.env.STORE_SEED ? 1 : lifetimes); run++)
    await withSeed(first + run, async random => {
      acks += await lifetime(random)
    })
  expect(acks).toBeGreaterThan(0)
})
