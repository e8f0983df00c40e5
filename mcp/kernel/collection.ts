import type { ArchivePolicy, Collection, Index, Query, Row, Store, Tx } from '../ports/store/port.ts'
import {
  type Allowance,
  type CounterChange,
  clientChange,
  countChanges,
  type StorageAmount,
  takeChanges,
  toClientDigest,
  totalChange,
} from './allowance.ts'
import { ToolError } from './error.ts'
import { type Origin, originOf, toNetwork, withOrigin } from './origin.ts'

/**
 * What strangers may have kept in a collection without paying. A row that a call brings counts for its owner, for the network that it
 * came from and for all together, with its JSON in whole KiB. What a paid call brings counts as nothing, and so does what the
 * program writes by itself; both may change a row that counts, and are not refused.
 */
export type Budget<T> = {
  /** Plural name of the rows, as refusals and docs/operations.md call them. */
  what: string
  /** Account or wallet that a row is kept for. Without one, only its network counts. */
  owner?(row: T): string | null
  /** False from when a row counts as nothing any more: money stands behind it, or it is over. */
  counts?(row: T): boolean
  /** Bytes that a row takes in the store of files. */
  fileBytes?(row: T): number
  /** Bound of one owner. */
  each?: StorageAmount
  /** Bound of one network: an IPv4 /24, an IPv6 /48. */
  network: StorageAmount
  /** Bytes of all rows together. */
  allBytes: number
  /** How a row ends, as a sentence; a refusal repeats it. */
  ends: string
}

type Facts = {
  name: string
  indexes?: readonly Index[]
  archive?: ArchivePolicy
  /**
   * Step n makes a document of version n + 1 from one of version n; whoever starts takes them once. Steps are added, never changed. Their
   * rows are as they are stored: what a step does not know it hands on.
   */
  steps?: readonly ((row: Row & Record<string, unknown>) => Row)[]
}

/** Why a collection needs no budget: no stranger can grow it, or something else bounds it. A sentence. */
type Bounded = { bounded: string }

/** The collection counts its rows itself. */
type Counted = { allowances: readonly Allowance[]; ends: string }

export type Declaration<T extends Row = Row> = Facts & ({ budget: Budget<T> } | Bounded | Counted)

const declarations: Declaration[] = []

/** Every collection of the modules that are loaded. */
export const listCollections = (): readonly Declaration[] => declarations

/** The indexes of a collection, as its declaration has them; of one that nobody declares any more, one over all rows. */
export const indexesOf = (name: string, among: readonly Declaration[] = declarations): readonly Index[] => {
  const { indexes = [] } = among.find(each => each.name === name) ?? {}
  return indexes.length > 0 ? indexes : [{ name: 'moving', fields: ['id'] }]
}

/** The part of a store that budgets share; the rest is for what was paid for, and for what is bounded otherwise. */
const budgetShare = 0.8

const allBytesOf = (declaration: Declaration): number => {
  if ('budget' in declaration) return declaration.budget.fileBytes ? 0 : declaration.budget.allBytes
  return 'allowances' in declaration
    ? declaration.allowances.reduce((sum, { allBytes }) => sum + allBytes, 0)
    : 0
}

/** The part of each total that a store has room for, so that all totals together leave room in it. */
export const computeRoom = (store: Pick<Store, 'use'>): number => {
  const totals = declarations.reduce((sum, declaration) => sum + allBytesOf(declaration), 0)
  const { maxBytes = Number.POSITIVE_INFINITY } = store.use() ?? {}
  return totals === 0 ? 1 : Math.min(1, (budgetShare * maxBytes) / totals)
}

const rooms = new WeakMap<object, number>()

/** The room of a store, computed once for each. */
const roomIn = (store: Pick<Store, 'use'>): number => {
  const room = rooms.get(store) ?? computeRoom(store)
  rooms.set(store, room)
  return room
}

/** The store as a client writes to it: budgets bind what it brings, unless that was paid for. */
export const withClient = (store: Store, client: string, isPaid = false, account?: string): Store =>
  withOrigin(store, { client, isPaid, room: roomIn(store), ...(account !== undefined && { account }) })

