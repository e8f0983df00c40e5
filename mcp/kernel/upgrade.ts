import type { Row, Store } from '../ports/store/port.ts'
import { collection, type Declaration, indexesOf, listCollections } from './collection.ts'
import { ToolError } from './error.ts'

/** The version of all documents of a collection; `done` is the last id that is of the next one already. */
type Version = { id: string; version: number; done?: string }

const versionsIn = collection<Version>({
  name: 'kernel.versions',
  indexes: [{ name: 'all', fields: ['id'] }],
  bounded: 'One for each collection whose documents have had another form.',
})

/** Documents that are of an earlier version. */
export type Outdated = { collection: string; from: number; to: number; rows: number }

/** Documents of one transaction: few enough that nobody waits for it. */
const batch = 200

const latest = ({ steps = [] }: Declaration): number => steps.length + 1

const countRows = (store: Store, { name, indexes, archive }: Declaration): Promise<number> =>
  store.collection(name, indexes, archive).count()

/** The collections whose documents are of an earlier version; a ToolError where a later program wrote some. */
export const listOutdated = async (
  store: Store,
  declarations: readonly Declaration[] = listCollections(),
): Promise<Outdated[]> => {
  const outdated: Outdated[] = []
  const { rows } = await versionsIn(store).find({ index: 'all', limit: 1000 })
  const versions = new Map(rows.map(({ id, version }) => [id, version]))
  for (const declaration of declarations) {
    const { name } = declaration
    const [from, to] = [versions.get(name) ?? 1, latest(declaration)]
    if (from > to)
      throw new ToolError(
        'conflict',
        `A later version of Octagent wrote this store: documents of ${name} are of version ${from}, and this one knows ${to}.`,
        { hint: 'Start that version, or restore a backup that was made before it.' },
      )
    if (from < to) outdated.push({ collection: name, from, to, rows: await countRows(store, declaration) })
  }
  return outdated
}

/**
 * All ids, since what a step changes may stand elsewhere in every index; at one moment, so that none is missed which another process
 * changes meanwhile.
 */
const listIds = (store: Store, declaration: Declaration): Promise<string[]> =>
  store.transaction(async tx => {
    const { name, archive } = declaration
    const indexes = indexesOf(name, [declaration])
    const index = (indexes.find(({ words }) => !words) ?? indexes[0])?.name ?? ''
    const ids: string[] = []
    for (let after: string | undefined = ''; after !== undefined; ) {
      const { rows, next }: { rows: Row[]; next: string | undefined } = await tx
        .collection<Row>(name, indexes, archive)
        .find({ index, limit: 1000, ...(after && { after }) })
      for (const { id } of rows) ids.push(id)
      after = next
    }
    return ids.sort()
  })

/** One step of a collection, document by document: each once, whoever else does it at the same time and however often it was ended. */
const takeStep = async (store: Store, declaration: Declaration, from: number): Promise<void> => {
  const { name, steps = [] } = declaration
  const step = steps[from - 1] ?? (row => row)
  const ids = await listIds(store, declaration)
  for (let start = 0; start <= ids.length; start += batch) {
    const part = ids.slice(start, start + batch)
    const isLast = start + batch > ids.length
    await store.transaction(async tx => {
      const { version, done = '' } = (await versionsIn(tx).get(name)) ?? { version: 1 }
      if (version !== from) return
      const rows = tx.collection<Row>(name)
      for (const id of part) {
        const row = id > done ? await rows.get(id) : undefined
        if (row) await rows.put({ ...step(row), id })
      }
      const last = part.at(-1) ?? done
      await versionsIn(tx).put(
        isLast ? { id: name, version: from + 1 } : { id: name, version, done: last > done ? last : done },
      )
    })
  }
}

/**
 * Brings the documents of all collections to the version that this program knows. Any number of processes may do so at once, and one that
 * is ended goes on where it was. `onMoved` is told of each collection.
 */
export const upgradeDocuments = async (
  store: Store,
  {
    declarations = listCollections(),
    onMoved,
  }: { declarations?: readonly Declaration[]; onMoved?: (what: string, rows: number) => void } = {},
): Promise<void> => {
  for (const { collection: name, from, to, rows } of await listOutdated(store, declarations)) {
    const declaration = declarations.find(each => each.name === name)
    if (!declaration) continue
    for (let version = from; version < to; version++) await takeStep(store, declaration, version)
    if (rows > 0) onMoved?.(`documents of ${name}`, rows)
  }
}
