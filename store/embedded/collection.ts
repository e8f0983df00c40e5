import type { Collection, Row } from '../index.ts'
import type { Document } from './ordering.ts'
import type { Table } from './state.ts'
import { verbs } from './verbs.ts'
import type { View } from './view.ts'

/** Runs one verb: `read` need not wait for the disk, `write` does. Both wait while the indexes of the table are built. */
export type VerbRunner = {
  read<R>(table: Table, verb: (view: View) => R): Promise<R>
  write<R>(table: Table | undefined, verb: (view: View) => R): Promise<R>
}

/** A collection whose verbs run through `run`. */
export const openCollection = <T extends Row>(table: Table, run: VerbRunner): Collection<T> => ({
  get: id => run.read(table, view => verbs.get(view, table, id) as T | undefined),
  insert: row => run.write(table, view => verbs.insert(view, table, row)),
  put: row => run.write(table, view => verbs.put(view, table, row)),
  update: (id, change) =>
    run.write(
      table,
      view => verbs.update(view, table, id, change as unknown as (row: Document) => Row) as T | undefined,
    ),
  add: (id, by, counting = {}) =>
    run.write(table, view => verbs.add(view, table, id, by, counting) as T | undefined),
  delete: id => run.write(table, view => verbs.delete(view, table, id)),
  count: query => run.read(table, view => verbs.count(view, table, query)),
  find: query => run.read(table, view => verbs.find(view, table, query) as never),
})
