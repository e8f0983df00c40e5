import type { Tx } from '../../../ports/index.ts'

/** A registration that came with a key and can be repeated; `id` is a digest of the client and its key. */
type Registration = { id: string; account: string }

export const registrationsIn = (tx: Tx) => tx.collection<Registration>('broker.registrations')
