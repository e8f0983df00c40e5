import { join } from 'node:path'
import { setImmediate as turn } from 'node:timers/promises'
import { describe, expect, test, vi } from 'vitest'
import { checkpointAdapter } from '../../store/embedded/checkpoint.ts'
import { openEmbedded } from '../../store/embedded/open.ts'
import { openSlices } from '../../store/embedded/slices.ts'
import { emptyState } from '../../store/embedded/state.ts'
import { type Store, StoreFailure } from '../../store/index.ts'
import { randomFrom } from '../random.ts'
import { isStress } from '../stress.ts'
import { type SimulatedDisk, simulatedDisk } from './simulated-disk.ts'

const dir = '/simulated'
const random = randomFrom(1)
const rows = 8

/** Every byte with `STRESS=1`; else every tenth, another tenth each time, and all of the last 40. */
const offsets = (size: number): number[] => {
  const first = Math.floor(Math.random() * 10)
  const all = Array.from({ length: size }, (_, at) => at)
  return isStress ? all : all.filter(at => at % 10 === first || at >= size - 40)
}

type Image = ReadonlyMap<string, Buffer>

const write = async (store: Store, from: number, to: number): Promise<void> => {
  const notes = store.collection('notes')
  for (let n = from; n < to; n++) await notes.put({ id: `note-${n}`, text: `the text of ${n}` } as never)
}

/** Waits until nothing has been asked of the disk for a while. */
const quiet = async (disk: SimulatedDisk): Promise<void> => {
  let before = -1
  for (let rounds = 0; rounds < 500 && before !== disk.operations(); rounds++) {
    before = disk.operations()
    for (let turns = 0; turns < 50; turns++) await turn()
  }
}

const copyImage = (disk: SimulatedDisk): Map<string, Buffer> =>
  new Map([...disk.contents()].filter(([name]) => !name.startsWith('lock.')).sort())

const makeImage = async (options: {
  closed: boolean
  checkpoint: boolean
  aheadBytes?: number
}): Promise<Image> => {
  const disk = simulatedDisk(random, new Map(), options.aheadBytes ?? 0)
  const store = await openEmbedded({ dir, disk, checkpointAt: options.checkpoint ? 400 : 1 << 20 })
  await write(store, 0, rows)
  await quiet(disk)
  if (options.closed) await store.close()
  return copyImage(disk)
}

/** How many rows a store finds in these files, all of the first so many; or how it refuses them. */
const rowsIn = async (
  image: Image,
): Promise<{ rows: number; disk: SimulatedDisk } | { refusal: StoreFailure }> => {
  const disk = simulatedDisk(random, image)
  let store: Store
  try {
    store = await openEmbedded({ dir, disk })
  } catch (problem) {
    expect(problem).toBeInstanceOf(StoreFailure)
    expect(copyImage(disk)).toEqual(image)
    return { refusal: problem as StoreFailure }
  }
  const notes = store.collection<{ id: string; text: string }>('notes')
  const count = await notes.count()
  for (let n = 0; n < count; n++) expect((await notes.get(`note-${n}`))?.text).toBe(`the text of ${n}`)
  await store.close()
  return { rows: count, disk }
}

const changeFile = (image: Image, name: string, change: (data: Buffer) => Buffer): Image =>
  new Map([...image, [name, change(Buffer.from(image.get(name) ?? ''))]])

const flipBit = (image: Image, name: string, at: number): Image =>
  changeFile(image, name, data => {
    data[at] = (data[at] ?? 0) ^ (1 << random.below(8))
    return data
  })

const truncateFile = (image: Image, name: string, at: number): Image =>
  changeFile(image, name, data => data.subarray(0, at))

const findJournal = (image: Image): { name: string; size: number } => {
  const [name = '', data] = [...image].findLast(([name]) => name.startsWith('journal.')) ?? []
  return { name, size: data?.length ?? 0 }
}

const lastFrameAt = (data: Buffer | undefined): number =>
  data?.toString('latin1').lastIndexOf('{"from":') ?? Number.NaN

