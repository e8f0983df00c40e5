import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { nodeDisk } from '../../store/embedded/node-disk.ts'
import { openEmbedded } from '../../store/embedded/open.ts'
import type { Collection, Index, Row, Store } from '../../store/index.ts'

type Note = { id: string; n: number }

const byN: readonly Index[] = [{ name: 'n', fields: ['n'] }]

const newFolder = async (): Promise<string> => {
  const dir = await mkdtemp(join(tmpdir(), 'octagent-instant-'))
  onTestFinished(() => rm(dir, { recursive: true, force: true }))
  return dir
}

const allIn = async (store: Store, name = 'notes'): Promise<Note[]> =>
  (await store.collection<Note>(name, byN).find({ index: 'n', limit: 100 })).rows

/** What the store holds, also after it was opened again: the journal has to say the same as memory. */
const allTwice = async (store: Store, dir: string): Promise<Note[]> => {
  const rows = await allIn(store)
  await store.close()
  const again = await openEmbedded({ dir })
  expect(await allIn(again)).toEqual(rows)
  await again.close()
  return rows
}

test('code of a caller that a verb runs may use the store: each has its own writes', async () => {
  const dir = await newFolder()
  const store = await openEmbedded({ dir })
  const notes = store.collection<Note>('notes', byN)
  await notes.put({ id: 'a', n: 1 })
  const inside: Promise<unknown>[] = []
  const updated = notes.update('a', row => {
    inside.push(
      notes.put({ id: 'b', n: 2 }),
      notes.update('b', other => ({ ...other, n: other.n + 1 })),
    )
    inside.push(notes.get('a'), store.append('log', 'inside'))
    return { ...row, n: row.n + 9 }
  })
  expect(await updated).toEqual({ id: 'a', n: 10 })
  expect(await Promise.all(inside)).toEqual([undefined, { id: 'b', n: 3 }, { id: 'a', n: 1 }, undefined])
  const row = {
    id: 'c',
    n: 4,
    toJSON: () => {
      inside.push(notes.put({ id: 'd', n: 5 }))
      return { id: 'c', n: 4 }
    },
  }
  await notes.put(row)
  await Promise.all(inside)
  expect(await store.read('log', 0, 10)).toHaveLength(1)
  expect(await allTwice(store, dir)).toEqual([
    { id: 'b', n: 3 },
    { id: 'c', n: 4 },
    { id: 'd', n: 5 },
    { id: 'a', n: 10 },
  ])
})

test('what a verb wrote that is refused is nowhere, and not in what the next one commits', async () => {
  const dir = await newFolder()
  const store = await openEmbedded({ dir })
  const notes = store.collection<Note>('notes', byN)
  await notes.put({ id: 'a', n: 1 })
  await store.freeze?.(0.05)
  const refused = [
    notes.put({ id: 'b', n: 2 }),
    notes.delete('a'),
    store.append('log', 1),
    store.claim('key', new Date('2999-01-01')),
  ]
  for (const one of await Promise.allSettled(refused)) expect(one.status).toBe('rejected')
  expect(await notes.get('b')).toBeUndefined()
  expect(await notes.get('a')).toEqual({ id: 'a', n: 1 })
  await new Promise(resolve => setTimeout(resolve, 80))
  await notes.put({ id: 'c', n: 3 })
  expect(await store.read('log', 0, 10)).toEqual([])
  expect(await store.claim('key', new Date('2999-01-01'))).toBe(true)
  expect(await allTwice(store, dir)).toEqual([
    { id: 'a', n: 1 },
    { id: 'c', n: 3 },
  ])
})

test('a transaction sees each of its writes, however many, apart by collection', async () => {
  const dir = await newFolder()
  const store = await openEmbedded({ dir })
  await store.collection<Note>('notes', byN).put({ id: '3', n: -1 })
  await store.transaction(async tx => {
    const tables: [Collection<Note>, Collection<Note>] = [
      tx.collection<Note>('notes', byN),
      tx.collection<Note>('others', byN),
    ]
    const held: [Map<string, Note>, Map<string, Note>] = [
      new Map<string, Note>([['3', { id: '3', n: -1 }]]),
      new Map<string, Note>(),
    ]
    for (let step = 0; step < 60; step++) {
      const [table, map] = step % 3 === 0 ? [tables[1], held[1]] : [tables[0], held[0]]
      const note = { id: String((step * 7) % 20), n: step }
      if (step % 11 === 10) {
        expect(await table.delete(note.id)).toBe(map.delete(note.id))
      } else {
        await table.put(note)
        map.set(note.id, note)
      }
      for (const [position, one] of tables.entries()) {
        const expected = position === 0 ? held[0] : held[1]
        const rows = [...expected.values()].sort((a, b) => a.n - b.n)
        expect((await one.find({ index: 'n', limit: 100 })).rows).toEqual(rows)
        expect(await one.count()).toBe(rows.length)
        expect(await one.count({ index: 'n' })).toBe(rows.length)
        expect(await one.get(note.id)).toEqual(expected.get(note.id))
      }
    }
  })
  expect((await allTwice(store, dir)).length).toBeGreaterThan(8)
})

test('writers of one sync hear the same: that it is safe, or each of them that it is not', async () => {
  let isFailing = false
  const store = await openEmbedded({
    dir: await newFolder(),
    disk: {
      ...nodeDisk,
      create: async (path, writes) => {
        const file = await nodeDisk.create(path, writes)
        return {
          ...file,
          write: (offset, data) =>
            isFailing ? Promise.reject(new Error('the disk is gone')) : file.write(offset, data),
        }
      },
    },
  })
  const notes = store.collection<Row>('notes')
  const putAll = () =>
    Promise.allSettled(Array.from({ length: 20 }, (_, at) => notes.put({ id: String(at) })))
  expect(new Set((await putAll()).map(({ status }) => status))).toEqual(new Set(['fulfilled']))
  isFailing = true
  const outcomes = await putAll()
  expect(outcomes).toHaveLength(20)
  for (const outcome of outcomes)
    expect(outcome).toMatchObject({
      status: 'rejected',
      reason: { message: expect.stringContaining('gone') },
    })
  await store.close()
})

test.each(['synced', undefined] as const)(
  'a file (%s) takes writes at an offset, and none when closed',
  async writes => {
    const path = join(await newFolder(), 'file')
    const file = await nodeDisk.create(path, writes)
    await file.write(0, Buffer.alloc(3 << 20, 'a'))
    await file.write(2, Buffer.from('bc'))
    await file.sync()
    const bytes = await readFile(path)
    expect([bytes.length, bytes.toString('latin1', 0, 6)]).toEqual([3 << 20, 'aabcaa'])
    await file.close()
    await expect(file.write(0, Buffer.from('late'))).rejects.toThrow()
  },
)
