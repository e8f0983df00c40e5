import { z } from 'zod'
import { topic } from '../../../kernel/topic.ts'
import { hashLeaf } from '../../../lib/merkle-tree.ts'
import type { Tx } from '../../../ports/store/port.ts'

const leaves = topic({
  name: 'proof.ledger',
  bounded:
    'A leaf for each proof, witnessed content and reveal; those have budgets. A leaf stays: the log is whole.',
})

/** The topic of the store that is the log. */
export const ledgerTopic = leaves.toName('')

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

/**
 * A leaf as canonical JSON (RFC 8785): its fields stand in their order here, absent ones are left out, and all are texts, which every
 * writer of JSON writes alike.
 */
const writeLeaf = (facts: LeafFacts, now: Date): string =>
  JSON.stringify({
    artifact_hash: facts.artifact_hash,
    cites: facts.cites,
    committed_at: now.toISOString(),
    decision_ref: facts.decision_ref,
    event_id: facts.event_id,
    outcome: facts.outcome,
    public_key: facts.public_key,
    scheme: facts.scheme,
    type: facts.type,
    v: '1',
    verdict: facts.verdict,
  })

/** Hashes of leaves that were written here and not read back yet, so that each is made once. */
const leafCache = new Map<string, Buffer>()
const maxWritten = 1024

const noteHash = (leaf: string): Buffer => {
  const hash = hashLeaf(leaf)
  if (leafCache.size >= maxWritten) leafCache.clear()
  leafCache.set(leaf, hash)
  return hash
}

/** The hash of a leaf that was read: as it was made when the leaf was written here, or made now. */
export const takeLeafHash = (leaf: string): Buffer => {
  const hash = leafCache.get(leaf)
  if (!hash) return hashLeaf(leaf)
  leafCache.delete(leaf)
  return hash
}

/** A leaf that was written, and its hash (RFC 9162), by which it is found. */
type Appended = { leaf: string; leaf_hash: string }

/**
 * Writes a leaf at the end of the log: canonical JSON (RFC 8785), of which not a byte changes any more. Its number is its place in
 * the log, known once the transaction is committed.
 */
export const appendLeaf = async (
  tx: Pick<Tx, 'append' | 'collection'>,
  facts: LeafFacts,
  now: Date,
): Promise<Appended> => {
  const leaf = writeLeaf(facts, now)
  const hash = noteHash(leaf)
  await leaves.append(tx, '', leaf)
  return { leaf, leaf_hash: hash.toString('hex') }
}

/** Parses a leaf. Only what `appendLeaf` wrote is read. */
export const parseLeaf = (leaf: string): Leaf => JSON.parse(leaf) as Leaf

/** A leaf as the tools of the ledger show it. */
export const EntryOutput = z.object({
  index: z.number().int().describe('Its number'),
  leaf_hash: z.string().describe('Its hash in the tree (RFC 9162)'),
  type: z.enum(leafTypes).describe('What it stands for'),
  committed_at: z.string().describe('When it was entered, ISO 8601'),
  event_id: z.string().nullable().describe('The signed event that it stands for'),
  artifact_hash: z.string().nullable().describe('SHA-256 of what it is about'),
  verdict: z.string().nullable().describe('The verdict, of a review'),
  decision_ref: z.string().nullable().describe('Hash of what the verdict follows from'),
  cites: z.string().nullable().describe('Hash of the earlier leaf that it is about'),
  outcome: z.enum(['harmful', 'harmless']).nullable().describe('What became of it, of an outcome'),
  public_key: z.string().nullable().describe('The key that it makes known, or that reported it'),
})

export const toEntry = (leaf: string, index: number): z.output<typeof EntryOutput> => {
  const facts = parseLeaf(leaf)
  return {
    index,
    leaf_hash: hashLeaf(leaf).toString('hex'),
    type: facts.type,
    committed_at: facts.committed_at,
    event_id: facts.event_id ?? null,
    artifact_hash: facts.artifact_hash ?? null,
    verdict: facts.verdict ?? null,
    decision_ref: facts.decision_ref ?? null,
    cites: facts.cites ?? null,
    outcome: facts.outcome ?? null,
    public_key: facts.public_key ?? null,
  }
}

/** Numbers in paths and queries come as texts. */
export const LeafNumber = z.preprocess(
  value => (typeof value === 'string' && /^\d{1,15}$/.test(value) ? Number(value) : value),
  z.number().int().min(0),
)
