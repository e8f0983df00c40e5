import { collection } from '../../../kernel/collection.ts'
import { port } from '../../../kernel/port.ts'
import { hashLeaf, treeOver } from '../../../lib/merkle-tree.ts'
import type { Clock } from '../../../ports/clock/port.ts'
import type { Store, Tx } from '../../../ports/store/port.ts'
import type { Cell } from '../scoring.ts'
import { type Calibration, toCalibration } from './calibration.ts'
import { toCanonical } from './canonical.ts'
import { type Entry, type NewRecordEntry, type RecordEntryRow, readEntry } from './entry.ts'
import { openTally, type Tally } from './tally.ts'

type Head = { id: 'head'; size: number; at: string }
type NodeRow = { id: string; hash: string }

const entryIndexes = [{ name: 'seq', fields: ['seq'] }] as const
const pageSize = 1000

/** The entries of the record, in their order. */
export const entriesIn = collection<RecordEntryRow>({
  name: 'forecast.entries',
  indexes: entryIndexes,
  archive: { afterHours: 24 },
  bounded: 'Two or three for each prediction; predictions have a budget.',
})

const headsIn = collection<Head>({
  name: 'forecast.head',
  bounded: 'One.',
})
const nodesIn = collection<NodeRow>({
  name: 'forecast.nodes',
  bounded: 'Fewer than entries.',
})

/** Complete nodes never change, so that they may be read outside of any transaction. */
const treeIn = (tx: Pick<Tx, 'collection'>) =>
  treeOver(async ({ level, index }) => {
    const node = await nodesIn(tx).get(`${level}:${index}`)
    if (!node) throw new Error(`the record lacks node ${index} at level ${level}`)
    return Buffer.from(node.hash, 'hex')
  })

const toHex = (hashes: readonly Buffer[]): string[] => hashes.map(hash => hash.toString('hex'))

/**
 * Adds an entry to the end of the record, with the nodes of the tree that it completes. Entries that are added at once are put in an
 * order by the store; their times never fall, whatever the clocks of replicas say.
 */
export const appendEntry = async (
  tx: Tx,
  entry: NewRecordEntry,
  { question, now }: { question: string | null; now: Date },
): Promise<RecordEntryRow> => {
  const { size: seq, at: last } = (await headsIn(tx).get('head')) ?? { size: 0, at: '' }
  const iso = now.toISOString()
  const at = iso < last ? last : iso
  const canonical = toCanonical({ ...entry, seq, at })
  for (const { level, index, hash } of await treeIn(tx).completed(seq, hashLeaf(canonical)))
    await nodesIn(tx).insert({ id: `${level}:${index}`, hash: hash.toString('hex') })
  const row = { id: String(seq).padStart(12, '0'), seq, at, canonical, question }
  await entriesIn(tx).insert(row)
  await headsIn(tx).put({ id: 'head', size: seq + 1, at })
  return row
}

type Bounds = { until?: string; skips?: (entry: Entry) => boolean }

/** Feeds a tally with the entries from where it stands, up to a number of them and not beyond a time. */
const follow = async (
  store: Store,
  tally: Tally,
  size: number,
  { until, skips }: Bounds = {},
): Promise<void> => {
  while (tally.size() < size) {
    const { rows } = await entriesIn(store).find({
      index: 'seq',
      where: { seq: { gte: tally.size() } },
      limit: Math.min(pageSize, size - tally.size()),
    })
    if (rows.length === 0) return
    for (const { canonical, at, seq } of rows) {
      if (until !== undefined && at > until) return
      if (seq !== tally.size()) throw new Error(`the record lacks entry ${tally.size()}`)
      const entry = readEntry(canonical)
      if (skips?.(entry)) tally.skip()
      else tally.add(entry)
    }
  }
}

/** A record at one time: how many entries, their root, and what they add up to. */
export type RecordState = { at: Date; size: number; root: string; calibration: Calibration }

/**
 * The record of predictions as this replica reads it. What it adds up to is kept in memory and goes on from there, so that a new
 * entry costs little however long the record is.
 */
export const openRecord = ({ store, clock }: { store: Store; clock: Clock }) => {
  const tally = openTally()
  const tree = treeIn(store)
  const rootAt = async (size: number) => (await tree.root(size)).toString('hex')
  let scored: { changes: number; calibration: Calibration } | undefined
  let queue: Promise<unknown> = Promise.resolve()

  const loadState = async (): Promise<RecordState> => {
    const size = (await headsIn(store).get('head'))?.size ?? 0
    await follow(store, tally, size)
    const at = clock.now()
    tally.advance(at)
    // Scores change seldom; the numbers of open and overdue predictions do all the time.
    if (scored?.changes !== tally.changes() || tally.changes() === 0)
      scored = { changes: tally.changes(), calibration: toCalibration(tally) }
    const { calibration } = scored
    return {
      at,
      size: tally.size(),
      root: await rootAt(tally.size()),
      calibration: {
        ...calibration,
        predictions: tally.totals(),
        domains: withTotals(tally, calibration.domains),
      },
    }
  }

  /** One reader at a time moves the tally on. */
  const nextState = (): Promise<RecordState> => {
    const next = queue.then(loadState)
    queue = next.catch(() => undefined)
    return next
  }

  return {
    /** The record as it is now. */
    state: nextState,
    /** The record as it was at the end of a moment that is past. */
    async stateAt(at: Date): Promise<RecordState> {
      const past = openTally()
      await follow(store, past, (await headsIn(store).get('head'))?.size ?? 0, {
        until: at.toISOString(),
      })
      past.advance(at)
      return {
        at,
        size: past.size(),
        root: await rootAt(past.size()),
        calibration: toCalibration(past),
      }
    },
    /** The scored own forecasts of some methods, one for each datum. */
    async methodCells(...methods: readonly string[]): Promise<readonly Cell[]> {
      await nextState()
      return methods.flatMap(tally.methodCells)
    },
    /** Sums up the predictions of a domain, or those registered from a time on. */
    async narrow({
      domain,
      from,
    }: {
      domain?: string | undefined
      from?: string | undefined
    }): Promise<Calibration> {
      const part = openTally()
      await follow(store, part, (await headsIn(store).get('head'))?.size ?? 0, {
        skips: entry => {
          const facts = entry.kind === 'registered' ? { ...entry, created_at: entry.at } : entry.content
          return (
            (domain !== undefined && facts.domain !== domain) ||
            (from !== undefined && facts.created_at < from)
          )
        },
      })
      part.advance(clock.now())
      return toCalibration(part)
    },
    size: async (): Promise<number> => (await headsIn(store).get('head'))?.size ?? 0,
    root: rootAt,
    inclusion: async (index: number, size: number) => toHex(await tree.inclusion(index, size)),
    consistency: async (first: number, second: number) => toHex(await tree.consistency(first, second)),
  }
}

const withTotals = (tally: Tally, breakdown: Calibration['domains']): Calibration['domains'] => {
  const rows = new Map(breakdown.map(row => [row.name, row]))
  return tally.domains().map(name => ({
    ...(rows.get(name) ?? emptyDomain(name)),
    ...tally.domainTotals(name),
  }))
}

const emptyDomain = (name: string) => ({
  name,
  status: 'insufficient_data' as const,
  scored: 0,
  brier: null,
  brier_interval95: null,
  base_rate: null,
  ece: null,
})

/** The record as a port: what it adds up to is shared by all calls of a replica. */
export const record = port({ name: 'record', needs: ['store', 'clock'] }).open(openRecord)
