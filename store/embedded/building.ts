import { isSameDeclaration, isSameIndex } from '../declaration.ts'
import type { Index } from '../index.ts'
import { fromByteOrder, toByteOrder } from '../order.ts'
import { fieldsOrdering } from './fields-ordering.ts'
import { lineScanner } from './line-scanner.ts'
import { entryBytes, fieldsEntryBytes, type Memory } from './memory.ts'
import type { Building, Document, Ordering } from './ordering.ts'
import { idOfKey } from './rows.ts'
import type { Slices } from './slices.ts'
import { sortInSlices } from './sorting.ts'
import type { Table } from './state.ts'
import { wordsOrdering } from './words-ordering.ts'

const perRow = 64

const sortedIds = async ({ rows }: Table, slices: Slices): Promise<string[]> => {
  const ids: string[] = []
  for (const id of rows.ids()) {
    ids.push(toByteOrder(id))
    const turn = slices.spend(id.length)
    if (turn) await turn
  }
  return sortInSlices(ids, slices)
}

function* rowsOf({ rows }: Table, sorted: readonly string[]): Generator<[id: string, text: string]> {
  for (const entry of sorted) {
    const id = fromByteOrder(entry)
    const text = rows.get(id)
    if (text !== undefined) yield [id, text]
  }
}

type Gather = (
  table: Table,
  indexes: readonly Index[],
  missing: readonly Index[],
  buildings: readonly Building[],
  slices: Slices,
) => Promise<number>

/** Gathers all rows as documents, for words in the order of their ids. Resolves with the bytes that their entries take. */
const gatherParsed: Gather = async (table, indexes, missing, buildings, slices) => {
  // Taking a text apart into words costs some times as much as reading it.
  const perCharacter = missing.reduce((cost, { words }) => cost + (words ? 3 : 0), 1)
  let bytes = 0
  const isInOrder = missing.some(({ words }) => words)
  const rows = isInOrder ? rowsOf(table, await sortedIds(table, slices)) : table.rows
  for (const [id, text] of rows) {
    const row: Document = JSON.parse(text)
    for (const building of buildings) building.gather(id, row)
    bytes += entryBytes(indexes, id, row)
    const turn = slices.spend(perRow + text.length * perCharacter)
    if (turn) await turn
  }
  return bytes
}

/** Gathers all rows, as they come, from the bytes of their lines. Resolves with the bytes that their entries take. */
const gatherScanned: Gather = async ({ rows }, indexes, _, buildings, slices) => {
  const scanner = lineScanner([...new Set(indexes.flatMap(({ fields }) => fields))])
  const positions = indexes.map(({ fields }) => scanner.positionsOf(fields))
  let bytes = 0
  for (const line of rows.lines()) {
    const { start, end, idAt, textAt } = line
    if (scanner.scan(line)) {
      for (const building of buildings) building.gatherScanned?.(scanner)
      for (const some of positions) bytes += fieldsEntryBytes(scanner.keyBytes(some))
    } else {
      const id = idOfKey(line.bytes.toString('latin1', start + idAt, start + textAt - 1))
      const row: Document = JSON.parse(line.bytes.toString('utf8', start + textAt, end - 1))
      for (const building of buildings) building.gather(id, row)
      bytes += entryBytes(indexes, id, row)
    }
    const turn = slices.spend(perRow + end - start)
    if (turn) await turn
  }
  return bytes
}

/** Makes the indexes that a table does not have yet, from its rows; nobody writes to it meanwhile. */
const build = async (
  table: Table,
  indexes: readonly Index[],
  slices: Slices,
): Promise<{ orderings: Map<string, Ordering>; bytes: number }> => {
  const have = new Map(
    [...table.orderings].filter(([, { index }]) => indexes.some(one => isSameIndex(one, index))),
  )
  const missing = indexes.filter(({ name }) => !have.has(name))
  const buildings = missing.map(index =>
    index.words ? wordsOrdering(index) : fieldsOrdering(table.name, index),
  )
  // Only words are gathered in the order of ids; the others are sorted by their own keys.
  const gather = indexes.some(({ words }) => words) ? gatherParsed : gatherScanned
  const bytes = indexes.length > 0 ? await gather(table, indexes, missing, buildings, slices) : 0
  for (const building of buildings) {
    const ordering = await building.build(slices)
    have.set(ordering.index.name, ordering)
  }
  return { orderings: have, bytes }
}

/**
 * Puts indexes into force, building the missing ones over what is stored, in slices. `table.building` is set until then;
 * it stays, rejected, when a stored document does not fit. Commits that may yet be taken back are waited for: `settled`.
 */
export const establishIndexes = (
  table: Table,
  indexes: readonly Index[],
  memory: Memory,
  slices: Slices,
  settled: Promise<unknown> = Promise.resolve(),
): Promise<void> => {
  if (table.orderings.size === table.indexes.length && isSameDeclaration(table.indexes, indexes))
    return Promise.resolve()
  const building = settled
    .then(() => build(table, indexes, slices))
    .then(({ orderings, bytes }) => {
      memory.bytes += bytes - table.indexBytes
      table.indexBytes = bytes
      table.orderings = orderings
      table.indexes = indexes
      table.building = undefined
    })
  building.catch(() => undefined)
  table.building = building
  return building
}

/** Puts the indexes into force that the files name, so that their first use need not wait. One that does not fit is left to its declaration. */
export const rebuildIndexes = async (
  tables: Iterable<Table>,
  memory: Memory,
  slices: Slices,
): Promise<void> => {
  for (const table of tables) {
    const declaredIndexes = table.indexes
    if (declaredIndexes.length === 0) continue
    try {
      await establishIndexes(table, declaredIndexes, memory, slices)
    } catch {
      table.indexes = []
      table.building = undefined
    }
  }
}
