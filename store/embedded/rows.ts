import { type Archive, archivedRowBytes, isArchived, openArchive } from './archive.ts'
import type { Arena, Line } from './arena.ts'
import { rowBytes } from './memory.ts'

/**
 * The documents of a collection by id: each a line of the journal, in the arena or in the archive, found by a hash of its id.
 * An id is meant by its key, the bytes of its JSON.
 */
export type Rows = {
  /** The number of their table in arena and archive. */
  table: number
  size(): number
  has(id: string): boolean
  /** The JSON text of a document. */
  get(id: string): string | undefined
  /** Place of a document; 0 where there is none. */
  place(key: string): number
  /** Bytes that the line of a document would have. */
  lengthOf(key: string, text: string): number
  /** Bytes of the line at a place. */
  length(place: number): number
  /** Memory of the line at a place, as an estimate. */
  weight(place: number): number
  text(place: number): string
  /** Writes the line of a document, which is not there before `point`. */
  write(key: string, id: string, text: string): number
  /** Brings a line that was read from the files. */
  bring(key: string, line: Line): number
  /** From now on the document is what lies at `place`, with 0 nothing. Returns where it was. */
  point(key: string, place: number): number
  line(place: number): Line
  /** Takes back a `point`: the document is what lay at `place`, as long as the commit is not durable. */
  restore(key: string, place: number): void
  set(id: string, text: string): void
  delete(id: string): void
  /**
   * Goes on past changes, as the iterator of ids and texts does: what is there all the while comes exactly once, as long as nothing is
   * archived meanwhile.
   */
  ids(): Iterable<string>
  [Symbol.iterator](): Iterator<[string, string]>
  /** All lines, each to be read before the next is asked for; nothing is written to these rows meanwhile. */
  lines(): Generator<Line>
}

/** So many places that a short piece of work can put them all elsewhere. */
const maxSlots = 8192
const minSlots = 16
const fullAt = 0.7

type Shard = { depth: number; count: number; hashes: Uint32Array; places: Uint32Array }

const emptyShard = (depth: number, slots: number): Shard => ({
  depth,
  count: 0,
  hashes: new Uint32Array(slots),
  places: new Uint32Array(slots),
})

const plain = /^[\x20\x21\x23-\x5b\x5d-\x7e]*$/

/** The bytes of the JSON of an id, as a text of one unit each. */
export const rowKey = (id: string): string =>
  plain.test(id) ? `"${id}"` : Buffer.from(JSON.stringify(id)).toString('latin1')

/** The id that has this key. */
export const idOfKey = (key: string): string =>
  key.includes('\\') || /[^\0-\x7f]/.test(key)
    ? JSON.parse(Buffer.from(key, 'latin1').toString())
    : key.slice(1, -1)

const hashKey = (key: string): number => {
  let hash = 0x811c9dc5
  for (let at = 1; at < key.length - 1; at++) hash = Math.imul(hash ^ key.charCodeAt(at), 0x01000193)
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35)
  return (hash ^ (hash >>> 16)) >>> 0
}

const put = ({ hashes, places }: Shard, hash: number, place: number): void => {
  const mask = places.length - 1
  let slot = hash & mask
  while (places[slot] !== 0) slot = (slot + 1) & mask
  hashes[slot] = hash
  places[slot] = place
}

/** Moves up what comes behind an empty slot, so that a search may end at the first empty one. */
const takeOut = ({ hashes, places }: Shard, slot: number): void => {
  const mask = places.length - 1
  let hole = slot
  for (let next = (hole + 1) & mask; places[next] !== 0; next = (next + 1) & mask) {
    const home = (hashes[next] as number) & mask
    if (((next - home) & mask) < ((next - hole) & mask)) continue
    hashes[hole] = hashes[next] as number
    places[hole] = places[next] as number
    hole = next
  }
  places[hole] = 0
}