describe('a journal after a kill', () => {
  test('cut at any byte, gives the writes whose frames are whole, and goes on from there', async () => {
    const image = await makeImage({ closed: false, checkpoint: false })
    const { name, size } = findJournal(image)
    let maxRows = 0
    for (const at of [...offsets(size), size]) {
      const result = await rowsIn(truncateFile(image, name, at))
      if ('refusal' in result) throw result.refusal
      expect(result.rows).toBeGreaterThanOrEqual(maxRows)
      maxRows = result.rows
      const again = await rowsIn(copyImage(result.disk))
      expect(again).toMatchObject({ rows: result.rows })
    }
    expect(maxRows).toBe(rows)
  })

  test('with a bit flipped anywhere, is refused with file and offset; only a flip in the last frame reads as torn', async () => {
    const image = await makeImage({ closed: false, checkpoint: false })
    const { name, size } = findJournal(image)
    const last = lastFrameAt(image.get(name)) - 18
    for (const at of offsets(size)) {
      const result = await rowsIn(flipBit(image, name, at))
      if (at >= last) expect(result, `byte ${at}`).toMatchObject({ rows: rows - 1 })
      else
        expect('refusal' in result && result.refusal.message, `byte ${at}`).toMatch(
          /journal\.1 is damaged at byte \d+/,
        )
    }
  })
})

describe('a journal after a kill some time after the last write', () => {
  test('cut between two records, is refused, for its end was noted; cut behind them it is whole', async () => {
    const disk = simulatedDisk(random, new Map(), 0)
    const store = await openEmbedded({ dir, disk, checkpointAt: 1 << 20, markMs: 5 })
    await write(store, 0, rows)
    const isMarked = () => copyImage(disk).has('closed')
    await vi.waitFor(() => expect(isMarked()).toBe(true))
    const marked = copyImage(disk)
    await vi.waitFor(() => expect(copyImage(disk).get('closed')?.toString()).toContain(`"lsn":${rows}`))
    const image = copyImage(disk)
    expect(marked.size).toBeGreaterThan(1)
    const { name, size } = findJournal(image)
    const last = lastFrameAt(image.get(name)) - 18
    for (const at of [last, last - 1, last + 5]) {
      const result = await rowsIn(truncateFile(image, name, at))
      expect('refusal' in result && result.refusal.message, `byte ${at}`).toMatch(
        /commits .* are missing, though/,
      )
    }
    expect(await rowsIn(truncateFile(image, name, size))).toMatchObject({ rows })
    await store.close()
  })

  test('killed at once after a write, starts with whatever the files have', async () => {
    const disk = simulatedDisk(random, new Map(), 0)
    const store = await openEmbedded({ dir, disk, checkpointAt: 1 << 20, markMs: 1 })
    const written = write(store, 0, rows)
    for (let turns = 0; turns < 200; turns++) {
      await turn()
      const result = await rowsIn(copyImage(disk))
      if ('refusal' in result) throw result.refusal
    }
    await written
    await store.close()
  })
})

describe('a journal after an orderly close', () => {
  test('cut or flipped at any byte, is refused and left as it is', async () => {
    const image = await makeImage({ closed: true, checkpoint: false })
    const { name, size } = findJournal(image)
    for (const at of offsets(size))
      for (const badImage of [truncateFile(image, name, at), flipBit(image, name, at)]) {
        const result = await rowsIn(badImage)
        expect('refusal' in result && result.refusal.message, `byte ${at}`).toMatch(
          /journal\.1|commits .* are missing/,
        )
      }
    expect(await rowsIn(image)).toMatchObject({ rows })
  })
})

describe('zeros that were written ahead', () => {
  test.each([true, false])('cut or flipped at any byte, cost no row (closed in order: %s)', async closed => {
    const image = await makeImage({ closed, checkpoint: false, aheadBytes: 900 })
    const { name, size } = findJournal(image)
    const end = (image.get(name)?.findLastIndex(byte => byte !== 0) ?? 0) + 1
    expect(size - end).toBeGreaterThan(50)
    for (const at of offsets(size - end).map(offset => end + offset))
      for (const badImage of [truncateFile(image, name, at), flipBit(image, name, at)])
        expect(await rowsIn(badImage), `byte ${at}`).toMatchObject({ rows })
  })
})

