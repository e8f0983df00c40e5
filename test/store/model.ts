import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type Collection, type Query, type Range, type Scalar, Taken, type Tx } from '../../store/index.ts'
import { byAB, inWords, openStore, type Thing, uniqueAB } from './opened.ts'
import type { Engine } from './suite.ts'

type Value = Scalar | undefined

/** Written from the documentation alone and by other means than the engines: bytes by Buffer, no index, no words code. */
const rank = (value: Scalar): number => [null, false, true].indexOf(value as null) >>> 0
const compare = (x: Value = null, y: Value = null): number => {
  if (typeof x === 'number' && typeof y === 'number') return Math.sign(x - y)
  if (typeof x === 'string' && typeof y === 'string') return Buffer.compare(Buffer.from(x), Buffer.from(y))
  if (typeof x === 'string' || typeof y === 'string') return typeof x === 'string' ? 1 : -1
  return Math.sign(rank(x) - rank(y))
}
const words = (thing: Thing): Set<string> =>
  new Set(`${thing.title ?? ''} ${thing.text ?? ''}`.toLowerCase().split(' ').filter(Boolean))

const inRange = (value: Value, range: Range): boolean =>
  (range.gt === undefined || compare(value, range.gt) > 0) &&
  (range.gte === undefined || compare(value, range.gte) >= 0) &&
  (range.lt === undefined || compare(value, range.lt) < 0) &&
  (range.lte === undefined || compare(value, range.lte) <= 0)

const matches = (thing: Thing, { index, where = {} }: Query): boolean =>
  Object.entries(where).every(([field, value]) => {
    if (index === 'in_words')
      return String(value)
        .split(' ')
        .every(word => words(thing).has(word))
    const own = thing[field as 'a' | 'b']
    return typeof value === 'object' && value !== null ? inRange(own, value) : compare(own, value) === 0
  })

const expected = (model: Map<string, Thing>, query: Query): Thing[] => {
  const rows = [...model.values()].filter(thing => matches(thing, query))
  const byIndex = (x: Thing, y: Thing) =>
    query.index === 'in_words' ? 0 : compare(x.a, y.a) || compare(x.b, y.b)
  rows.sort((x, y) => byIndex(x, y) || compare(x.id, y.id))
  return query.order === 'desc' ? rows.reverse() : rows
}

const holds = (model: Map<string, Thing>, { id, a = null, b = null }: Thing): boolean =>
  (a !== null || b !== null) &&
  [...model.values()].some(other => other.id !== id && compare(other.a, a) === 0 && compare(other.b, b) === 0)

const scalar = fc.constantFrom<Scalar>(
  null,
  false,
  true,
  -3,
  -0.5,
  0,
  2,
  1e9,
  '',
  'B',
  'a',
  'ä',
  '\uffee',
  '😀',
)
const prose = fc
  .array(fc.constantFrom('red', 'green', 'blue', 'ROT'), { maxLength: 3 })
  .map(list => list.join(' '))
const id = fc.constantFrom('1', '2', '10', 'a', 'B', '😀', '\ufffd')
const thing = fc.record({ id, a: scalar, b: scalar, text: prose, title: prose }, { requiredKeys: ['id'] })
const range = fc.record({ gt: scalar, lte: scalar }, { requiredKeys: [] }) as fc.Arbitrary<Range>
const order = fc.constantFrom<'asc' | 'desc'>('asc', 'desc')
const fieldsQuery = fc.record({
  index: fc.constantFrom('by_a_b', 'unique_a_b'),
  where: fc.oneof(
    fc.constant({}),
    fc.record({ a: fc.oneof(scalar, range) }),
    fc.record({ a: scalar, b: fc.oneof(scalar, range) }),
  ),
  order,
})
const wordsQuery = fc.record({
  index: fc.constant('in_words'),
  where: fc.record({ text: fc.constantFrom('red', 'red blue', 'green', 'rot') }),
  order,
})
const step = fc.oneof(
  { weight: 4, arbitrary: fc.record({ verb: fc.constant('put' as const), thing }) },
  { weight: 4, arbitrary: fc.record({ verb: fc.constant('insert' as const), thing }) },
  { weight: 2, arbitrary: fc.record({ verb: fc.constant('update' as const), id, a: scalar }) },
  { weight: 2, arbitrary: fc.record({ verb: fc.constant('delete' as const), id }) },
  {
    weight: 4,
    arbitrary: fc.record({ verb: fc.constant('find' as const), query: fc.oneof(fieldsQuery, wordsQuery) }),
  },
)
type Step = typeof step extends fc.Arbitrary<infer S> ? S : never

