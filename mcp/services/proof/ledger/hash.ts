import { createHash } from 'node:crypto'

const leafPrefix = Buffer.of(0)
const nodePrefix = Buffer.of(1)

/** SHA-256 of a leaf as RFC 9162 §2.1.1 hashes it. */
export const hashLeaf = (leaf: string | Uint8Array): Buffer =>
  createHash('sha256').update(leafPrefix).update(leaf).digest()

/** SHA-256 of two nodes under their parent (RFC 9162 §2.1.1). */
export const hashNode = (left: Uint8Array, right: Uint8Array): Buffer =>
  createHash('sha256').update(nodePrefix).update(left).update(right).digest()

/** The root of a tree without leaves. */
export const emptyRoot: Buffer = createHash('sha256').digest()
