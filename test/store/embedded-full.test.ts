import { expect, test } from 'vitest'
import { toToolError } from '../../mcp/kernel/error.ts'
import { openEmbedded } from '../../store/embedded/open.ts'
import { type Availability, type Entry, type Store, StoreFailure } from '../../store/index.ts'
import { firstSeed, withSeed } from '../random.ts'
import { eventually } from './opened.ts'
import { simulatedDisk } from './simulated-disk.ts'

const dir = '/simulated'
type Note = { id: string; n: number }

const untilBack = async (store: Store): Promise<void> => {
  for (let turns = 0; !(await store.health()).ok; turns++) {
    if (turns > 5000) throw new Error(`the store never came back: ${JSON.stringify(await store.health())}`)
    await new Promise(resolve => setTimeout(resolve, 1))
  }
}

test('a full disk refuses writes as unavailable, is read all the while, and is taken up again by itself', () =>
  withSeed(1, async random => {
    const disk = simulatedDisk(random, new Map(), 0)
    const create = disk.create
    let isFull = false
    disk.create = async path => {
      if (isFull) throw Object.assign(new Error('ENOSPC: no space'), { code: 'ENOSPC' })
      return create(path)
    }
    const changes: Availability[] = []
    const store = await openEmbedded({ dir, disk, retryMs: 1, onAvailability: one => changes.push(one) })
    const notes = store.collection<Note>('notes', [{ name: 'n', fields: ['n'] }])
    const entries: Entry[] = []
    store.subscribe('log', entry => entries.push(entry))
    await notes.put({ id: 'kept', n: 1 })
    isFull = true
    disk.failAfter(1, 'ENOSPC', 'append')
    const outcomes = await Promise.allSettled([
      notes.put({ id: 'kept', n: 2 }),
      notes.put({ id: 'new', n: 3 }),
      notes.delete('kept'),
      store.append('log', 'refused'),
      store.claim('key', new Date('2999-01-01')),
    ])
    for (const one of outcomes) {
      const problem = one.status === 'rejected' ? one.reason : undefined
      expect(problem).toBeInstanceOf(StoreFailure)
      expect(toToolError(problem)).toMatchObject({
        code: 'unavailable',
        status: 503,
        headers: { 'Retry-After': '10' },
      })
    }
    await expect(notes.put({ id: 'later', n: 4 })).rejects.toThrow('Free some space')
    expect(await store.health()).toMatchObject({ ok: false, detail: expect.stringContaining('disk is full') })
    expect(await notes.get('kept')).toEqual({ id: 'kept', n: 1 })
    expect((await notes.find({ index: 'n' })).rows).toEqual([{ id: 'kept', n: 1 }])
    expect(await store.transaction(tx => tx.collection('notes').count())).toBe(1)
    isFull = false
    await untilBack(store)
    expect(await store.claim('key', new Date('2999-01-01'))).toBe(true)
    await notes.put({ id: 'new', n: 5 })
    await store.append('log', 'taken')
    await eventually(() => entries.length === 1)
    expect(entries).toMatchObject([{ at: 1, payload: 'taken' }])
    expect(changes.map(({ available }) => available)).toEqual([false, true])
    const again = await openEmbedded({ dir, disk: disk.afterKill() })
    expect(await again.collection<Note>('notes').get('kept')).toEqual({ id: 'kept', n: 1 })
    expect(await again.collection('notes').count()).toBe(2)
    await again.close()
  }))

test('a disk that is full now and then, through kills and power cuts, loses nothing acknowledged and keeps nothing refused', async () => {
  const first = firstSeed()
  let refusals = 0
  for (let run = 0; run < 150; run++)
    await withSeed(first + run, async random => {
      let disk = simulatedDisk(random)
      const sure = new Map<string, number>()
      let n = 0
      for (let life = 0; life < 3; life++) {
        const store = await openEmbedded({ dir, disk, retryMs: 1, checkpointAt: random.pick([300, 1 << 20]) })
        const notes = store.collection<Note>('notes', [{ name: 'n', fields: ['n'] }])
        for (let round = 0; round < 4; round++) {
          if (random.chance(0.7))
            disk.failAfter(1 + random.below(12), 'ENOSPC', random.pick(['append', 'sync', undefined]))
          await Promise.all(
            Array.from({ length: 6 }, async (_, writer) => {
              const note = { id: `${writer % 4}`, n: ++n }
              if (writer > 3) note.id = `${note.id}-${n}`
              try {
                await notes.put(note)
                sure.set(note.id, note.n)
              } catch (problem) {
                if (!(problem instanceof StoreFailure)) throw problem
                refusals++
              }
            }),
          )
          await untilBack(store)
          const { rows } = await notes.find({ index: 'n', limit: 1000 })
          expect(new Map(rows.map(row => [row.id, row.n]))).toEqual(sure)
        }
        disk = random.chance(0.5) ? disk.afterKill() : disk.afterPowerCut()
      }
      const store = await openEmbedded({ dir, disk })
      const { rows } = await store
        .collection<Note>('notes', [{ name: 'n', fields: ['n'] }])
        .find({ index: 'n', limit: 1000 })
      expect(new Map(rows.map(row => [row.id, row.n]))).toEqual(sure)
      await store.close()
    })
  expect(refusals).toBeGreaterThan(50)
})

test('says at a start what it read and what it dropped', () =>
  withSeed(1, async random => {
    const reports: string[] = []
    const disk = simulatedDisk(random, new Map(), 0)
    const open = (on: typeof disk, checkpointAt = 1 << 20) =>
      openEmbedded({
        dir,
        disk: on,
        checkpointAt,
        now: () => new Date('2026-03-04T05:06:07Z'),
        onStart: report => reports.push(report),
      })
    const store = await open(disk, 400)
    for (let n = 0; n < 12; n++) await store.collection<Note>('notes').put({ id: `note-${n}`, n })
    await store.close()
    const image = new Map(
      [...disk.contents()].filter(([name]) => !name.startsWith('lock.') && name !== 'closed'),
    )
    const [name = '', data = Buffer.alloc(0)] =
      [...image].findLast(([file]) => file.startsWith('journal.')) ?? []
    const longer = simulatedDisk(
      random,
      new Map([...image, [name, Buffer.concat([data, Buffer.alloc(94, 'x')])]]),
    )
    const again = await open(longer)
    expect(await again.collection('notes').count()).toBe(12)
    await again.close()
    expect(reports[0]).toBe('found no checkpoint, and no commits of the journal')
    expect(reports[1]).toMatch(
      /^read the checkpoint of 2026-03-04T05:06:07.000Z, commit \d+, and (\d+ commits? of the journal, to commit 12|no commits of the journal); the last 94 bytes of journal\.\d+ are no whole record and were dropped: /,
    )
  }))

test('zeros that a disk has no room for are done without, and those that it has are no damage', () =>
  withSeed(1, async random => {
    const reports: string[] = []
    const disk = simulatedDisk(random, new Map(), 1500)
    const open = (on: typeof disk) => openEmbedded({ dir, disk: on, onStart: report => reports.push(report) })
    const store = await open(disk)
    const notes = store.collection<Note>('notes')
    disk.failAfter(1, 'ENOSPC', 'append')
    for (let n = 0; n < 40; n++) await notes.put({ id: `note-${n}`, n })
    const again = await open(disk.afterKill())
    expect(await again.collection('notes').count()).toBe(40)
    await again.close()
    expect(reports[1]).toMatch(/40 commits of the journal, to commit 40$/)
  }))
