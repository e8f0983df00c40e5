import { indexValues } from '../document.ts'
import { type Index, type Scalar, StoreFailure } from '../index.ts'
import type { Plan } from '../query.ts'
import { behind, entryKey, idOfEntry, valueKey, valuesKey } from './key.ts'
import { type Building, behindCursor, type Document, lies, type Ordering, type Reach } from './ordering.ts'
import type { Slices } from './slices.ts'
import { type SortedSet, sortedBuilder } from './sorted.ts'
import { sortInSlices } from './sorting.ts'

/** What it costs to write one entry in order, in characters read. */
const perEntry = 48

const isExempt = (values: readonly Scalar[]): boolean => values.every(value => value === null)

/** Everything that carries exactly these values in the leading fields. */
export const toReach = (values: readonly Scalar[]): Reach => {
  const from = valuesKey(values)
  return { from, to: from + behind }
}

/** The reach that holds what a unique index allows once; undefined when the values are exempt. */
export const uniqueReach = (collection: string, index: Index, row: Document): Reach | undefined => {
  const values = indexValues(collection, index, row)
  return isExempt(values) ? undefined : toReach(values)
}

const planReach = ({ equal, range, order, after }: Plan): Reach => {
  const prefix = valuesKey(equal)
  const { gt, gte, lt, lte } = range ?? {}
  let { from, to } = toReach(equal)
  if (gte !== undefined) from = prefix + valueKey(gte)
  if (gt !== undefined) from = prefix + valueKey(gt) + behind
  if (lt !== undefined) to = prefix + valueKey(lt)
  if (lte !== undefined) to = prefix + valueKey(lte) + behind
  return behindCursor({ from, to }, order, after && entryKey(after.values, after.id))
}

const checkUnique = async (
  collection: string,
  index: Index,
  entries: readonly string[],
  slices: Slices,
): Promise<void> => {
  const exempt = valuesKey(index.fields.map(() => null))
  let previous: string | undefined
  for (const entry of entries) {
    const values = entry.slice(0, entry.length - idLength(entry, index))
    if (values === previous && values !== exempt) {
      const id = idOfEntry(entry, index.fields.length)
      throw new StoreFailure(
        `${collection}: index "${index.name}" is unique, but the stored row "${id}" repeats another`,
        { lasting: true },
      )
    }
    previous = values
    const turn = slices.spend(entry.length)
    if (turn) await turn
  }
}

const idLength = (entry: string, index: Index): number => idOfEntry(entry, index.fields.length).length + 1

const over = (
  collection: string,
  index: Index,
  sorted: SortedSet,
  toEntry: (id: string, row: Document) => string,
): Ordering => ({
  index,
  add: (id, row) => sorted.add(toEntry(id, row)),
  remove: (id, row) => sorted.remove(toEntry(id, row)),
  replace: (id, before, row) => {
    const old = toEntry(id, before)
    const entry = toEntry(id, row)
    if (old === entry) return
    sorted.remove(old)
    sorted.add(entry)
  },
  reach: planReach,
  entryIn: (reach, id, row) => {
    const entry = toEntry(id, row)
    return lies(reach, entry) ? entry : undefined
  },
  scan: ({ from, to }, order, limit) => ({ entries: sorted.scan(from, to, order, limit) }),
  count: ({ from, to }) => sorted.count(from, to),
  idOf: entry => idOfEntry(entry, index.fields.length),
  cursorValues: row => indexValues(collection, index, row),
})

/** An index over the values of fields. `build` rejects with a StoreFailure when what was gathered breaks `unique`. */
export const fieldsOrdering = (collection: string, index: Index): Building => {
  const toEntry = (id: string, row: Document): string => entryKey(indexValues(collection, index, row), id)
  const entries: string[] = []
  return {
    gather: (id, row) => void entries.push(toEntry(id, row)),
    build: async slices => {
      const sorted = await sortInSlices(entries, slices)
      if (index.unique) await checkUnique(collection, index, sorted, slices)
      const builder = sortedBuilder()
      for (const entry of sorted) {
        builder.push(entry)
        const turn = slices.spend(perEntry)
        if (turn) await turn
      }
      return over(collection, index, builder.done(), toEntry)
    },
  }
}