describe('a checkpoint', () => {
  const name = 'checkpoint.jsonl'

  test('cut or flipped at any byte, is refused with its name and offset', async () => {
    const image = await makeImage({ closed: false, checkpoint: true })
    const size = image.get(name)?.length ?? 0
    expect(size).toBeGreaterThan(100)
    for (const at of offsets(size))
      for (const badImage of [truncateFile(image, name, at), flipBit(image, name, at)]) {
        const result = await rowsIn(badImage)
        expect('refusal' in result && result.refusal.message, `byte ${at}`).toMatch(
          /checkpoint\.jsonl is damaged at byte \d+/,
        )
      }
    expect(await rowsIn(image)).toMatchObject({ rows })
  })

  test('that is missing, or a journal that is missing, is told by the gap', async () => {
    const image = new Map(await makeImage({ closed: false, checkpoint: true }))
    const without = new Map(image)
    without.delete(name)
    expect(await rowsIn(without)).toMatchObject({
      refusal: { message: expect.stringContaining('are missing') },
    })
  })

  test('with bytes behind its end is refused', async () => {
    const image = await makeImage({ closed: false, checkpoint: true })
    const longer = changeFile(image, name, data => Buffer.concat([data, Buffer.from('x')]))
    expect(await rowsIn(longer)).toMatchObject({ refusal: { message: expect.stringContaining('damaged') } })
  })

  test('that needs commits which no journal has is refused', async () => {
    const disk = simulatedDisk(random)
    const state = { ...emptyState(), lsn: 3 }
    const now = () => new Date()
    await checkpointAdapter({
      disk,
      dir,
      now,
      lsn: () => 5,
      settled: async () => undefined,
      failures: () => 0,
      slices: openSlices(),
    }).write(state)
    expect(await rowsIn(copyImage(disk))).toMatchObject({
      refusal: { message: expect.stringContaining('commits 4 to 5') },
    })
  })
})

test('a journal between two others that is gone is told by the gap', async () => {
  const disk = simulatedDisk(random)
  for (const from of [0, 3, 6]) {
    const store = await openEmbedded({ dir, disk })
    await write(store, from, from + 3)
    await store.close()
  }
  const image = copyImage(disk)
  image.delete('journal.2')
  const result = await rowsIn(image)
  expect('refusal' in result && result.refusal.message).toMatch(
    /journal\.3, byte 0: commits 4 to 5 are missing/,
  )
})

describe('a disk that fails', () => {
  const failing = async (kind: 'append' | 'sync', code: string, words: RegExp): Promise<void> => {
    const disk = simulatedDisk(random, new Map(), 0)
    const store = await openEmbedded({ dir, disk })
    await write(store, 0, 3)
    disk.failAfter(1, code, kind)
    const pendingWrite = expect(write(store, 3, 4)).rejects.toThrow(words)
    await expect(store.transaction(tx => tx.collection('notes').get('note-3'))).rejects.toThrow(StoreFailure)
    await pendingWrite
    await expect(write(store, 4, 5)).rejects.toThrow(StoreFailure)
    const reading = store.transaction(tx => tx.collection('notes').count())
    if (code === 'ENOSPC') expect(await reading).toBe(3)
    else await expect(reading).rejects.toThrow(StoreFailure)
    expect(await store.health()).toMatchObject({ ok: false, detail: expect.stringMatching(words) })
    await store.close()
    const after = disk.afterPowerCut()
    const result = await rowsIn(copyImage(after))
    expect('rows' in result && [3, 4]).toContain('rows' in result && result.rows)
  }

  test('at a sync stops the store: pending and later writes and transactions are refused, and health says why', () =>
    failing('sync', 'EIO', /The disk failed \(EIO/))

  test('for want of space refuses writes, keeps what was acknowledged, is read, and says so', () =>
    failing('append', 'ENOSPC', /The disk is full \(ENOSPC.*Free some space/))

  test('for want of space during a checkpoint leaves the old one, takes writes on and tries again later', async () => {
    const disk = simulatedDisk(random, new Map(), 0)
    const inner = disk.create
    let full = true
    disk.create = async path => {
      if (full && path === join(dir, 'checkpoint.jsonl.tmp'))
        throw Object.assign(new Error('ENOSPC'), { code: 'ENOSPC' })
      return inner(path)
    }
    const store = await openEmbedded({ dir, disk, checkpointAt: 300 })
    await write(store, 0, rows)
    await quiet(disk)
    expect(await store.health()).toMatchObject({
      ok: true,
      detail: expect.stringContaining('too full for a checkpoint'),
    })
    expect(await rowsIn(copyImage(disk))).toMatchObject({ rows })
    full = false
    await write(store, rows, 3 * rows)
    await quiet(disk)
    expect(await store.health()).toEqual({ ok: true, engine: 'embedded' })
    expect(copyImage(disk).has('checkpoint.jsonl')).toBe(true)
    expect(await rowsIn(copyImage(disk))).toMatchObject({ rows: 3 * rows })
    await store.close()
  })
})
