import { collection } from '../../../kernel/collection.ts'

/** Opening of a commitment: the salt, and the content as canonical JSON. */
export type CommitmentOpening = { id: string; salt: string; content: string; revealed_at: string }

export const revealsIn = collection<CommitmentOpening>({
  name: 'proof.reveals',
  budget: {
    what: 'revealed contents',
    network: { rows: 1000, bytes: 16 << 20 },
    allBytes: 64 << 20,
    ends: 'They stay. Sign in and pay to reveal more.',
  },
})
