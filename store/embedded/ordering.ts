import type { Index, Scalar } from '../index.ts'
import type { Plan } from '../query.ts'
import type { LineScanner } from './line-scanner.ts'
import type { Slices } from './slices.ts'

export type Document = Record<string, unknown>

/** The part of an index that a query reads: entries from `from` up to, not including, `to`; with all of `words`. */
export type Reach = { from: string; to: string | undefined; words?: readonly string[] }

/**
 * What a scan came to. A scan that gave up early says how far it came: up to and with `until` everything was looked at.
 * `compared` is what it cost, where that is not the number of entries: the texts it compared.
 */
export type Scanned = { entries: string[]; until?: string; compared?: number }

/** An index in memory. An entry is a text that sorts as the index does and holds the id. */
export type Ordering = {
  index: Index
  add(id: string, row: Document): void
  remove(id: string, row: Document): void
  /** A row that stays under its id but changes. */
  replace(id: string, before: Document, row: Document): void
  reach(plan: Plan): Reach
  /** The entry of a row where it lies in the reach. */
  entryIn(reach: Reach, id: string, row: Document): string | undefined
  scan(reach: Reach, order: 'asc' | 'desc', limit: number): Scanned
  count(reach: Reach): number
  idOf(entry: string): string
  /** Values a cursor must hold besides the id. */
  cursorValues(row: Document): Scalar[]
}

/** The reach of a plan whose entries lie from `from` up to `to`, less what the page before has shown. */
export const behindCursor = (reach: Reach, order: 'asc' | 'desc', entry: string | undefined): Reach => {
  if (entry === undefined) return reach
  if (order === 'asc') return reach.from > entry ? reach : { ...reach, from: `${entry}\0` }
  return reach.to !== undefined && reach.to < entry ? reach : { ...reach, to: entry }
}

/** True when an entry lies in a reach. */
export const lies = (reach: Reach, entry: string): boolean =>
  entry >= reach.from && (reach.to === undefined || entry < reach.to)

/** An index that is being built over what is stored: every row is gathered, in order of ids, then it is sorted once. */
export type Building = {
  gather(id: string, row: Document): void
  /** Gathers the row that a scanner has just looked at; where that is possible. */
  gatherScanned?(scanner: LineScanner): void
  build(slices: Slices): Promise<Ordering>
}