const KiB = 1024

/** The count of a stored row, beside its own fields: for whom, and how many bytes. */
const countedField = '~'
type CountedAs = { owner?: string; network?: string; bytes: number }
type Stored<T> = T & { [countedField]?: CountedAs }

const toRow = <T extends Row>(stored: Stored<T>): T => {
  if (stored[countedField] === undefined) return stored
  const { [countedField]: _, ...row } = stored
  return row as unknown as T
}

const formatAmount = ({ rows, bytes }: StorageAmount): string =>
  bytes < KiB * KiB ? `${rows} and ${bytes / KiB} KiB` : `${rows} and ${Math.round(bytes / KiB / KiB)} MiB`

const refuse = <T>({ what, each, network, ends }: Budget<T>, { full, id }: CounterChange): ToolError => {
  if (full === 'all')
    return new ToolError('unavailable', `All ${what} together take as much room as they may.`, {
      hint: `${ends} Try again later.`,
      reason: 'budget_of_all',
      retryAfter: 600,
    })
  const isOwner = id.includes(' owner ')
  const bound = (isOwner ? each : network) ?? network
  const whose = isOwner ? 'account' : 'network'
  const detail = `At most ${formatAmount(bound)} of ${what} are kept for one ${whose}.`
  return new ToolError('too_many_requests', detail, {
    hint: ends,
    reason: `budget_of_${whose}`,
    retryAfter: 600,
  })
}

/** A collection whose rows are counted in the transaction that writes them. */
const openBudgeted = <T extends Row>(tx: Tx, { name, indexes, archive }: Facts, budget: Budget<T>) => {
  const rows = tx.collection<Stored<T>>(name, indexes, archive)
  const { each, network, allBytes } = budget

  const toChanges = (id: string, counted: CountedAs, by: StorageAmount, room: number): CounterChange[] => [
    ...(counted.owner === undefined || !each ? [] : [clientChange(`${name} owner`, counted.owner, by, each)]),
    ...(counted.network === undefined ? [] : [clientChange(`${name} network`, counted.network, by, network)]),
    totalChange(name, id, by, allBytes * room),
  ]

  /** Counts a row: for whom it was counted before, else for its owner and the network that brings it. */
  const countRow = (
    row: T,
    before: CountedAs | undefined,
    origin: Origin | undefined,
  ): CountedAs | undefined => {
    if (budget.counts?.(row) === false) return undefined
    const size = Buffer.byteLength(JSON.stringify(row)) + (budget.fileBytes?.(row) ?? 0)
    const bytes = Math.ceil(size / KiB) * KiB
    if (before) return { ...before, bytes }
    const owner = budget.owner?.(row) ?? undefined
    return {
      ...(owner !== undefined && { owner: toClientDigest(owner) }),
      ...(origin && { network: toClientDigest(toNetwork(origin.client)) }),
      bytes,
    }
  }

  /**
   * Counts the difference that a row makes. A new row must fit, and so must one that grows by more than a KiB: what is under way
   * can end although its budget is used up.
   */
  const count = async (id: string, before: CountedAs | undefined, after: CountedAs | undefined) => {
    const origin = originOf(tx)
    const room = origin?.room ?? 1
    const bytes = (after?.bytes ?? 0) - (before?.bytes ?? 0)
    const by = { rows: (after ? 1 : 0) - (before ? 1 : 0), bytes }
    const counted = after ?? before
    if (!counted || (by.rows === 0 && bytes === 0)) return
    const changes = toChanges(id, counted, by, room)
    if (!origin || origin.isPaid || (before && bytes <= KiB)) return countChanges(tx, changes)
    const refused = await takeChanges(tx, changes)
    if (refused) throw refuse(budget, refused)
  }

  const store = async (
    row: T,
    stored: Stored<T> | undefined,
    write: (next: Stored<T>) => Promise<boolean>,
  ) => {
    const before = stored?.[countedField]
    const origin = originOf(tx)
    // What nobody strange brought, what was paid for and what is older than its budget counts as nothing, now and later.
    const isUncounted = !before && (stored !== undefined || !origin || origin.isPaid)
    const after = isUncounted ? undefined : countRow(row, before, origin)
    await count(row.id, before, after)
    const next: Stored<T> = { ...toRow<T>(row) }
    if (after) next[countedField] = after
    if (await write(next)) return true
    await countChanges(tx, toGivenBack(row.id, after))
    return false
  }
  const toGivenBack = (id: string, counted: CountedAs | undefined): CounterChange[] =>
    counted ? toChanges(id, counted, { rows: -1, bytes: -counted.bytes }, 1) : []

  const put = async (row: T, stored: Stored<T> | undefined): Promise<void> => {
    await store(row, stored, async next => {
      await rows.put(next)
      return true
    })
  }

  const collection: Collection<T> = {
    get: async id => {
      const stored = await rows.get(id)
      return stored && toRow(stored)
    },
    insert: async row => {
      try {
        return await store(row, undefined, next => rows.insert(next))
      } catch (error) {
        // Looked for only then: on PostgreSQL, who reads an id that is not there is in the way of all who insert beside it.
        if (error instanceof ToolError && (await rows.get(row.id))) return false
        throw error
      }
    },
    put: async row => put(row, await rows.get(row.id)),
    update: async (id, change) => {
      const stored = await rows.get(id)
      if (!stored) return undefined
      const row = change(toRow(stored))
      if (row.id !== id) throw new Error(`document "${id}": an update must keep its id`)
      await put(row, stored)
      return collection.get(id)
    },
    add: () => Promise.reject(new Error(`${name}: rows that are counted hold no counters`)),
    delete: async id => {
      const stored = await rows.get(id)
      if (!stored) return false
      await rows.delete(id)
      await countChanges(tx, toGivenBack(id, stored[countedField]))
      return true
    },
    count: query => rows.count(query),
    find: async query => {
      const page = await rows.find(query)
      return { ...page, rows: page.rows.map(toRow<T>) }
    },
  }
  return collection
}

