import { mkdtemp, open, readdir, readFile, readlink, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { crc32 } from 'node:zlib'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { openObserver } from '../../mcp/kernel/observe.ts'
import { moveStore } from '../../store/copy/move.ts'
import { openArchive } from '../../store/embedded/archive.ts'
import type { DiskFile } from '../../store/embedded/disk.ts'
import { type EmbeddedOptions, openEmbedded } from '../../store/embedded/open.ts'
import { openSlices } from '../../store/embedded/slices.ts'
import { type Index, type Store, StoreFailure, Taken } from '../../store/index.ts'
import { describeUse } from '../../store/use.ts'
import { firstSeed, withSeed } from '../random.ts'
import { runs } from '../stress.ts'
import { simulatedDisk } from './simulated-disk.ts'

type Payment = { id: string; state: string; n: number; text: string; claim?: string | null }

const indexes: readonly Index[] = [
  { name: 'state', fields: ['state', 'n'] },
  { name: 'claim', fields: ['claim'], unique: true },
  { name: 'words', fields: ['text'], words: true },
]
const hour = 3_600_000
const checkpointAt = 100_000

const newFolder = async (): Promise<string> => {
  const dir = await mkdtemp(join(tmpdir(), 'octagent-archive-'))
  onTestFinished(() => rm(dir, { recursive: true, force: true }))
  return dir
}
const openIn = async (dir: string, options: Partial<EmbeddedOptions> = {}): Promise<Store> => {
  const store = await openEmbedded({ dir, checkpointAt, ...options })
  onTestFinished(() => store.close())
  return store
}
const paymentsIn = (store: Pick<Store, 'collection'>, afterHours = 0) =>
  store.collection<Payment>('payments', indexes, { afterHours })

const payment = (n: number): Payment => ({
  id: `payment-${n}`,
  state: n % 3 === 0 ? 'owed' : 'done',
  n,
  text: `number ${n} ${n % 2 === 0 ? 'éven' : 'odd'} ${'x'.repeat(1000)}`,
  claim: `claim-${n}`,
})
const archived = (store: Store): number => store.use()?.archived.documents ?? 0

/** Writes beside them until a checkpoint was due, at least one where so many writes are given, and has archived so many. */
const archive = async (store: Store, count: number, minWrites = 0): Promise<void> => {
  const filler = store.collection<{ id: string; text: string }>('filler')
  for (let n = 0; n < 400 && (n < minWrites || archived(store) !== count); n++) {
    await filler.put({ id: 'filler', text: `${n}`.padEnd(checkpointAt / 3, ' ') })
    await new Promise(resolve => setTimeout(resolve, 1))
  }
  expect(archived(store)).toBe(count)
}
const fill = async (store: Store, count: number): Promise<void> => {
  await Promise.all(Array.from({ length: count }, (_, n) => paymentsIn(store).insert(payment(n))))
}

describe('archived documents', () => {
  test('are read, found by each index, counted, changed and deleted as before, also after a start', async () => {
    const dir = await newFolder()
    let store = await openIn(dir)
    await fill(store, 300)
    await archive(store, 300)
    const look = async (deleted: readonly number[], changed: readonly number[]): Promise<void> => {
      const payments = paymentsIn(store)
      const all = Array.from({ length: 300 }, (_, n) => n).filter(n => !deleted.includes(n))
      const expected = (n: number): Payment =>
        changed.includes(n) ? { ...payment(n), state: 'refunded' } : payment(n)
      expect(await payments.count()).toBe(all.length)
      for (const n of all) expect(await payments.get(`payment-${n}`)).toEqual(expected(n))
      for (const n of deleted) expect(await payments.get(`payment-${n}`)).toBeUndefined()
      const inState = (state: string) => all.filter(n => expected(n).state === state)
      for (const state of ['owed', 'done', 'refunded']) {
        const found = await payments.find({ index: 'state', where: { state }, order: 'desc', limit: 1000 })
        expect(found.rows.map(({ n }) => n)).toEqual(inState(state).reverse())
        expect(await payments.count({ index: 'state', where: { state } })).toBe(inState(state).length)
      }
      const [first = 0] = all
      const { rows } = await payments.find({ index: 'claim', where: { claim: `claim-${first}` } })
      expect(rows).toEqual([expected(first)])
      const words = await payments.find({ index: 'words', where: { text: 'éven' }, limit: 1000 })
      expect(words.rows.map(({ n }) => n).sort((a, b) => a - b)).toEqual(all.filter(n => n % 2 === 0))
    }
    await look([], [])
    const payments = paymentsIn(store)
    expect(await payments.insert({ ...payment(7), state: 'again' })).toBe(false)
    expect(await payments.insert({ ...payment(900), claim: 'claim-7' })).toBe(false)
    await expect(payments.put({ ...payment(8), claim: 'claim-7' })).rejects.toThrow(Taken)
    await payments.update('payment-5', row => ({ ...row, state: 'refunded' }))
    await payments.put({ ...payment(6), state: 'refunded' })
    expect(await payments.delete('payment-11')).toBe(true)
    await store.transaction(async tx => {
      expect(await paymentsIn(tx).count({ index: 'state', where: { state: 'refunded' } })).toBe(2)
      await paymentsIn(tx).delete('payment-12')
    })
    await store
      .transaction(async tx => {
        await paymentsIn(tx).delete('payment-13')
        throw new Error('rolled back')
      })
      .catch(() => undefined)
    expect(archived(store)).toBe(296)
    await look([11, 12], [5, 6])
    await archive(store, 298)
    await look([11, 12], [5, 6])
    await store.close()
    store = await openIn(dir)
    expect(archived(store)).toBe(298)
    await look([11, 12], [5, 6])
    await archive(store, 298)
    await look([11, 12], [5, 6])
  })

  test('stand in indexes over fields alone that a start builds, each once', async () => {
    const dir = await newFolder()
    const paid = (store: Store) =>
      store.collection<Payment>(
        'paid',
        indexes.filter(({ words }) => !words),
        { afterHours: 0 },
      )
    const before = await openIn(dir)
    await Promise.all(Array.from({ length: 300 }, (_, n) => paid(before).insert(payment(n))))
    await archive(before, 300)
    await before.close()
    const store = await openIn(dir)
    await paid(store).put({ ...payment(4), n: -1 })
    expect(archived(store)).toBe(299)
    const numbers = async (state: string) =>
      (await paid(store).find({ index: 'state', where: { state }, limit: 1000 })).rows.map(({ n }) => n)
    const all = Array.from({ length: 300 }, (_, n) => n)
    expect(await numbers('owed')).toEqual(all.filter(n => n % 3 === 0))
    expect(await numbers('done')).toEqual([-1, ...all.filter(n => n % 3 !== 0 && n !== 4)])
    expect(await paid(store).insert({ ...payment(900), claim: 'claim-7' })).toBe(false)
  })

  test('take no memory but what says where they are, also after a start, and count the same then', async () => {
    const dir = await newFolder()
    const store = await openIn(dir)
    const rows = store.collection<{ id: string; text: string }>('plain', [], { afterHours: 0 })
    await Promise.all(
      Array.from({ length: 2000 }, (_, n) => rows.insert({ id: `${n}`, text: 'x'.repeat(1000) })),
    )
    await archive(store, 2000)
    const use = store.use()
    expect(use?.documents).toBe(1)
    expect(use?.bytes).toBeLessThan(2000 * 50 + checkpointAt)
    expect(use?.archived.bytes).toBeGreaterThan(2000 * 1000)
    expect(use && describeUse({ ...use, maxBytes: 5e6 })).toMatch(
      /^1 documents in memory, which takes 1 MB of 5 MB, and 2,000 archived ones, 3 MB on disk$/,
    )
    const { body } = await openObserver(store.use).metrics()
    expect(body).toContain('octagent_store_documents 1\n')
    expect(body).toContain('octagent_store_archived_documents 2000\n')
    expect(body).toContain(`octagent_store_archived_bytes ${use?.archived.bytes}\n`)
    await store.close()
    const again = await openIn(dir)
    expect(again.use()).toEqual(use)
    expect(await again.collection('plain').get('1234')).toEqual({ id: '1234', text: 'x'.repeat(1000) })
    expect(again.use()).toEqual(use)
  })

  test('are those alone that were not written for as long as their collection says', async () => {
    let now = Date.parse('2031-05-05T10:20:00Z')
    const dir = await newFolder()
    const store = await openIn(dir, { now: () => new Date(now) })
    const payments = paymentsIn(store, 24)
    await Promise.all(Array.from({ length: 10 }, (_, n) => payments.insert(payment(n))))
    now += 20 * hour
    await payments.update('payment-3', row => ({ ...row, state: 'refunded' }))
    now += 6 * hour
    await archive(store, 9)
    now += 20 * hour
    await archive(store, 10)
    expect(await payments.get('payment-3')).toEqual({ ...payment(3), state: 'refunded' })
    await payments.update('payment-4', row => ({ ...row, state: 'refunded' }))
    await archive(store, 9, 20)
    await store.close()
    // What a start reads was not written after its checkpoint.
    now += 26 * hour
    const again = await openIn(dir, { now: () => new Date(now) })
    paymentsIn(again, 24)
    await archive(again, 10)
    expect(() => paymentsIn(again, 12)).toThrow('archive.afterHours was 24 before, and is 12')
    expect(() => again.collection('other', [], { afterHours: 1.5 })).toThrow(
      'other: archive.afterHours must be a whole number from 0',
    )
  })

  test('make room when memory runs out, however new they are: nothing is refused', async () => {
    const maxBytes = 400_000
    const dir = await newFolder()
    const store = await openIn(dir, { maxBytes, checkpointAt: 64 << 20 })
    const rows = store.collection<{ id: string; text: string }>('plain', [], { afterHours: 24 })
    for (let n = 0; n < 3000; n++) {
      await rows.insert({ id: `${n}`, text: 'x'.repeat(1000) })
      expect(store.use()?.bytes).toBeLessThan(maxBytes)
      if (n % 20 === 0) await new Promise(resolve => setTimeout(resolve, 1))
    }
    expect(archived(store)).toBeGreaterThan(2500)
    for (let n = 0; n < 3000; n++) expect(await rows.get(`${n}`)).toBeDefined()
    expect(await store.health()).toEqual({ ok: true, engine: 'embedded' })
  })

  test('that came together go on as archived when their indexes are built over them, each once', async () => {
    const dir = await newFolder()
    const first = await openIn(dir)
    const early = first.collection<Payment>('payments', [], { afterHours: 0 })
    for (let n = 0; n < 200; n++) await early.insert(payment(n))
    await archive(first, 200)
    await first.close()
    // No further checkpoint is due: what comes now stays in memory.
    const store = await openIn(dir, { checkpointAt: 64 << 20 })
    const rows = store.collection<Payment>('payments', [], { afterHours: 0 })
    for (let n = 200; n < 250; n++) await rows.insert(payment(n))
    await rows.delete('payment-7')
    await store.close()
    const again = await openIn(dir, { checkpointAt: 64 << 20 })
    const payments = paymentsIn(again)
    expect(await payments.count({ index: 'state' })).toBe(249)
    expect(await payments.count({ index: 'words', where: { text: 'odd' } })).toBe(124)
    expect(archived(again)).toBe(199)
  })
})

test('a random walk of many at a time, over documents that are archived meanwhile, ends where a plain map ends', async () => {
  const first = firstSeed()
  for (let run = 0; run < runs(30); run++)
    await withSeed(first + run, async random => {
      const dir = await newFolder()
      const model = new Map<string, Payment>()
      const walk = async (store: Store, lane: number): Promise<void> => {
        const payments = paymentsIn(store)
        for (let step = 0; step < 60; step++) {
          const n = lane + 12 * random.below(25)
          const { id } = payment(n)
          const what = random.below(10)
          if (what < 3) {
            const row = { ...payment(n), state: `s${step}`, text: 'é'.repeat(random.below(900)) }
            await payments.put(row)
            model.set(id, row)
          } else if (what < 5) {
            const row = await payments.update(id, before => ({ ...before, n: before.n + 1000 }))
            const before = model.get(id)
            expect(row).toEqual(before && { ...before, n: before.n + 1000 })
            if (row) model.set(id, row)
          } else if (what < 6) expect(await payments.delete(id)).toBe(model.delete(id))
          else if (what < 8) expect(await payments.get(id)).toEqual(model.get(id))
          else if (what < 9)
            expect((await payments.find({ index: 'claim', where: { claim: `claim-${n}` } })).rows).toEqual(
              [model.get(id)].filter(Boolean),
            )
          else
            await store
              .transaction(async tx => {
                const row = await paymentsIn(tx).get(id)
                expect(row).toEqual(model.get(id))
                if (row) await paymentsIn(tx).put({ ...row, state: 'seen' })
              })
              .then(() => {
                const row = model.get(id)
                if (row) model.set(id, { ...row, state: 'seen' })
              })
        }
      }
      let met = 0
      for (let life = 0; life < 3; life++) {
        const store = await openEmbedded({ dir, checkpointAt: random.pick([2000, 20_000]) })
        await Promise.all(Array.from({ length: 12 }, (_, lane) => walk(store, lane)))
        met += archived(store)
        const all = await paymentsIn(store).find({ index: 'state', limit: 1000 })
        expect(new Map(all.rows.map(row => [row.id, row]))).toEqual(model)
        const { documents = 0, archived: away } = store.use() ?? {}
        expect(documents + (away?.documents ?? 0)).toBe(model.size)
        await store.close()
      }
      expect(met).toBeGreaterThan(0)
    })
})

test('a checkpoint that was written over is let go when no archived document points into it', async () => {
  const dir = await newFolder()
  const store = await openIn(dir)
  await fill(store, 100)
  await archive(store, 100)
  for (let round = 0; round < 5; round++) {
    await paymentsIn(store).delete(`payment-${round}`)
    await archive(store, 99 - round, 20)
  }
  const openFiles = async (): Promise<string[]> => {
    // What was forgotten goes once that is durable, with the next commit.
    await store.append('log', 'next')
    const paths = (await readdir('/proc/self/fd')).map(fd => readlink(`/proc/self/fd/${fd}`).catch(() => ''))
    return (await Promise.all(paths)).filter(path => path.startsWith(join(dir, 'checkpoint.jsonl')))
  }
  // A checkpoint may still be under way: the one before stays open until that is done.
  await vi.waitFor(async () => expect(await openFiles()).toEqual([join(dir, 'checkpoint.jsonl')]))
})

test('what a full disk refuses to write about archived documents is taken back: they are there as before', () =>
  withSeed(firstSeed(), async random => {
    const disk = simulatedDisk(random, new Map(), 0)
    const create = disk.create
    let isFull = false
    disk.create = async path => {
      if (isFull) throw Object.assign(new Error('ENOSPC: no space'), { code: 'ENOSPC' })
      return create(path)
    }
    const store = await openIn('/simulated', { disk, retryMs: 1 })
    await fill(store, 40)
    await archive(store, 40)
    const payments = paymentsIn(store)
    /** A checkpoint under way would meet the failure in place of the writes. */
    const whenIdle = async (): Promise<void> => {
      for (let before = -1; before !== disk.operations(); ) {
        before = disk.operations()
        await new Promise(resolve => setTimeout(resolve, 10))
      }
    }
    for (let round = 0; round < 3; round++) {
      await whenIdle()
      isFull = true
      disk.failAfter(1, 'ENOSPC', 'append')
      const outcomes = await Promise.allSettled([
        payments.delete('payment-1'),
        payments.put({ ...payment(1), state: 'new' }),
        payments.put({ ...payment(2), state: 'refunded' }),
        payments.update('payment-3', row => ({ ...row, claim: 'claim-1000' })),
        payments.delete('payment-3'),
        payments.put({ ...payment(2), state: 'again' }),
      ])
      expect(outcomes.map(({ status }) => status)).toEqual(Array(6).fill('rejected'))
      for (let n = 0; n < 40; n++) expect(await payments.get(`payment-${n}`)).toEqual(payment(n))
      const found = await payments.find({ index: 'state', where: { state: 'done' }, limit: 1000 })
      expect(found.rows.map(({ n }) => n)).toEqual(
        Array.from({ length: 40 }, (_, n) => n).filter(n => n % 3 !== 0),
      )
      expect(await payments.count({ index: 'claim' })).toBe(40)
      expect(archived(store)).toBe(40)
      isFull = false
      while (!(await store.health()).ok) await new Promise(resolve => setTimeout(resolve, 1))
      await archive(store, 40, 20)
    }
    await payments.delete('payment-1')
    await payments.put({ ...payment(2), state: 'refunded' })
    await archive(store, 39, 20)
    expect(await payments.get('payment-1')).toBeUndefined()
    expect(await payments.get('payment-2')).toEqual({ ...payment(2), state: 'refunded' })
  }))

test('migrate copies archived documents, and those that replace them, from a folder that is free', async () => {
  const dir = await newFolder()
  const store = await openIn(dir)
  await fill(store, 120)
  await archive(store, 120)
  await paymentsIn(store).put({ ...payment(5), state: 'refunded' })
  await paymentsIn(store).delete('payment-6')
  await store.close()
  const to = join(await newFolder(), 'store')
  const census = await moveStore({ from: { name: 'here', dir }, to: { name: 'there', dir: to } })
  expect(census['collection payments']?.count).toBe(119)
  const moved = await openIn(to)
  for (let n = 0; n < 120; n++)
    expect(await paymentsIn(moved).get(`payment-${n}`)).toEqual(
      n === 6 ? undefined : { ...payment(n), ...(n === 5 && { state: 'refunded' }) },
    )
  await archive(moved, 119)
})

describe('an archived document that cannot be read', () => {
  const spoil = async (dir: string, text: string): Promise<number> => {
    const path = join(dir, 'checkpoint.jsonl')
    const at = (await readFile(path)).indexOf(text)
    expect(at).toBeGreaterThan(0)
    const handle = await open(path, 'r+')
    await handle.write(Buffer.from([0x21]), 0, 1, at)
    await handle.close()
    return at
  }

  test('is a failure that names file and byte, never another answer; everything else goes on', async () => {
    const dir = await newFolder()
    const store = await openIn(dir)
    await fill(store, 50)
    await archive(store, 50)
    await spoil(dir, 'number 17 ')
    const payments = paymentsIn(store)
    expect(await payments.get('payment-16')).toEqual(payment(16))
    expect(await store.health()).toEqual({ ok: true, engine: 'embedded' })
    const failed = { message: expect.stringMatching(/byte \d+ of .*checkpoint\.jsonl cannot be read/) }
    await expect(payments.get('payment-17')).rejects.toMatchObject(failed)
    await expect(payments.get('payment-17')).rejects.toBeInstanceOf(StoreFailure)
    await expect(payments.find({ index: 'state', where: { state: 'done' } })).rejects.toMatchObject(failed)
    await expect(payments.put(payment(17))).rejects.toMatchObject(failed)
    await expect(payments.delete('payment-17')).rejects.toMatchObject(failed)
    await expect(
      store.transaction(async tx => {
        await paymentsIn(tx).put({ ...payment(18), state: 'refunded' })
        await paymentsIn(tx).put(payment(17))
      }),
    ).rejects.toMatchObject(failed)
    expect(await payments.get('payment-18')).toEqual(payment(18))
    expect(await store.health()).toMatchObject({ ok: true, degraded: true, detail: failed.message })
    const before = await stat(join(dir, 'checkpoint.jsonl'))
    const filler = store.collection<{ id: string; text: string }>('filler')
    for (let n = 0; n < 8; n++) await filler.put({ id: 'filler', text: 'x'.repeat(checkpointAt / 3) })
    await payments.put({ ...payment(19), state: 'refunded' })
    await store.close()
    expect((await stat(join(dir, 'checkpoint.jsonl'))).ino).toBe(before.ino)
    await expect(openEmbedded({ dir })).rejects.toThrow('is damaged at byte')
  })

  test('because the disk fails stays as it is, and is there again when the disk answers', () =>
    withSeed(firstSeed(), async random => {
      const disk = simulatedDisk(random)
      let isFailing = false
      const openFile = disk.open
      disk.open = async path => {
        const file = await openFile(path)
        return (
          file && {
            ...file,
            readNow: (offset, length) => {
              if (isFailing) throw Object.assign(new Error('EIO: i/o error, read'), { code: 'EIO' })
              return file.readNow(offset, length)
            },
          }
        )
      }
      const store = await openIn('/simulated', { disk })
      await fill(store, 20)
      await archive(store, 20)
      isFailing = true
      await expect(paymentsIn(store).get('payment-3')).rejects.toThrow('EIO')
      await expect(paymentsIn(store).put({ ...payment(4), state: 'refunded' })).rejects.toThrow('EIO')
      expect(await store.health()).toMatchObject({ degraded: true })
      isFailing = false
      expect(await paymentsIn(store).get('payment-3')).toEqual(payment(3))
      expect(await paymentsIn(store).get('payment-4')).toEqual(payment(4))
    }))
})

test('a file whose number comes again is not taken for the one that had it', async () => {
  const line = (id: string) => `p\t"rows"\t"${id}"\t{"id":"${id}"}\n`
  /** Two rows and much else, the first of them at an offset. */
  const fileWith = (first: number) => {
    const data = Buffer.alloc(10_000, 'x')
    data.write(line('a'), first)
    data.write(line('b'), 500)
    const readNow = (offset: number, length: number) => Buffer.from(data.subarray(offset, offset + length))
    return { readNow, close: async () => undefined } as unknown as DiskFile
  }
  const archive = openArchive()
  archive.use('checkpoint', fileWith(10))
  const places = [10, 500].map((at, n) =>
    archive.add(0, at, line('a').length, crc32(line(n === 0 ? 'a' : 'b'))),
  ) as [number, number]
  for (let checkpoint = 0; checkpoint < 260; checkpoint++) {
    // Reading on from the first row to the second, it reads ahead: what lies there now lies elsewhere in later files.
    if (checkpoint % 127 === 0) expect(places.map(archive.text)).toEqual(['{"id":"a"}', '{"id":"b"}'])
    const first = checkpoint % 127 === 126 ? 1000 + checkpoint : 10
    archive.moves(places[0], first)
    archive.moves(places[1], 500)
    await archive.publish('checkpoint', fileWith(first), openSlices())
  }
  expect(archive.problem()).toBeUndefined()
})
