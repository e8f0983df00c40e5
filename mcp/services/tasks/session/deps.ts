import type { Ports } from '../../../ports/index.ts'
import type { Channels } from '../channel/channels.ts'

/** What sessions are run with. */
export type SessionDeps = Pick<Ports, 'store' | 'clock' | 'ledger'> & {
  channels: { open(): Promise<Channels> }
  /** Seconds. */
  sessionIdle: number
}
