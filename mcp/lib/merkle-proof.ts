import { sha256 } from '@noble/hashes/sha2'
import { concatBytes } from '@noble/hashes/utils'

// Checks only, apart from what makes proofs, and without Node: the page that verifies offline runs the same code.

const leafPrefix = Uint8Array.of(0)
const nodePrefix = Uint8Array.of(1)

/** SHA-256 of a leaf (RFC 9162 §2.1.1). */
export const hashLeafBytes = (leaf: Uint8Array): Uint8Array => sha256(concatBytes(leafPrefix, leaf))

const hashNodes = (left: Uint8Array, right: Uint8Array): Uint8Array =>
  sha256(concatBytes(nodePrefix, left, right))

export const equalBytes = (one: Uint8Array, other: Uint8Array): boolean =>
  one.length === other.length && one.every((byte, index) => byte === other[index])

/** Root of the tree without leaves (RFC 9162 §2.1.1). */
export const emptyRoot = sha256(new Uint8Array())

const isCount = (value: number): boolean => Number.isSafeInteger(value) && value >= 0

/** Halves without the 32 bits of a shift. */
const half = (value: number): number => Math.floor(value / 2)

/** True when a leaf is number `index` of the tree of `size` leaves with this root (RFC 9162 §2.1.3.2). */
export const verifyInclusion = (
  leafHash: Uint8Array,
  { index, size, path, root }: { index: number; size: number; path: readonly Uint8Array[]; root: Uint8Array },
): boolean => {
  if (!isCount(index) || !isCount(size) || index >= size) return false
  let node = index
  let last = size - 1
  let hash = leafHash
  for (const sibling of path) {
    if (last === 0) return false
    if (node % 2 === 1 || node === last) {
      hash = hashNodes(sibling, hash)
      while (node % 2 === 0 && node !== 0) {
        node = half(node)
        last = half(last)
      }
    } else hash = hashNodes(hash, sibling)
    node = half(node)
    last = half(last)
  }
  return last === 0 && equalBytes(hash, root)
}

type Sized = { size: number; root: Uint8Array }

/** True when the tree of `older` is the beginning of that of `newer` (RFC 9162 §2.1.4.2). */
export const verifyConsistency = (older: Sized, newer: Sized, path: readonly Uint8Array[]): boolean => {
  if (!isCount(older.size) || !isCount(newer.size) || older.size > newer.size) return false
  if (older.size === 0 && !equalBytes(older.root, emptyRoot)) return false
  if (older.size === newer.size) return path.length === 0 && equalBytes(older.root, newer.root)
  if (older.size === 0) return path.length === 0
  const isPowerOfTwo = Number.isInteger(Math.log2(older.size))
  const [first, ...rest] = isPowerOfTwo ? [older.root, ...path] : path
  if (!first || path.length === 0) return false
  let node = older.size - 1
  let last = newer.size - 1
  while (node % 2 === 1) {
    node = half(node)
    last = half(last)
  }
  let olderHash = first
  let newerHash = first
  for (const sibling of rest) {
    if (last === 0) return false
    if (node % 2 === 1 || node === last) {
      olderHash = hashNodes(sibling, olderHash)
      newerHash = hashNodes(sibling, newerHash)
      while (node % 2 === 0 && node !== 0) {
        node = half(node)
        last = half(last)
      }
    } else newerHash = hashNodes(newerHash, sibling)
    node = half(node)
    last = half(last)
  }
  return last === 0 && equalBytes(olderHash, older.root) && equalBytes(newerHash, newer.root)
}
