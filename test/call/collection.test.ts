import fc from 'fast-check'
import { describe, expect, onTestFinished, test } from 'vitest'
import { type Budget, collection } from '../../mcp/kernel/collection.ts'
import { ToolError } from '../../mcp/kernel/error.ts'
import { type Origin, toNetwork, withOrigin } from '../../mcp/kernel/origin.ts'
import { topic } from '../../mcp/kernel/topic.ts'
import type { Store } from '../../store/index.ts'
import { onBothEngines } from '../payment/ledger-engines.ts'
import type { Engine } from '../store/suite.ts'
import { runs } from '../stress.ts'

type Note = { id: string; owner: string; text: string; funded?: boolean }

const KiB = 1024
const budget: Budget<Note> = {
  what: 'notes',
  owner: note => note.owner,
  counts: note => !note.funded,
  each: { rows: 3, bytes: 8 * KiB },
  network: { rows: 5, bytes: 12 * KiB },
  allBytes: 96 * KiB,
  ends: 'Delete one.',
}
const indexes = [{ name: 'owner', fields: ['owner'] }]
const notesIn = collection<Note>({ name: 'test.notes', indexes, budget })

type Counter = { id: string; rows: number; bytes: number }

const open = async (engine: Engine): Promise<Store> => {
  const place = await engine.place()
  const store = await place.open()
  onTestFinished(async () => {
    await store.close()
    await place.clean()
  })
  return store
}

const from = (store: Store, client: string, more: Partial<Origin> = {}): Store =>
  withOrigin(store, { client, isPaid: false, room: 1, ...more })

const countersOf = async (store: Store): Promise<Counter[]> => {
  const page = await store
    .collection<Counter>('call.allowance', [{ name: 'id', fields: ['id'] }])
    .find({ index: 'id', limit: 1000 })
  return page.rows
}

const collectionOfDays = (store: Store) =>
  store.collection<Counter & { day: string }>('call.topic_days', [{ name: 'day', fields: ['day'] }])

const sizeOf = (note: Note): number => Math.ceil(Buffer.byteLength(JSON.stringify(note)) / KiB) * KiB

const reasonOf = async (work: Promise<unknown>): Promise<string> => {
  try {
    await work
    return 'written'
  } catch (error) {
    if (error instanceof ToolError) return error.extra.reason ?? error.code
    throw error
  }
}

/** What a budget is by its description, counted anew over all rows each time. */
type ModelRow = { note: Note; counted: { owner: string; network: string } | undefined }

const sum = (rows: readonly ModelRow[], is: (row: ModelRow) => boolean) => {
  const own = rows.filter(row => row.counted && is(row))
  return { rows: own.length, bytes: own.reduce((bytes, { note }) => bytes + sizeOf(note), 0) }
}

const fits = (amount: Counter | { rows: number; bytes: number }, max: { rows: number; bytes: number }) =>
  amount.rows <= max.rows && amount.bytes <= max.bytes

/** What a put comes to, and the row as it is afterwards. The total is so wide that no part of it is full. */
const putInModel = (model: Map<string, ModelRow>, note: Note, origin: Origin | undefined): string => {
  const before = model.get(note.id)
  const network = toNetwork(origin?.client ?? '')
  const fresh = origin && !origin.isPaid ? { owner: note.owner, network } : undefined
  const counted = note.funded ? undefined : before ? before.counted : fresh
  const row: ModelRow = { note, counted }
  const next = new Map(model).set(note.id, row)
  const growth = sizeOf(note) - (before?.counted ? sizeOf(before.note) : 0)
  const isBound = counted && origin && !origin.isPaid && !(before && growth <= KiB)
  if (isBound) {
    const rows = [...next.values()]
    if (
      !fits(
        sum(rows, other => other.counted?.owner === counted.owner),
        budget.each ?? budget.network,
      )
    )
      return 'budget_of_account'
    if (
      !fits(
        sum(rows, other => other.counted?.network === counted.network),
        budget.network,
      )
    )
      return 'budget_of_network'
  }
  model.set(note.id, row)
  return 'written'
}

const origins = [
  undefined,
  { client: '192.0.2.1', isPaid: false },
  { client: '192.0.2.77', isPaid: false },
  { client: '198.51.100.1', isPaid: false },
  { client: '2001:db8:1:2::/64', isPaid: false },
  { client: '192.0.2.1', isPaid: true },
]

const step = fc.record({
  verb: fc.constantFrom('put', 'put', 'insert', 'update', 'delete', 'rollback'),
  id: fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'),
  owner: fc.constantFrom('o1', 'o2', 'o3'),
  size: fc.constantFrom(10, 900, 1100, 2500, 6000),
  funded: fc.constantFrom(false, false, false, true),
  origin: fc.constantFrom(...origins),
})

