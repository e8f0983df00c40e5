import type { Tx } from '../../../ports/index.ts'

/** What opened a commitment: the salt, and the content as canonical JSON. */
export type Reveal = { id: string; salt: string; content: string; revealed_at: string }

export const revealsIn = (tx: Pick<Tx, 'collection'>) => tx.collection<Reveal>('proof.reveals')
