import type { Tx } from '../../../ports/index.ts'

/** The bytes of a claim, by their SHA-256; base64, since a database changes some texts. */
export type ClaimRecord = { id: string; bytes: string; received_at: string }

export const recordsIn = (tx: Pick<Tx, 'collection'>) =>
  tx.collection<ClaimRecord>('proof.records', undefined, { afterHours: 24 })
