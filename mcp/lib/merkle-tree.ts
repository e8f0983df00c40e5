import { hash } from 'node:crypto'
import { emptyRoot as emptyTree } from './merkle-proof.ts'

const leafPrefix = Buffer.of(0)
/** The prefix of a node and room for its two hashes: a hash is made at once, so that one buffer serves all. */
const node = Buffer.alloc(65, 1)

/** SHA-256 of a leaf as RFC 9162 §2.1.1 hashes it. */
export const hashLeaf = (leaf: string | Uint8Array): Buffer =>
  hash('sha256', typeof leaf === 'string' ? `\0${leaf}` : Buffer.concat([leafPrefix, leaf]), 'buffer')

/** SHA-256 of two nodes under their parent (RFC 9162 §2.1.1). */
const hashNode = (left: Uint8Array, right: Uint8Array): Buffer => {
  node.set(left, 1)
  node.set(right, 33)
  return hash('sha256', node, 'buffer')
}

/** The root of a tree without leaves. */
export const emptyRoot: Buffer = Buffer.from(emptyTree)

/** The complete subtree of 2^`level` leaves whose first leaf is `index` · 2^`level`; leaves are level 0. */
export type Place = { readonly level: number; readonly index: number }

/** Leaves from the first number up to the second, without it. */
type Range = readonly [from: number, to: number]

/** The complete subtrees of a range, left to right, where it begins as the subtrees of a proof do. */
const placesIn = ([from, to]: Range): Place[] => {
  const places: Place[] = []
  for (let at = from; at < to; ) {
    const level = Math.floor(Math.log2(to - at))
    places.push({ level, index: at / 2 ** level })
    at += 2 ** level
  }
  return places
}

const join = (hashes: readonly Buffer[]): Buffer =>
  hashes.length === 0 ? emptyRoot : hashes.reduceRight((right, left) => hashNode(left, right))

/** The largest power of two below n. */
const splitSize = (n: number): number => 2 ** Math.floor(Math.log2(n - 1))

const inclusionRanges = (index: number, [from, to]: Range): Range[] => {
  if (to - from <= 1) return []
  const middle = from + splitSize(to - from)
  return index < middle
    ? [...inclusionRanges(index, [from, middle]), [middle, to]]
    : [...inclusionRanges(index, [middle, to]), [from, middle]]
}

const consistencyRanges = (older: number, [from, to]: Range, isWhole = true): Range[] => {
  if (older === to) return isWhole ? [] : [[from, to]]
  const middle = from + splitSize(to - from)
  return older <= middle
    ? [...consistencyRanges(older, [from, middle], isWhole), [middle, to]]
    : [...consistencyRanges(older, [middle, to], false), [from, middle]]
}

/** RFC 9162 §2.1.3.1: the subtrees on the way from leaf `index` to the root over the first `size` leaves. */
const inclusionPath = (index: number, size: number): Place[][] => {
  if (!Number.isInteger(index) || index < 0 || index >= size)
    throw new RangeError(`leaf ${index} is not among the first ${size}`)
  return inclusionRanges(index, [0, size]).map(placesIn)
}

/** RFC 9162 §2.1.4.1: the subtrees which show that the first `from` leaves are the beginning of the first `to`. */
const consistencyPath = (from: number, to: number): Place[][] => {
  if (!Number.isInteger(from) || from < 0 || from > to)
    throw new RangeError(`${from} leaves are not the beginning of ${to}`)
  return from === 0 || from === to ? [] : consistencyRanges(from, [0, to]).map(placesIn)
}

/** Reads the hash of a complete subtree. */
export type ReadNode = (place: Place) => Promise<Buffer>