const write = async (
  things: Collection<Thing>,
  model: Map<string, Thing>,
  thing: Thing,
  put: Promise<unknown>,
) => {
  if (holds(model, thing)) return expect(put).rejects.toThrow(Taken)
  await put
  model.set(thing.id, thing)
  expect(await things.get(thing.id)).toEqual(thing)
}

const find = async (things: Collection<Thing>, model: Map<string, Thing>, query: Query): Promise<void> => {
  const rows: Thing[] = []
  for (let after: string | undefined, page = 0; page < 20; page += 1) {
    const { rows: more, next } = await things.find({ ...query, limit: 3, ...(after && { after }) })
    rows.push(...more)
    after = next
    if (!after) break
  }
  expect(rows).toEqual(expected(model, query))
  const { index, where } = query
  expect(await things.count(where ? { index, where } : { index })).toBe(rows.length)
}

const apply = async (tx: Tx, model: Map<string, Thing>, now: Step): Promise<void> => {
  const things = tx.collection<Thing>('things', [byAB, uniqueAB, inWords])
  if (now.verb === 'find') return find(things, model, now.query)
  if (now.verb === 'put') return write(things, model, now.thing, things.put(now.thing))
  if (now.verb === 'delete') return expect(await things.delete(now.id)).toBe(model.delete(now.id))
  if (now.verb === 'insert') {
    const free = !model.has(now.thing.id) && !holds(model, now.thing)
    expect(await things.insert(now.thing)).toBe(free)
    if (free) model.set(now.thing.id, now.thing)
    return
  }
  const before = model.get(now.id)
  const updating = things.update(now.id, row => ({ ...row, a: now.a }))
  if (!before) return expect(await updating).toBeUndefined()
  return write(things, model, { ...before, a: now.a }, updating)
}

class RollBack extends Error {}

export const modelTests = (engine: Engine): void => {
  describe('chosen at random', () => {
    test('verbs inside and outside of transactions, with roll-backs and reopening, do what a plain map does', async () => {
      const { store: first, reopen } = await openStore(engine)
      let store = first
      const block = fc.record({
        steps: fc.array(step, { minLength: 5, maxLength: 25 }),
        how: fc.constantFrom('outside', 'commit', 'commit', 'rollback', 'reopen'),
      })
      const property = fc.asyncProperty(fc.array(block, { minLength: 3, maxLength: 5 }), async blocks => {
        await store.transaction(async tx => {
          const things = tx.collection<Thing>('things', [byAB, uniqueAB, inWords])
          for (const { id } of (await things.find({ index: 'by_a_b' })).rows) await things.delete(id)
        })
        let model = new Map<string, Thing>()
        for (const { steps, how } of blocks) {
          if (how === 'reopen') store = await reopen()
          if (how === 'outside' || how === 'reopen') {
            for (const now of steps) await apply(store, model, now)
            continue
          }
          const draft = await store
            .transaction(async tx => {
              const copy = new Map(model)
              for (const now of steps) await apply(tx, copy, now)
              if (how === 'rollback') throw new RollBack()
              return copy
            })
            .catch(error => {
              if (error instanceof RollBack) return model
              throw error
            })
          model = draft
          await apply(store, model, { verb: 'find', query: { index: 'by_a_b', where: {}, order: 'asc' } })
        }
      })
      await fc.assert(property, { numRuns: 25, endOnFailure: true })
    })
  })
}
