import { paymentIndexes } from '../mcp/payment/gate/record.ts'
import { listingIndexes } from '../mcp/services/broker/listing.ts'
import { openChild } from './child.ts'
import { newFolder, removeFolders } from './folders.ts'
import type { Bench, Group } from './row.ts'

type Held = { heap: number; beside: number; json: number; counted: number }

const count = 50_000

const kinds: Readonly<Record<string, readonly string[]>> = {
  'without an index': [],
  'with the index of states': ['state'],
  'with six indexes of fields': listingIndexes.filter(({ words }) => !words).map(({ name }) => name),
  'with the index of words': ['words'],
  'with all': listingIndexes.map(({ name }) => name),
}

const measureHeld = async (names: readonly string[]): Promise<Held> => {
  const child = await openChild('listings', [], [...process.execArgv, '--expose-gc'])
  try {
    return await child.ask<Held>('fill', { dir: await newFolder(), count, names })
  } finally {
    await child.stop()
  }
}

const whole = (bytes: number): string => Math.round(bytes).toLocaleString('en')

const listing: Bench = {
  name: 'embedded store, heap of a listing with its seven indexes',
  unit: 'bytes',
  aim: { below: 600 },
  async measure() {
    const notes: string[] = []
    let heap = Number.NaN
    for (const [kind, names] of Object.entries(kinds)) {
      const held = await measureHeld(names)
      heap = held.heap
      notes.push(`${kind} ${whole(held.heap)} and ${whole(held.beside)} beside`)
      if (kind === 'with all')
        notes.push(`${whole(held.json)} bytes of JSON, the store counts ${whole(held.counted)}`)
    }
    return { value: heap, note: notes.join('; ') }
  },
}

type Archived = {
  before: { bytes: number; read: number }
  after: { bytes: number; read: number; onDisk: number; stallMs: number }
}

/** So many that what a store takes without any document does not count. */
const archivedCount = 200_000

const measureArchived = async (names: readonly string[]): Promise<Archived> => {
  const dir = await newFolder()
  const ask = async <R>(verb: string): Promise<R> => {
    const child = await openChild('archived', [], [...process.execArgv, '--expose-gc'])
    try {
      return await child.ask<R>(verb, { dir, count: archivedCount, names })
    } finally {
      await child.stop()
    }
  }
  return { before: await ask('fill'), after: await ask('archive') }
}

const archivedRecord: Bench = {
  name: 'embedded store, memory of an archived payment record, indexes apart',
  unit: 'bytes',
  aim: { below: 150 },
  async measure() {
    const bare = await measureArchived([])
    const indexed = await measureArchived(paymentIndexes.map(({ name }) => name))
    const note =
      `${whole(bare.before.bytes)} before it was archived, ${whole(bare.after.onDisk)} on disk; with its four indexes ` +
      `${whole(indexed.after.bytes)}, ${whole(indexed.before.bytes)} before; ${bare.after.stallMs.toFixed(0)} and ` +
      `${indexed.after.stallMs.toFixed(0)} ms at most until the event loop has its turn while a checkpoint copies ${whole(archivedCount)} of them`
    return { value: bare.after.bytes, note }
  },
}

const archivedRead: Bench = {
  name: 'embedded store, processor time for a read of an archived payment record',
  unit: 'us',
  aim: { below: 30 },
  async measure() {
    const { before, after } = await measureArchived([])
    return {
      value: after.read,
      note: `${before.read.toFixed(1)} from memory; the system has the file in its cache`,
    }
  },
}

/** What a document takes in memory, in the heap and beside it. */
export const memory: Group = {
  name: 'memory',
  benches: [listing, archivedRecord, archivedRead],
  close: removeFolders,
}
