import { z } from 'zod'
import { collection } from '../../../kernel/collection.ts'
import type { Tx } from '../../../ports/store/port.ts'

/** A checkpoint on its way into a place that this service does not control. */
export type Anchor = {
  id: string
  kind: 'nostr' | 'opentimestamps'
  /** Size of the checkpoint, and the note that is anchored. */
  size: number
  checkpoint: string
  state: 'pending' | 'anchored' | 'failed'
  created_at: string
  /** For opentimestamps: the proof file, base64, and the Bitcoin blocks that it names. */
  ots: string | null
  bitcoin: { height: number; merkle_root: string }[]
  /** For nostr: the event, and the relays that took it. */
  event_id: string | null
  relays: string[]
}

export const anchorsIn = collection<Anchor>({
  name: 'proof.anchors',
  indexes: [
    { name: 'size', fields: ['kind', 'size'] },
    { name: 'created', fields: ['created_at'] },
    { name: 'state', fields: ['kind', 'state', 'created_at'] },
  ],
  bounded: 'One for each checkpoint that the program anchors.',
})

/** An anchor as the ledger shows it. */
export const AnchorOutput = z.object({
  kind: z.enum(['nostr', 'opentimestamps']).describe('Where it is anchored'),
  state: z
    .enum(['pending', 'anchored', 'failed'])
    .describe('anchored: relays took it, or its proof names a Bitcoin block'),
  size: z.number().int().describe('Size of the checkpoint that is anchored'),
  created_at: z.string().describe('When it was handed over, ISO 8601'),
  bitcoin_blocks: z
    .array(z.number().int())
    .describe('Blocks that its proof names; this service does not look into them'),
  event_id: z.string().nullable().describe('The Nostr event'),
  relays: z.array(z.string()).describe('Relays that took it'),
})

/** The newest anchors. */
export const listAnchors = async (
  store: Pick<Tx, 'collection'>,
): Promise<z.output<typeof AnchorOutput>[]> => {
  const { rows } = await anchorsIn(store).find({ index: 'created', order: 'desc', limit: 20 })
  return rows.map(({ kind, state, size, created_at, bitcoin, event_id, relays }) => ({
    kind,
    state,
    size,
    created_at,
    bitcoin_blocks: bitcoin.map(({ height }) => height),
    event_id,
    relays,
  }))
}