/** Deletes the rows that a query finds, page by page, until there are none or the signal aborts. */
export const deleteRows = async <T extends Row>(
  rows: Pick<Collection<T>, 'find' | 'delete'>,
  query: Pick<Query, 'index' | 'where'>,
  signal: { readonly aborted: boolean },
): Promise<void> => {
  for (let isMore = true; isMore && !signal.aborted; ) {
    const page = await rows.find({ ...query, limit: 200 })
    for (const { id } of page.rows) await rows.delete(id)
    isMore = page.next !== undefined
  }
}

const isStore = (writer: Pick<Tx, 'collection'>): writer is Store => 'transaction' in writer

/** The verbs outside of transactions: each write is one of its own, with what it counts. */
const openOutside = <T extends Row>(store: Store, facts: Facts, budget: Budget<T>): Collection<T> => {
  const reading = openBudgeted<T>(store, facts, budget)
  const within = <R>(work: (rows: Collection<T>) => Promise<R>): Promise<R> =>
    store.transaction(tx => work(openBudgeted<T>(tx, facts, budget)))
  return {
    ...reading,
    insert: row => within(rows => rows.insert(row)),
    put: row => within(rows => rows.put(row)),
    update: (id, change) => within(rows => rows.update(id, change)),
    delete: id => within(rows => rows.delete(id)),
  }
}

/**
 * Declares a collection with its indexes and with what bounds it. Returns the way to open it in a store or a transaction:
 * `const notesIn = collection<Note>({ name: 'x.notes', indexes, budget })`, then `notesIn(tx).insert(note)`.
 */
export const collection = <T extends Row>(declaration: Declaration<T>) => {
  declarations.push(declaration as unknown as Declaration)
  const { name, indexes, archive } = declaration
  return (writer: Pick<Tx, 'collection'>): Collection<T> => {
    if (!('budget' in declaration)) return writer.collection<T>(name, indexes, archive)
    return isStore(writer)
      ? openOutside(writer, declaration, declaration.budget)
      : openBudgeted(writer as Tx, declaration, declaration.budget)
  }
}
