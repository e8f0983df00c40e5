import { encodeCursor } from '../cursor.ts'
import { addNumbers } from '../document.ts'
import { type Counting, type Index, type Query, type Row, type RowPage, Taken } from '../index.ts'
import { planQuery } from '../query.ts'
import { checkIndexed, rowText } from '../row.ts'
import { uniqueReach } from './fields-ordering.ts'
import type { Document, Ordering, Reach } from './ordering.ts'
import type { Table } from './state.ts'
import type { OwnRow, View } from './view.ts'

const parseDocument = (text: string): Document => JSON.parse(text)

const isSame = (value: unknown): boolean =>
  typeof value === 'string' || typeof value === 'boolean' || value === null || Number.isFinite(value)

/** Indexed part of a document after its round trip through JSON, which values other than scalars may change. */
const indexedPart = (indexes: readonly Index[], row: Row, text: string): Document => {
  if ('toJSON' in row) return parseDocument(text)
  const part: Document = {}
  const fields: Document = row
  for (const index of indexes)
    for (const field of index.fields) {
      if (!Object.hasOwn(row, field)) continue
      if (!isSame(fields[field])) return parseDocument(text)
      part[field] = fields[field]
    }
  return part
}

const accept = (table: Table, row: Row): { id: string; ownRow: NonNullable<OwnRow> } => {
  const text = rowText(row)
  const { id } = row
  if (table.orderings.size === 0) return { id, ownRow: { text, document: {} } }
  const document = indexedPart(table.indexes, row, text)
  checkIndexed(table.indexes, { ...document, id })
  const everywhere: Reach = { from: '', to: undefined }
  for (const ordering of table.orderings.values()) ordering.entryIn(everywhere, id, document)
  return { id, ownRow: { text, document } }
}

const findConflict = (view: View, table: Table, id: string, document: Document): string | undefined => {
  for (const ordering of table.orderings.values()) {
    if (!ordering.index.unique) continue
    const reach = uniqueReach(table.name, ordering.index, document)
    const holder = reach && view.holder(table, ordering, reach)
    if (holder !== undefined && holder !== id) return ordering.index.name
  }
  return undefined
}

const planFor = (table: Table, query: Query): { ordering: Ordering; plan: ReturnType<typeof planQuery> } => {
  const plan = planQuery(table.indexes, query)
  return { plan, ordering: table.orderings.get(plan.index.name) as Ordering }
}

/** The verbs of a collection on a view; the interface in store/index.ts says what each does. */
export const verbs = {
  get: (view: View, table: Table, id: string): Document | undefined => {
    const text = view.text(table, id)
    return text === undefined ? undefined : parseDocument(text)
  },
  insert: (view: View, table: Table, row: Row): boolean => {
    const { id, ownRow } = accept(table, row)
    if (view.text(table, id) !== undefined || findConflict(view, table, id, ownRow.document) !== undefined)
      return false
    view.write(table, id, ownRow)
    return true
  },
  put: (view: View, table: Table, row: Row): void => {
    const { id, ownRow } = accept(table, row)
    const conflict = findConflict(view, table, id, ownRow.document)
    if (conflict !== undefined) throw new Taken(table.name, conflict)
    view.write(table, id, ownRow)
  },
  update: (view: View, table: Table, id: string, change: (row: Document) => Row): Document | undefined => {
    const before = verbs.get(view, table, id)
    if (!before) return undefined
    const row = change(before)
    rowText(row)
    if (row.id !== id) throw new Error(`document "${id}": an update must keep its id`)
    verbs.put(view, table, row)
    return verbs.get(view, table, id)
  },
  add: (
    view: View,
    table: Table,
    id: string,
    by: Readonly<Record<string, number>>,
    counting: Counting,
  ): Document | undefined => {
    const row: Document | undefined = addNumbers(
      verbs.get(view, table, id) as Row | undefined,
      id,
      by,
      counting,
    )
    if (!row) return undefined
    if (counting.dropAtZero !== undefined && row[counting.dropAtZero] === 0) verbs.delete(view, table, id)
    else verbs.put(view, table, row as Row)
    return row
  },
  delete: (view: View, table: Table, id: string): boolean => {
    if (view.text(table, id) === undefined) return false
    view.write(table, id, undefined)
    return true
  },
  count: (view: View, table: Table, query?: Pick<Query, 'index' | 'where'>): number => {
    if (!query) return view.countAll(table)
    const { index, where } = query
    const { plan, ordering } = planFor(table, { index, ...(where && { where }) })
    return view.count(table, ordering, ordering.reach(plan))
  },
  find: (view: View, table: Table, query: Query): RowPage<Document> => {
    const { plan, ordering } = planFor(table, query)
    const { ids, until } = view.ids(table, ordering, ordering.reach(plan), plan.order, plan.limit + 1)
    const rows = ids.slice(0, plan.limit).map(id => parseDocument(view.text(table, id) as string))
    const last = rows.at(-1)
    if (last && ids.length > rows.length)
      return { rows, next: encodeCursor(ordering.cursorValues(last), String(last.id)) }
    // Only a words index gives up early, and its cursor is an id.
    return { rows, next: until === undefined ? undefined : encodeCursor([], until) }
  },
}
