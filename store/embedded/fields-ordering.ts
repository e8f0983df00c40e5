import { indexValues } from '../document.ts'
import { type Index, type Scalar, StoreFailure } from '../index.ts'
import { fromByteOrder } from '../order.ts'
import type { Plan } from '../query.ts'
import { behind, entryKey, idOfEntry, tags, valueKey, valuesEnd, valuesKey } from './key.ts'
import { type Building, behindCursor, type Document, lies, type Ordering, type Reach } from './ordering.ts'
import { type PackedKeys, packedKeys, sharedBytes, type TextBytes } from './packed-keys.ts'
import type { Slices } from './slices.ts'
import { type SortedSet, sortedBytesBuilder } from './sorted.ts'

/** Cost of writing one entry in order, in characters read. */
const perEntry = 48

const isExempt = (values: readonly Scalar[]): boolean => values.every(value => value === null)

/** Everything that carries exactly these values in the leading fields. */
const toReach = (values: readonly Scalar[]): Reach => {
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

const nullByte = tags.null.charCodeAt(0)

const areNull = ({ bytes, start }: TextBytes, end: number): boolean => {
  for (let at = start; at < end; at++) if (bytes[at] !== nullByte) return false
  return true
}

const checkUnique = async (
  collection: string,
  index: Index,
  keys: PackedKeys,
  sorted: Uint32Array,
  slices: Slices,
): Promise<void> => {
  let previous: TextBytes | undefined
  for (const place of sorted) {
    const entry = keys.at(place)
    const { bytes, start } = entry
    const end = valuesEnd(bytes, start, index.fields.length)
    if (previous && sharedBytes(previous, entry) >= end - start && !areNull(entry, end)) {
      const id = fromByteOrder(bytes.toString('latin1', end + 1, entry.end))
      throw new StoreFailure(
        `${collection}: index "${index.name}" is unique, but the stored row "${id}" repeats another`,
        { lasting: true },
      )
    }
    previous = entry
    const turn = slices.spend(perEntry + end - start)
    if (turn) await turn
  }
}

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
  const keys = packedKeys()
  let positions: readonly number[] | undefined
  return {
    gather: (id, row) => keys.add(toEntry(id, row)),
    gatherScanned: scanner => {
      positions ??= scanner.positionsOf(index.fields)
      scanner.addEntry(keys, positions)
    },
    build: async slices => {
      const sorted = await keys.sort(slices)
      if (index.unique) await checkUnique(collection, index, keys, sorted, slices)
      const builder = sortedBytesBuilder()
      for (const place of sorted) {
        builder.push(keys.at(place))
        const turn = slices.spend(perEntry)
        if (turn) await turn
      }
      const set = builder.done()
      // The functions of the index were made beside them, and would hold them for good.
      keys.clear()
      return over(collection, index, set, toEntry)
    },
  }
}
