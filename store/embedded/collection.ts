import type { Collection, Row } from '../index.ts'
import type { Document } from './ordering.ts'
import type { Table } from './state.ts'
import { verbs } from './verbs.ts'
import type { View } from './view.ts'

/** Runs one verb: `read` need not wait for the disk, `write` does. */
export type Run = {
  read<R>(verb: (view: View) => R): Promise<R>
  write<R>(verb: (view: View) => R): Promise<R>
}

/** A collection whose verbs run through `run`. */
export const collectionOf = <T extends Row>(table: Table, run: Run): Collection<T> => ({
  get: id => run.read(view => verbs.get(view, table, id) as T | undefined),
  insert: row => run.write(view => verbs.insert(view, table, row)),
  put: row => run.write(view => verbs.put(view, table, row)),
  update: (id, change) =>
    run.write(
      view => verbs.update(view, table, id, change as unknown as (row: Document) => Row) as T | undefined,
    ),
  delete: id => run.write(view => verbs.delete(view, table, id)),
  count: query => run.read(view => verbs.count(view, table, query)),
  find: query => run.read(view => verbs.find(view, table, query) as never),
})
