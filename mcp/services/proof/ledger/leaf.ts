import canonicalize from 'canonicalize'
import type { Tx } from '../../../ports/index.ts'
import { hashLeaf } from './hash.ts'

/** The topic of the store that is the log. */
export const ledgerTopic = 'proof.ledger'

export const leafTypes = [
  'verdict',
  'execution',
  'witness',
  'validation',
  'outcome',
  'submission',
  'reveal',
  'key',
] as const

export type LeafType = (typeof leafTypes)[number]

/** Verdicts, outcomes and keys as leaves hold them: texts only, so that every JSON writer makes the same bytes of them. */
export type LeafFacts = {
  type: LeafType
  /** The signed event that the leaf stands for. */
  event_id?: string
  /** SHA-256 of what it is about. */
  artifact_hash?: string
  verdict?: string
  decision_ref?: string
  /** Hash of the earlier leaf that it is about. */
  cites?: string
  outcome?: 'harmful' | 'harmless'
  /** `ed25519` signs checkpoints, `bip340` signs events. */
  scheme?: 'ed25519' | 'bip340'
  public_key?: string
}

export type Leaf = LeafFacts & { v: '1'; committed_at: string }

/** A leaf that was written, and its hash (RFC 9162), by which it is found. */
export type Appended = { leaf: string; leaf_hash: string }

/**
 * Writes a leaf at the end of the log: canonical JSON (RFC 8785), of which not a byte changes any more. Its number is its place in
 * the log, known once the transaction is committed.
 */
export const appendLeaf = async (tx: Pick<Tx, 'append'>, facts: LeafFacts, now: Date): Promise<Appended> => {
  const leaf = canonicalize({ v: '1', ...facts, committed_at: now.toISOString() } satisfies Leaf) ?? ''
  await tx.append(ledgerTopic, leaf)
  return { leaf, leaf_hash: hashLeaf(leaf).toString('hex') }
}

/** What a leaf says. Only what `appendLeaf` wrote is read. */
export const parseLeaf = (leaf: string): Leaf => JSON.parse(leaf) as Leaf
