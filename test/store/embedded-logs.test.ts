import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setImmediate as turn } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { backUpStore } from '../../store/copy/backup.ts'
import { openEmbedded } from '../../store/embedded/open.ts'
import type { Store } from '../../store/index.ts'
import { randomFrom } from '../random.ts'
import { type SimulatedDisk, simulatedDisk } from './simulated-disk.ts'

const dir = '/simulated'
const random = randomFrom(41)
const checkpointAt = 20_000
const text = 'x'.repeat(200)

/** Writes entries `from` to `to` into two topics, in batches, so that checkpoints are made in between. */
const write = async (store: Store, from: number, to: number): Promise<void> => {
  for (let n = from; n <= to; n += 50) {
    for (let one = n; one < n + 50; one++)
      void store.append(one % 3 === 0 ? 'third' : 'other', { n: one, text })
    await store.append('third', { n: 0, text: '' })
    for (let turns = 0; turns < 20; turns++) await turn()
  }
}

const numbers = async (store: Store, topic: string): Promise<number[]> => {
  const read: number[] = []
  for (let after = 0; ; ) {
    const page = await store.read(topic, after, 70)
    if (page.length === 0) return read.filter(n => n > 0)
    for (const { at, payload } of page) {
      expect(at).toBe(++after)
      read.push((payload as { n: number }).n)
    }
  }
}

const logsOf = (disk: SimulatedDisk): string[] =>
  [...disk.contents().keys()].filter(name => name.startsWith('log.'))

const upTo = (count: number, isThird: boolean): number[] =>
  Array.from({ length: count }, (_, n) => n + 1).filter(n => (n % 3 === 0) === isThird)

test('entries leave memory with a checkpoint, lie in few files, and are read as they were, also after a start', async () => {
  const disk = simulatedDisk(random, new Map(), 0)
  const store = await openEmbedded({ dir, disk, checkpointAt })
  await write(store, 1, 1000)
  const few = store.use()?.bytes ?? 0
  await write(store, 1001, 5000)
  // A fifth of them would be 200 KB more.
  expect(store.use()?.bytes).toBeLessThan(few + 60_000)
  expect(logsOf(disk).length).toBeLessThanOrEqual(8)
  expect(await numbers(store, 'other')).toEqual(upTo(5000, false))
  expect((await store.read('third', 17, 1))[0]).toMatchObject({ topic: 'third', at: 18 })
  expect(await store.read('third', 1_000_000, 1)).toEqual([])
  await store.close()
  const again = await openEmbedded({ dir, disk, checkpointAt })
  expect(again.use()?.bytes).toBeLessThan(few + 60_000)
  expect(await numbers(again, 'third')).toEqual(upTo(5000, true))
  await again.close()
})

test('a file of entries that was changed is named when it is read, one that is gone or cut at the start; leftovers go', async () => {
  const disk = simulatedDisk(random, new Map(), 0)
  const store = await openEmbedded({ dir, disk, checkpointAt })
  await write(store, 1, 1000)
  await store.close()
  const [name = ''] = logsOf(disk).sort()
  const data = disk.contents().get(name) ?? Buffer.alloc(0)
  const copy = (change: ReadonlyMap<string, Buffer> = new Map()) =>
    simulatedDisk(random, new Map([...disk.contents(), ...change]), 0)

  const flipped = Buffer.from(data)
  flipped[500] = (flipped[500] ?? 0) ^ 1
  const changed = await openEmbedded({ dir, disk: copy(new Map([[name, flipped]])), checkpointAt })
  await expect(changed.read('other', 0, 1)).rejects.toThrow(/byte 0 of .*log\.\d+ cannot be read/)
  await changed.close()

  const cut = copy(new Map([[name, data.subarray(0, 500)]]))
  await expect(openEmbedded({ dir, disk: cut })).rejects.toThrow(/log\.\d+ cannot be read: the file ends/)
  const files = new Map([...disk.contents()].filter(([other]) => other !== name))
  await expect(openEmbedded({ dir, disk: simulatedDisk(random, files, 0) })).rejects.toThrow('is missing')

  const littered = copy(new Map([['log.999', Buffer.from('left by a checkpoint that was not finished')]]))
  const open = await openEmbedded({ dir, disk: littered, checkpointAt })
  expect(logsOf(littered)).toEqual(logsOf(disk))
  await open.close()
})

test('the name of a file of entries is safe before a checkpoint names it', async () => {
  const disk = simulatedDisk(random, new Map(), 0)
  let unsafe = 0
  let checkpoints = 0
  const watched: SimulatedDisk = {
    ...disk,
    create: (path, writes) => {
      if (path.includes('/log.')) unsafe++
      return disk.create(path, writes)
    },
    syncDir: async path => {
      const before = unsafe
      await disk.syncDir(path)
      unsafe -= before
    },
    rename: (from, to) => {
      if (to.endsWith('checkpoint.jsonl')) checkpoints++
      expect(unsafe).toBe(0)
      return disk.rename(from, to)
    },
  }
  const store = await openEmbedded({ dir, disk: watched, checkpointAt: 2000 })
  await write(store, 1, 200)
  await store.close()
  expect(checkpoints).toBeGreaterThan(0)
})

test('a backup of the folder has them', async () => {
  const parent = await mkdtemp(join(tmpdir(), 'octagent-logs-'))
  const from = join(parent, 'from')
  const store = await openEmbedded({ dir: from, checkpointAt })
  await write(store, 1, 600)
  await store.close()
  expect((await readdir(from)).some(name => name.startsWith('log.'))).toBe(true)
  await backUpStore({ from: { name: from, dir: from }, dir: join(parent, 'to') })
  const copy = await openEmbedded({ dir: join(parent, 'to'), checkpointAt })
  expect(await numbers(copy, 'third')).toEqual(upTo(600, true))
  await copy.close()
  await rm(parent, { recursive: true })
})
