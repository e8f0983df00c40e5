import { getHeapStatistics } from 'node:v8'
import { indexText } from '../document.ts'
import type { Index, StoreUse } from '../index.ts'

/**
 * What the documents, logs and claims of a store take in memory, as an estimate that follows every write. Of archived documents
 * `bytes` counts where they lie; `archived` counts them, and their bytes on disk.
 */
export type Memory = { documents: number; bytes: number; archived: { documents: number; bytes: number } }

/** Bytes of the heap that are in use, and how many there may be before the process dies. */
export type Heap = () => { used: number; limit: number }

/**
 * Room for what is written: `spacious`; `scarce` near the limit, which only warns; `full`, where nothing new is taken;
 * `spent`, where nothing is taken that grows.
 */
export type Room = 'spacious' | 'scarce' | 'full' | 'spent'

/** Cost of finding and padding a line; and of lines, the holes that are left before a page is emptied. */
const perRow = 48
const holes = 4 / 3
const perEntry = 16
const perLogEntry = 24
/** Memory of a run of log entries that lie in a file. */
export const perRun = 120
const perClaim = 110
const mebibyte = 1024 * 1024
/** V8 counts its young generation into the limit; the old one, where a store lies, ends that much earlier. */
const youngGeneration = 48 * mebibyte

/** Bytes of a text in the heap: one a character, two where any of them is beyond Latin-1 (told by UTF-8 length, which errs upwards). */
const textBytes = (text: string): number =>
  Buffer.byteLength(text) === text.length ? text.length : 2 * text.length

/** Memory of a document whose line has so many bytes, less its index entries; all of it beside the heap. */
export const rowBytes = (lineBytes: number): number => perRow + Math.ceil(lineBytes * holes)

export const logBytes = (text: string): number => perLogEntry + textBytes(text)

export const claimBytes = (key: string): number => perClaim + textBytes(key)

/**
 * What the index entries of a document take, beside the heap. Neighbours share what they begin with, which is not counted on;
 * of a `words` index it is guessed from the lengths of text and id.
 */
export const entryBytes = (
  indexes: readonly Index[],
  id: string,
  document: Record<string, unknown>,
): number => {
  let bytes = 0
  for (const index of indexes) {
    if (index.words) {
      bytes += Math.ceil(indexText(index, document).length * (1 + id.length / 8))
      continue
    }
    let key = Buffer.byteLength(id)
    for (const field of index.fields) {
      const value = document[field]
      key += typeof value === 'string' ? Buffer.byteLength(value) : 9
    }
    bytes += fieldsEntryBytes(key)
  }
  return bytes
}

/** Memory of one entry of an index over fields, whose id and strings have so many bytes; other values count as nine. */
export const fieldsEntryBytes = (keyBytes: number): number => perEntry + Math.ceil(keyBytes * 1.25)

/** The heap of this process. */
const processHeap: Heap = () => {
  const { used_heap_size, heap_size_limit } = getHeapStatistics()
  return { used: used_heap_size, limit: Math.max(heap_size_limit - youngGeneration, heap_size_limit / 2) }
}

/** Watches what a store takes against its limit and the heap against its own. */
export type Watch = {
  /** Looks at the heap itself only after some hundred kilobytes were written, or when there was no room before. */
  room(): Room
  /** `bytes` are about to be kept. */
  grew(bytes: number): void
  /** How much of the limit is used, the heap apart: 1 is all of it. */
  share(): number
  use(): StoreUse
}

const lookEvery = 512 * 1024
/** Of the limit: from where it warns, and up to where documents that are there may still change. */
const scarceAt = 0.85
const spentAt = 1.08
const heapScarceAt = 0.8
const heapFullAt = 0.88
const heapSpentAt = 0.94

/** The share of the heap that a store takes unless told; the rest is for calls under way and for collecting garbage. */
const shareOfHeap = 0.6

/** A watch over `memory`, and over `pending()` bytes that wait for the disk. `maxBytes` is a share of the heap unless told. */
export const watchMemory = (
  memory: Memory,
  pending: () => number,
  { maxBytes, heap = processHeap }: { maxBytes?: number | undefined; heap?: Heap },
): Watch => {
  const limit = maxBytes ?? Math.floor(heap().limit * shareOfHeap)
  let callsUntilLook = lookEvery
  let last: Room = 'spacious'

  const heapRoom = (): Room => {
    const { used, limit: heapLimit } = heap()
    if (used > heapLimit * heapSpentAt) return 'spent'
    if (used > heapLimit * heapFullAt) return 'full'
    return used > heapLimit * heapScarceAt ? 'scarce' : 'spacious'
  }
  const ownRoom = (): Room => {
    const bytes = memory.bytes + pending()
    if (bytes > limit * spentAt) return 'spent'
    if (bytes >= limit) return 'full'
    return bytes > limit * scarceAt ? 'scarce' : 'spacious'
  }
  const order = { spacious: 0, scarce: 1, full: 2, spent: 3 } as const
  return {
    room: () => {
      if (callsUntilLook >= lookEvery || last !== 'spacious') {
        last = heapRoom()
        callsUntilLook = 0
      }
      const currentRoom = ownRoom()
      return order[currentRoom] > order[last] ? currentRoom : last
    },
    grew: bytes => {
      callsUntilLook += bytes
    },
    share: () => (memory.bytes + pending()) / limit,
    use: () => ({
      documents: memory.documents,
      bytes: memory.bytes + pending(),
      maxBytes: limit,
      archived: { ...memory.archived },
    }),
  }
}
