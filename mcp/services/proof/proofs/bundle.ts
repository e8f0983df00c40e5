import type { TransparencyLog } from '../ledger/log.ts'
import type { StoredProof } from './issue.ts'
import { bundleSchema, type ProofBundle } from './verify/proof.ts'

/** A proof with its way to a checkpoint that counts its leaf. Undefined where the log does not have it. */
export const buildBundle = async (
  log: TransparencyLog,
  { event, leaf_hash }: Pick<StoredProof, 'event' | 'leaf_hash'>,
): Promise<ProofBundle | undefined> => {
  const index = await log.find(leaf_hash)
  if (index === undefined) return undefined
  const [leaf, { size, note }] = await Promise.all([log.leaf(index), log.checkpoint(index + 1)])
  if (leaf === undefined) return undefined
  return {
    schema: bundleSchema,
    event,
    leaf,
    index,
    inclusion: log.inclusion(index, size),
    checkpoint: note,
  }
}
