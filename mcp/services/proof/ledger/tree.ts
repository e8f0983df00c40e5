import { emptyRoot, hashNode } from './hash.ts'

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

/** The largest power of two below n. */
const splitSize = (n: number): number => 2 ** Math.floor(Math.log2(n - 1))

/** A Merkle tree (RFC 9162 §2.1) that only grows, with all its whole subtrees in memory. */
export type Tree = {
  size(): number
  append(leafHash: Uint8Array): void
  leafHash(index: number): Buffer
  /** The root over the first `size` leaves. */
  root(size: number): Buffer
  /** RFC 9162 §2.1.3.1: the way from leaf `index` to the root over the first `size` leaves. */
  inclusion(index: number, size: number): Buffer[]
  /** RFC 9162 §2.1.4.1: that the first `from` leaves are the beginning of the first `to`. */
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

  const stored = (level: number, index: number): Buffer => levelAt(level).slice(index, index + 1)
  const size = (): number => levelAt(0).length()

  const requireSize = (wanted: number): void => {
    if (!Number.isSafeInteger(wanted) || wanted < 0 || wanted > size())
      throw new RangeError(`the tree has ${size()} leaves, not ${wanted}`)
  }

  /** The nodes on the right edge of the first `count` leaves, by level; that of the last level is the root. */
  const rightEdge = (count: number): Buffer[] => {
    const edge = [stored(0, count - 1)]
    for (let level = 0, last = count - 1; last > 0; level++, last >>>= 1) {
      const node = edge[level] as Buffer
      edge.push(last % 2 === 1 ? hashNode(stored(level, last - 1), node) : node)
    }
    return edge
  }

  const root = (count: number): Buffer => {
    requireSize(count)
    return count === 0 ? emptyRoot : (rightEdge(count).at(-1) as Buffer)
  }

  /** The root over the leaves from `low` to `high`, which a proof has for one of its subtrees. */
  const rangeRoot = (low: number, high: number): Buffer => {
    const count = high - low
    const level = Math.log2(count)
    if (Number.isInteger(level)) return stored(level, low / count)
    const middle = low + splitSize(count)
    return hashNode(rangeRoot(low, middle), rangeRoot(middle, high))
  }

  const subproof = (from: number, low: number, high: number, isComplete: boolean): Buffer[] => {
    if (from === high) return isComplete ? [] : [rangeRoot(low, high)]
    const middle = low + splitSize(high - low)
    return from <= middle
      ? [...subproof(from, low, middle, isComplete), rangeRoot(middle, high)]
      : [...subproof(from, middle, high, false), rangeRoot(low, middle)]
  }

  return {
    size,
    append(leafHash) {
      levelAt(0).push(leafHash)
      for (let level = 0, index = size() - 1; index % 2 === 1; level++, index >>>= 1)
        levelAt(level + 1).push(hashNode(levelAt(level).peek(index - 1), levelAt(level).peek(index)))
    },
    leafHash: index => stored(0, index),
    root,
    inclusion(index, count) {
      requireSize(count)
      if (!Number.isInteger(index) || index < 0 || index >= count)
        throw new RangeError(`leaf ${index} is not among the first ${count}`)
      const edge = rightEdge(count)
      const path: Buffer[] = []
      for (let level = 0, node = index, last = count - 1; last > 0; level++, node >>>= 1, last >>>= 1) {
        const sibling = node % 2 === 1 ? node - 1 : node + 1
        if (sibling < last) path.push(stored(level, sibling))
        else if (sibling === last) path.push(edge[level] as Buffer)
      }
      return path
    },
    consistency(from, to) {
      requireSize(to)
      if (!Number.isInteger(from) || from < 0 || from > to)
        throw new RangeError(`${from} leaves are not the beginning of ${to}`)
      return from === 0 || from === to ? [] : subproof(from, 0, to, true)
    },
    hashes: (level, from, to) => levelAt(level).slice(from, Math.min(to, levelAt(level).length())),
  }
}
