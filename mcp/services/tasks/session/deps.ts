import type { Ports } from '../../../ports/ports.ts'
import type { Channels } from '../channel/channels.ts'

/** Dependencies of sessions. */
export type SessionDeps = Pick<Ports, 'store' | 'clock' | 'ledger'> & {
  channels: { open(): Promise<Channels> }
  /** Seconds. */
  sessionIdle: number
}