/** A tree whose complete subtrees are kept elsewhere, such as in a store. */
export const treeOver = (read: ReadNode) => {
  const readAll = async (places: readonly Place[]): Promise<Buffer> => {
    const hashes: Buffer[] = []
    for (const place of places) hashes.push(await read(place))
    return join(hashes)
  }
  const readPath = async (path: readonly Place[][]): Promise<Buffer[]> => {
    const hashes: Buffer[] = []
    for (const places of path) hashes.push(await readAll(places))
    return hashes
  }
  return {
    /** The root over the first `size` leaves. */
    root: (size: number) => readAll(placesIn([0, size])),
    inclusion: async (index: number, size: number) => readPath(inclusionPath(index, size)),
    consistency: async (from: number, to: number) => readPath(consistencyPath(from, to)),
    /** The subtrees that become complete when a leaf is added to a tree of `size` leaves, the leaf first. */
    async completed(size: number, leafHash: Buffer): Promise<(Place & { hash: Buffer })[]> {
      const nodes = [{ level: 0, index: size, hash: leafHash }]
      let top = leafHash
      for (let level = 0, index = size; index % 2 === 1; level++, index = (index - 1) / 2) {
        top = hashNode(await read({ level, index: index - 1 }), top)
        nodes.push({ level: level + 1, index: (index - 1) / 2, hash: top })
      }
      return nodes
    },
  }
}

const bytesPerHash = 32

/** Hashes side by side in one buffer that grows: a million of them in 32 MB. */
const openHashes = () => {
  let bytes = Buffer.alloc(64 * bytesPerHash)
  let length = 0
  return {
    length: () => length,
    push(hash: Uint8Array) {
      if ((length + 1) * bytesPerHash > bytes.length) {
        const larger = Buffer.alloc(bytes.length * 2)
        bytes.copy(larger)
        bytes = larger
      }
      bytes.set(hash, length++ * bytesPerHash)
    },
    /** A hash where it lies, to be read at once. */
    peek: (index: number): Buffer => bytes.subarray(index * bytesPerHash, (index + 1) * bytesPerHash),
    /** Copies, so that nobody who gets them can change the tree. */
    slice: (from: number, to: number): Buffer =>
      Buffer.from(bytes.subarray(from * bytesPerHash, to * bytesPerHash)),
  }
}

type Hashes = ReturnType<typeof openHashes>

/** A Merkle tree (RFC 9162 §2.1) that only grows, with all its whole subtrees in memory. */
export type Tree = {
  size(): number
  append(leafHash: Uint8Array): void
  /** The hash of a complete subtree. */
  node(place: Place): Buffer
  /** The root over the first `size` leaves. */
  root(size: number): Buffer
  /** The hashes that prove leaf `index` to be among the first `size` leaves. */
  inclusion(index: number, size: number): Buffer[]
  /** The hashes that prove the first `from` leaves to be the beginning of the first `to`. */
  consistency(from: number, to: number): Buffer[]
  /** Hashes `from` to `to` of the whole subtrees of 2^`level` leaves, side by side; fewer where there are no more. */
  hashes(level: number, from: number, to: number): Buffer
}

export const openTree = (): Tree => {
  const levels: Hashes[] = [openHashes()]

  const levelAt = (level: number): Hashes => {
    const existing = levels[level]
    if (existing) return existing
    const next = openHashes()
    levels[level] = next
    return next
  }

  const stored = ({ level, index }: Place): Buffer => levelAt(level).slice(index, index + 1)
  const size = (): number => levelAt(0).length()
  const joinStored = (places: readonly Place[]): Buffer => join(places.map(stored))

  const requireSize = (wanted: number): void => {
    if (!Number.isSafeInteger(wanted) || wanted < 0 || wanted > size())
      throw new RangeError(`the tree has ${size()} leaves, not ${wanted}`)
  }

  return {
    size,
    append(leafHash) {
      levelAt(0).push(leafHash)
      for (let level = 0, index = size() - 1; index % 2 === 1; level++, index >>>= 1)
        levelAt(level + 1).push(hashNode(levelAt(level).peek(index - 1), levelAt(level).peek(index)))
    },
    node: stored,
    root(count) {
      requireSize(count)
      return joinStored(placesIn([0, count]))
    },
    inclusion(index, count) {
      requireSize(count)
      return inclusionPath(index, count).map(joinStored)
    },
    consistency(from, to) {
      requireSize(to)
      return consistencyPath(from, to).map(joinStored)
    },
    hashes: (level, from, to) => levelAt(level).slice(from, Math.min(to, levelAt(level).length())),
  }
}
