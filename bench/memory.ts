import { listingIndexes } from '../mcp/services/broker/listing/listing.ts'
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

/** What a document takes in memory, in the heap and beside it. */
export const memory: Group = { name: 'memory', benches: [listing], close: removeFolders }
