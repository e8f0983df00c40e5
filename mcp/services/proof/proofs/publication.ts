import { z } from 'zod'
import { collection } from '../../../kernel/collection.ts'
import type { Tx } from '../../../ports/store/port.ts'
import type { NostrEvent } from './verify/event.ts'

/** An event on its way to the relays. `pending` are those that have not taken it yet. */
export type EventPublication = {
  id: string
  event: NostrEvent
  state: 'queued' | 'done' | 'failed'
  pending: string[]
  accepted: string[]
  /** Replies of refusing relays, by relay. */
  refused: Record<string, string>
  tries: number
  queued_at: string
}

export const publicationsIn = collection<EventPublication>({
  name: 'proof.publications',
  indexes: [{ name: 'state', fields: ['state', 'queued_at'] }],
  bounded: 'One for each proof.',
})

export const NostrStatus = z
  .enum(['queued', 'not_configured', 'not_asked'])
  .describe('Whether it goes to Nostr relays')

/** Puts an event on its way, where relays are configured and it is wanted. */
export const queuePublication = async (
  tx: Tx,
  event: NostrEvent,
  { relays = [], isWanted, now }: { relays?: readonly string[] | undefined; isWanted: boolean; now: Date },
): Promise<z.output<typeof NostrStatus>> => {
  if (!isWanted) return 'not_asked'
  if (relays.length === 0) return 'not_configured'
  await publicationsIn(tx).put({
    id: event.id,
    event,
    state: 'queued',
    pending: [...relays],
    accepted: [],
    refused: {},
    tries: 0,
    queued_at: now.toISOString(),
  })
  return 'queued'
}
