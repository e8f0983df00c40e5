import { hash } from 'node:crypto'
import { emptyRoot as emptyTree } from '../../../lib/merkle-proof.ts'

const leafPrefix = Buffer.of(0)
/** The prefix of a node and room for its two hashes: a hash is made at once, so that one buffer serves all. */
const node = Buffer.alloc(65, 1)

/** SHA-256 of a leaf as RFC 9162 §2.1.1 hashes it. */
export const hashLeaf = (leaf: string | Uint8Array): Buffer =>
  hash('sha256', typeof leaf === 'string' ? `\0${leaf}` : Buffer.concat([leafPrefix, leaf]), 'buffer')

/** SHA-256 of two nodes under their parent (RFC 9162 §2.1.1). */
export const hashNode = (left: Uint8Array, right: Uint8Array): Buffer => {
  node.set(left, 1)
  node.set(right, 33)
  return hash('sha256', node, 'buffer')
}

/** The root of a tree without leaves. */
export const emptyRoot: Buffer = Buffer.from(emptyTree)
