/** Content of a document: plain JSON, the same after a round trip through either engine. */
export type Json = null | boolean | number | string | Json[] | { [key: string]: Json }

/** A value an index can hold. Order: null (and missing), false, true, numbers, strings by UTF-8 bytes. */
export type Scalar = null | boolean | number | string

/**
 * A declared index. `fields` are top-level properties of the document. `unique` refuses a second document with the
 * same values (documents where every field is null are exempt). `words` indexes the words of its text fields.
 */
export type Index = { name: string; fields: readonly string[]; unique?: boolean; words?: boolean }

/**
 * When documents that only grow in number leave the memory of the embedded store: once they were not written for so many hours, the
 * next checkpoint leaves them on disk, and memory holds where they lie and their indexes. 0 is at once. PostgreSQL has all of them on disk.
 */
export type ArchivePolicy = { afterHours: number }

export type Row = { id: string }

export type Range = { gt?: Scalar; gte?: Scalar; lt?: Scalar; lte?: Scalar }

/**
 * A read of one declared index. `where` fixes its leading fields and may give a range on the next one, or, on a
 * `words` index, `{ field: 'words all of which must occur' }`. Rows come ordered by the index's fields, then by id;
 * a `words` index orders by id. `limit` is 1 to 1000, 100 unless told.
 */
export type Query = {
  index: string
  where?: Record<string, Scalar | Range>
  order?: 'asc' | 'desc'
  /** The `next` of the page before. Opaque; any other text throws `BadCursor`. */
  after?: string
  limit?: number
}

/**
 * `next` is undefined on the last page. A page of a `words` index may hold fewer rows than its limit, even none, and go on
 * all the same: words that are common and seldom meet are looked for over several pages.
 */
export type RowPage<T> = { rows: T[]; next: string | undefined }

/**
 * Bounds of a count: `max` refuses what would pass it, `set` are other fields of the row, and the row goes once `dropAtZero` is 0.
 * `apart` is for counters that many transactions add to: PostgreSQL counts them outside of the transaction, so that these do not conflict,
 * and takes it back when that does not commit. Only a process that dies in between leaves it counted.
 */
export type Counting = {
  max?: Readonly<Record<string, number>>
  set?: Readonly<Record<string, Scalar>>
  dropAtZero?: string
  apart?: boolean
}

export type Collection<T extends Row> = {
  get(id: string): Promise<T | undefined>
  /** False when the id or a unique index value is taken; nothing is written then. The way to claim something once. */
  insert(row: T): Promise<boolean>
  /** Writes whether or not the id is there. Throws `Taken` when a unique index value belongs to another id. */
  put(row: T): Promise<void>
  /** Applies `change` to the stored row in one atomic step; undefined when there is none. */
  update(id: string, change: (row: T) => T): Promise<T | undefined>
  /**
   * Adds to numbers of a row, made when it is new, in one atomic step that reads nothing else: none falls below 0. Returns the row as it
   * is then; undefined, with nothing counted, where one would pass its `max`. For collections without unique and words indexes.
   */
  add(id: string, by: Readonly<Record<string, number>>, counting?: Counting): Promise<T | undefined>
  /** False when there was none. */
  delete(id: string): Promise<boolean>
  /** Counts the rows a query would find, or all. */
  count(query?: Pick<Query, 'index' | 'where'>): Promise<number>
  find(query: Query): Promise<RowPage<T>>
}

/** The verbs that work inside a transaction and outside of one. */
export type Tx = {
  /**
   * A named set of documents. The first call for a name declares its indexes and builds them over what is stored;
   * later calls may leave them out, and so it is with `archive`.
   */
  collection<T extends Row>(name: string, indexes?: readonly Index[], archive?: ArchivePolicy): Collection<T>
  /** True for exactly one caller, across all replicas, until `until`; then it may be claimed again. */
  claim(key: string, until: Date): Promise<boolean>
  /** Adds to an ordered log. Per topic, numbers rise in commit order: who has read past n never later meets m < n. */
  append(topic: string, payload: Json): Promise<void>
}

/** One entry of a topic: `at` is 1, 2, 3 … without meaning beyond order. */
export type Entry = { topic: string; at: number; time: string; payload: Json }

/**
 * What a store takes in the memory of this process, as an estimate, and what it may take before it refuses writes. `documents` are in
 * memory; `archived` ones are not: `bytes` counts their entries and indexes, and `archived.bytes` what they take on disk.
 */
export type StoreUse = {
  documents: number
  bytes: number
  maxBytes: number
  archived: { documents: number; bytes: number }
}

export type Health = { ok: boolean; engine: 'embedded' | 'postgres'; degraded?: true; detail?: string }

/** A store that goes away, or is back. */
export type Availability = { available: boolean; detail: string }

export type Store = Tx & {
  /**
   * Runs `work` in one serialisable transaction: all or nothing, run again on conflict, so `work` must not touch the
   * world outside `tx`. Resolves when everything it read and wrote is durable. Throws what `work` throws.
   */
  transaction<R>(work: (tx: Tx) => Promise<R>): Promise<R>
  read(topic: string, after: number, limit: number): Promise<Entry[]>
  /** Calls `onEntry` for each entry committed from now on, in order, on every replica. Returns the way to stop. */
  subscribe(topic: string, onEntry: (entry: Entry) => void): () => void
  /** True when writes are being accepted. `detail` says why not, or what will be wrong soon: then it is `degraded`. Throws never. */
  health(): Promise<Health>
  /** Memory that it takes; undefined where the documents lie elsewhere. */
  use(): StoreUse | undefined
  /**
   * Refuses writes for so many seconds, so that another process can read the files. Resolves to the number of the last commit, when all
   * are in them: while it stays the same, nothing was written. Undefined where the files are not ours.
   */
  freeze?(seconds: number): Promise<number>
  /** Waits for what is under way, then lets go of files and connections. */
  close(): Promise<void>
}

/** A unique index value is held by another document. */
export class Taken extends Error {
  override readonly name = 'Taken'
  readonly collection: string
  readonly index: string

  constructor(collection: string, index: string) {
    super(`${collection}: a document with these values is in index "${index}"`)
    this.collection = collection
    this.index = index
  }
}

/** The text is no `next` of a page of this index. */
export class BadCursor extends Error {
  override readonly name = 'BadCursor'
}

/** Notice to callers of a failure that passes by itself: a sentence, and seconds after which to try again. */
export type Outage = { detail: string; retryAfter: number }

type FailureOptions = ErrorOptions & {
  /** It does not pass by itself: a fault in the data or in the program. */
  lasting?: boolean
  away?: Outage
}

const goneFor: Outage = {
  detail: 'The store does not answer at the moment. Nothing that it acknowledged is lost.',
  retryAfter: 5,
}

/** The store cannot go on: its disk, its files or its database failed, or it is full. Nothing acknowledged is lost. */
export class StoreFailure extends Error {
  override readonly name = 'StoreFailure'
  /** Unless the failure is a lasting one. */
  readonly away: Outage | undefined

  constructor(message: string, { lasting = false, away = goneFor, ...options }: FailureOptions = {}) {
    super(message, options)
    this.away = lasting ? undefined : away
  }
}

/** The refusal of a write while the store is moved to another place. */
export const movingFailure = (cause?: unknown): StoreFailure =>
  new StoreFailure('The store is being moved: it takes no writes.', {
    cause,
    away: {
      detail:
        'The store is being moved to another place (migrating): it can be read, and takes nothing new until that is done.',
      retryAfter: 30,
    },
  })