onBothEngines(engine => {
  describe('a collection with a budget', () => {
    test('takes and refuses what the model does, and its counters are what the rows are', async () => {
      const store = await open(engine)
      await fc.assert(
        fc.asyncProperty(fc.array(step, { maxLength: 40 }), async steps => {
          const model = new Map<string, ModelRow>()
          for (const { id } of (await notesIn(store).find({ index: 'owner', limit: 1000 })).rows)
            await notesIn(store).delete(id)
          for (const { verb, id, owner, size, funded, origin } of steps) {
            const full = origin && { ...origin, room: 1 }
            const writer = full ? withOrigin(store, full) : store
            const before = model.get(id)
            const note: Note = { id, owner, text: 'x'.repeat(size), ...(funded && { funded }) }
            if (verb === 'delete') {
              expect(await notesIn(writer).delete(id)).toBe(model.delete(id))
            } else if (verb === 'rollback') {
              const rolledBack = writer.transaction(async tx => {
                await notesIn(tx).put(note)
                throw new Error('rolled back')
              })
              await expect(rolledBack).rejects.toThrow()
            } else if (verb === 'insert' && before) {
              expect(await notesIn(writer).insert(note)).toBe(false)
            } else if (verb === 'update' && !before) {
              expect(await notesIn(writer).update(id, () => note)).toBeUndefined()
            } else {
              const write = {
                put: () => notesIn(writer).put(note),
                insert: () => notesIn(writer).insert(note),
                update: () => notesIn(writer).update(id, () => note),
              }[verb]
              expect(await reasonOf(write())).toBe(putInModel(model, note, full))
            }
            expect(await notesIn(store).get(id)).toEqual(model.get(id)?.note)
          }
          const rows = [...model.values()]
          const counters = await countersOf(store)
          for (const kind of [' owner ', ' part '])
            expect(
              counters.filter(({ id }) => id.includes(kind)).reduce((all, { bytes }) => all + bytes, 0),
            ).toBe(sum(rows, () => true).bytes)
          expect(
            counters
              .filter(({ id }) => id.includes(' network '))
              .reduce((all, counter) => all + counter.rows, 0),
          ).toBe(sum(rows, () => true).rows)
          const page = await notesIn(store).find({ index: 'owner', limit: 1000 })
          expect(new Map(page.rows.map(note => [note.id, note]))).toEqual(
            new Map([...model].map(([id, { note }]) => [id, note])),
          )
        }),
        { numRuns: runs(60, 8) },
      )
    })

    test('many at once never pass a bound, and the refusal says what to do', async () => {
      const store = await open(engine)
      const write = (n: number) =>
        notesIn(from(store, '192.0.2.1')).insert({ id: `n${n}`, owner: `o${n}`, text: '' })
      const outcomes = await Promise.all(Array.from({ length: 20 }, (_, n) => reasonOf(write(n))))
      expect(outcomes.filter(outcome => outcome === 'written')).toHaveLength(5)
      await expect(write(99)).rejects.toMatchObject({
        code: 'too_many_requests',
        message: 'At most 5 and 12 KiB of notes are kept for one network.',
        extra: { hint: 'Delete one.' },
      })
    })

    test('a full total refuses this collection for all, and no other one', async () => {
      const store = await open(engine)
      const otherIn = collection<Note>({ name: 'test.other', budget })
      const insert = (notes: typeof notesIn, n: number) =>
        notes(from(store, `10.0.${n}.1`)).insert({ id: `n${n}`, owner: `o${n}`, text: 'x'.repeat(5000) })
      const outcomes: string[] = []
      for (let n = 0; n < 40; n++) outcomes.push(await reasonOf(insert(notesIn, n)))
      expect(outcomes).toContain('budget_of_all')
      expect(outcomes.filter(outcome => outcome === 'written').length * 5 * KiB).toBeLessThanOrEqual(96 * KiB)
      expect(await reasonOf(insert(otherIn, 0))).toBe('written')
    })
  })
})

const notes = topic({
  name: 'test.topic',
  budget: {
    what: 'notes of a day',
    each: { rows: 3, bytes: KiB },
    network: { rows: 5, bytes: 2 * KiB },
    allBytes: 8 * 4 * KiB,
  },
})

onBothEngines(engine => {
  test('an entry of a topic counts for the account and the network that write it, unless money stands behind', async () => {
    const store = await open(engine)
    let key = 'a'
    const write = (writer: Store, text: object = {}, isFunded = false) =>
      reasonOf(writer.transaction(tx => notes.append(tx, key, { ...text }, { isFunded })))
    const ada = from(store, '192.0.2.1', { account: 'ada' })
    for (let n = 0; n < 3; n++) expect(await write(ada)).toBe('written')
    expect(await write(ada)).toBe('budget_of_account')
    expect(await write(ada, {}, true)).toBe('written')
    expect(await write(from(store, '192.0.2.1', { account: 'ada', isPaid: true }))).toBe('written')
    expect(await write(store)).toBe('written')
    for (let n = 0; n < 2; n++) expect(await write(from(store, `192.0.2.${n}`))).toBe('written')
    expect(await write(from(store, '192.0.2.9', { account: 'eve' }))).toBe('budget_of_network')
    // What is refused leaves neither an entry nor a count.
    expect(await store.read(notes.toName('a'), 0, 100)).toHaveLength(8)
    const large = { text: 'x'.repeat(900) }
    expect(await write(from(store, '198.51.100.1', { account: 'bob' }), large)).toBe('written')
    expect(await write(from(store, '198.51.100.1', { account: 'bob' }), large)).toBe('budget_of_account')
    key = 'b'
    const reasons: string[] = []
    for (let n = 0; n < 40; n++) reasons.push(await write(from(store, `10.0.${n}.1`), large))
    expect(new Set(reasons)).toEqual(new Set(['written', 'budget_of_all']))
  })

  test('counters of a topic go as those of later days come', async () => {
    const store = await open(engine)
    const days = collectionOfDays(store)
    for (let n = 0; n < 6; n++)
      await days.put({ id: `2020-01-0${n + 1} x`, day: `2020-01-0${n + 1}`, rows: 1, bytes: 1 })
    await from(store, '192.0.2.1').transaction(tx => notes.append(tx, 'a', {}))
    expect((await days.find({ index: 'day', limit: 100 })).rows.every(({ day }) => day > '2020-01-31')).toBe(
      true,
    )
  })
})
