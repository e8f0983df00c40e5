import { z } from 'zod'
import { hashLeaf } from '../../../lib/merkle-tree.ts'
import { leafTypes, parseLeaf } from './leaf.ts'

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