/** Rows of the collection `name`, in an arena and an archive. Many small tables that split: none is ever too large to be made anew in an instant. */
export const emptyRows = (arena: Arena, name: string, archive: Archive = openArchive()): Rows => {
  let depth = 0
  let shards: Shard[] = [emptyShard(0, minSlots)]
  let size = 0
  const head = `p\t${JSON.stringify(name)}\t`

  const homeOf = (at: number): Arena | Archive => (isArchived(at) ? archive : arena)
  const shardFor = (hash: number): Shard => shards[depth === 0 ? 0 : hash >>> (32 - depth)] as Shard
  const slotFor = ({ hashes, places }: Shard, hash: number, key: string): number => {
    const mask = places.length - 1
    for (let slot = hash & mask; places[slot] !== 0; slot = (slot + 1) & mask)
      if (hashes[slot] === hash && homeOf(places[slot] as number).hasKey(places[slot] as number, key))
        return slot
    return -1
  }
  const slotOf = (hash: number, place: number): number => {
    const { places } = shardFor(hash)
    const mask = places.length - 1
    for (let slot = hash & mask; places[slot] !== 0; slot = (slot + 1) & mask)
      if (places[slot] === place) return slot
    return -1
  }
  const spread = (from: Shard, to: (hash: number) => Shard): void => {
    for (const [slot, place] of from.places.entries()) {
      if (place === 0) continue
      const hash = from.hashes[slot] as number
      const shard = to(hash)
      put(shard, hash, place)
      shard.count++
    }
  }
  const replaceShard = (old: Shard, next: (position: number) => Shard): void => {
    shards = shards.map((shard, position) => (shard === old ? next(position) : shard))
  }
  const grow = (old: Shard): void => {
    if (old.places.length < maxSlots) {
      const larger = emptyShard(old.depth, 2 * old.places.length)
      spread(old, () => larger)
      replaceShard(old, () => larger)
      return
    }
    if (old.depth === depth) {
      shards = shards.flatMap(shard => [shard, shard])
      depth++
    }
    const half = emptyShard(old.depth + 1, maxSlots)
    const other = emptyShard(old.depth + 1, maxSlots)
    replaceShard(old, position => ((position >>> (depth - old.depth - 1)) & 1 ? other : half))
    spread(old, shardFor)
  }
  const number = arena.enroll({
    holds: (hash, place) => slotOf(hash, place) >= 0,
    move: (hash, from, to) => {
      shardFor(hash).places[slotOf(hash, from)] = to
    },
  })
  const place = (key: string): number => {
    const hash = hashKey(key)
    const shard = shardFor(hash)
    const slot = slotFor(shard, hash, key)
    return slot < 0 ? 0 : (shard.places[slot] as number)
  }
  /** Returns its old place; that line is not forgotten yet. */
  const exchange = (key: string, to: number): number => {
    const hash = hashKey(key)
    const shard = shardFor(hash)
    const slot = slotFor(shard, hash, key)
    const from = slot < 0 ? 0 : (shard.places[slot] as number)
    if (slot >= 0 && to !== 0) shard.places[slot] = to
    else if (slot >= 0) {
      takeOut(shard, slot)
      shard.count--
      size--
    } else if (to !== 0) {
      put(shard, hash, to)
      shard.count++
      size++
      if (shard.count > shard.places.length * fullAt) grow(shard)
    }
    return from
  }
  const point = (key: string, to: number): number => {
    const from = exchange(key, to)
    if (from !== 0) homeOf(from).forget(from)
    return from
  }
  const write = (key: string, id: string, text: string): number => {
    const quoted = key.length === id.length + 2 ? key : JSON.stringify(id)
    const textAt = head.length + key.length + 1
    return arena.write(number, hashKey(key), `${head}${quoted}\t${text}\n`, head.length, textAt)
  }
  const keyIn = ({ bytes, start, idAt, textAt }: Line): string =>
    bytes.toString('latin1', start + idAt, start + textAt - 1)
  const keysIn = ({ places }: Shard): string[] => {
    const keys: string[] = []
    for (const at of places) if (at !== 0 && !isArchived(at)) keys.push(keyIn(arena.read(at)))
    return keys
  }
  const textOf = (at: number): string => homeOf(at).text(at)
  /** Archived ones come last, as they lie in their file: one by one they would be read from all over it. */
  function* keys(): Generator<string> {
    for (let from = 0; from < 2 ** 32; ) {
      const shard = shardFor(from)
      const to = from + 2 ** (32 - shard.depth)
      for (const key of keysIn(shard)) if (place(key) !== 0) yield key
      from = to
    }
    for (const at of archive.placesOf(number)) yield keyIn(archive.read(at))
  }
  return {
    table: number,
    size: () => size,
    has: id => place(rowKey(id)) !== 0,
    get: id => {
      const at = place(rowKey(id))
      return at === 0 ? undefined : textOf(at)
    },
    place,
    lengthOf: (key, text) => head.length + key.length + Buffer.byteLength(text) + 2,
    length: at => homeOf(at).length(at),
    weight: at => (isArchived(at) ? archivedRowBytes : rowBytes(arena.length(at))),
    text: textOf,
    line: at => homeOf(at).read(at),
    write,
    bring: (key, line) => arena.copy(number, hashKey(key), line),
    point,
    restore: (key, to) => {
      if (to !== 0) homeOf(to).recall(to)
      point(key, to)
    },
    set: (id, text) => {
      const key = rowKey(id)
      point(key, write(key, id, text))
    },
    delete: id => void point(rowKey(id), 0),
    *ids() {
      for (const key of keys()) yield idOfKey(key)
    },
    *[Symbol.iterator]() {
      for (const key of keys()) yield [idOfKey(key), textOf(place(key))]
    },
    // Not from a copy of the places: the arena may move lines meanwhile.
    *lines() {
      for (let from = 0; from < 2 ** 32; ) {
        const { depth: bits, places } = shardFor(from)
        for (let slot = 0; slot < places.length; slot++) {
          const at = places[slot] as number
          if (at !== 0 && !isArchived(at)) yield arena.read(at)
        }
        from += 2 ** (32 - bits)
      }
      for (const at of archive.placesOf(number)) yield archive.read(at)
    },
  }
}
