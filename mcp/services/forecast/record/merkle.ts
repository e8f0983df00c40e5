import { createHash } from 'node:crypto'
import {
  emptyRoot as emptyTree,
  verifyConsistency as isConsistent,
  verifyInclusion as isIncluded,
} from '../../../lib/merkle-proof.ts'

/** Hash of the complete subtree at a level whose first leaf is `index << level`; leaves are level 0. Hexadecimal digits. */
export type ReadNode = (level: number, index: number) => Promise<string>

/** A node of the tree that has just become complete. */
export type TreeNode = { readonly level: number; readonly index: number; readonly hash: string }

const hash = (prefix: number, ...parts: readonly Buffer[]): string => {
  const digest = createHash('sha256').update(Buffer.of(prefix))
  for (const part of parts) digest.update(part)
  return digest.digest('hex')
}

const emptyRoot = Buffer.from(emptyTree).toString('hex')

/** Hash of a leaf: SHA-256 over a zero byte and its text. */
export const hashLeaf = (text: string): string => hash(0, Buffer.from(text))

/** Hash of an inner node: SHA-256 over a byte of one and both children. */
const hashChildren = (left: string, right: string): string =>
  hash(1, Buffer.from(left, 'hex'), Buffer.from(right, 'hex'))

const maxPowerBelow = (size: number): number => 2 ** Math.floor(Math.log2(size - 1))

/** The nodes that become complete when a leaf is added to a tree of `size` leaves, the leaf first. */
export const completedNodes = async (read: ReadNode, size: number, leaf: string): Promise<TreeNode[]> => {
  const nodes: TreeNode[] = [{ level: 0, index: size, hash: leaf }]
  let node = leaf
  for (let level = 0, index = size; index % 2 === 1; level++, index = (index - 1) / 2) {
    node = hashChildren(await read(level, index - 1), node)
    nodes.push({ level: level + 1, index: (index - 1) / 2, hash: node })
  }
  return nodes
}

/** Root of the leaves from `from` up to `to`, by complete subtrees. */
const rootBetween = async (read: ReadNode, from: number, to: number): Promise<string> => {
  const size = to - from
  if (size === 0) return emptyRoot
  const level = Math.log2(size)
  if (Number.isInteger(level) && from % size === 0) return read(level, from / size)
  const split = maxPowerBelow(size)
  return hashChildren(await rootBetween(read, from, from + split), await rootBetween(read, from + split, to))
}

/** Root of the first `size` leaves. */
export const rootAt = (read: ReadNode, size: number): Promise<string> => rootBetween(read, 0, size)

/** Proof that the leaf at `index` is in the tree of `size` leaves, from the leaf upwards (RFC 9162 section 2.1.3). */
export const proveInclusion = async (read: ReadNode, index: number, size: number): Promise<string[]> => {
  const path: string[] = []
  let [from, to] = [0, size]
  while (to - from > 1) {
    const split = from + maxPowerBelow(to - from)
    if (index < split) {
      path.push(await rootBetween(read, split, to))
      to = split
    } else {
      path.push(await rootBetween(read, from, split))
      from = split
    }
  }
  return path.reverse()
}

/** Proof that the tree of `first` leaves is the beginning of that of `second` (RFC 9162 section 2.1.4). */
export const proveConsistency = async (read: ReadNode, first: number, second: number): Promise<string[]> => {
  const prove = async (size: number, from: number, to: number, isWhole: boolean): Promise<string[]> => {
    if (size === to - from) return isWhole ? [] : [await rootBetween(read, from, to)]
    const split = maxPowerBelow(to - from)
    return size <= split
      ? [...(await prove(size, from, from + split, isWhole)), await rootBetween(read, from + split, to)]
      : [...(await prove(size - split, from + split, to, false)), await rootBetween(read, from, from + split)]
  }
  return first === 0 || first === second ? [] : prove(first, 0, second, true)
}

const fromHex = (text: string): Buffer => Buffer.from(text, 'hex')

/** True when a proof shows the leaf at `index` to be in the tree of `size` leaves with this root (RFC 9162 section 2.1.3.2). */
export const verifyInclusion = (
  leaf: string,
  index: number,
  size: number,
  path: readonly string[],
  root: string,
): boolean => isIncluded(fromHex(leaf), { index, size, path: path.map(fromHex), root: fromHex(root) })

/** True when a proof shows one tree to be the beginning of another (RFC 9162 section 2.1.4.2). */
export const verifyConsistency = (
  first: number,
  second: number,
  path: readonly string[],
  firstRoot: string,
  secondRoot: string,
): boolean =>
  isConsistent(
    { size: first, root: fromHex(firstRoot) },
    { size: second, root: fromHex(secondRoot) },
    path.map(fromHex),
  )

/** A tree in memory, as a reader rebuilds it from the entries of a record. */
export const openRecordTree = () => {
  const nodes = new Map<string, string>()
  const read: ReadNode = async (level, index) => {
    const node = nodes.get(`${level}:${index}`)
    if (node === undefined) throw new Error(`the tree has no node ${index} at level ${level}`)
    return node
  }
  let size = 0
  return {
    read,
    size: () => size,
    async append(text: string): Promise<void> {
      for (const { level, index, hash } of await completedNodes(read, size, hashLeaf(text)))
        nodes.set(`${level}:${index}`, hash)
      size++
    },
  }
}
