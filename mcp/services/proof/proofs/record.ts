import { collection } from '../../../kernel/collection.ts'

/** The bytes of a claim, by their SHA-256; base64, since a database changes some texts. */
export type ClaimRecord = { id: string; bytes: string; received_at: string }

export const recordsIn = collection<ClaimRecord>({
  name: 'proof.records',
  archive: { afterHours: 24 },
  budget: {
    what: 'witnessed contents',
    network: { rows: 1000, bytes: 16 << 20 },
    allBytes: 64 << 20,
    ends: 'They stay; those of paid calls do not count.',
  },
})
