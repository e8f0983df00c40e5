import type { Span } from '../../lib/trace/span.ts'

/** Scarce resource that all callers share; each is a port of that name. */
export type Resource = 'workers' | 'sandboxes' | 'browsers' | 'llm'

/** Ports whose places are shared without a booking, too: what waits for them waits for seconds. */
export type SharedPort = Resource | 'fetch' | 'dns'

/** Asker of a port that many share. One object stands for one call: its work counts as one, in parts or not. */
export type Asker = {
  /** Network address of the client, as limits count it. */
  client: string
  /** The call is paid for. */
  paid: boolean
  /** Gives up what is reserved for the call. Set once something is; the pipeline calls it at the end of the call. */
  release?: () => void
  /** The step of the call that asks, where the call is traced. */
  span?: Span | undefined
}

/** One call, as what is shared sees it: who asks, and when nobody waits for it any more. */
export type Turn = { readonly asker: Asker; readonly signal: AbortSignal }

/** How a task is weighed before it runs: small input is light, whatever it turns out to cost. */
export type Weight = 'light' | 'heavy'

/** A call that wants something of a resource before its price is asked for or its payment is taken. */
export type Booking = {
  asker: Asker
  /** It brings a payment, or an account that pays. */
  isPaying: boolean
  weight?: Weight
  signal?: AbortSignal | undefined
}

/** Work under way at a resource, and those it had no room for so far. */
export type LaneUse = {
  places: number
  running: number
  waiting: number
  refusals: number
  /** Seconds that the oldest task waits. */
  longestSeconds: number
}

/** Shares out what is scarce between clients and networks. */
export type Scheduler = {
  /**
   * Makes sure of a turn before money moves. For a call that pays, a turn is reserved until `asker.release()`; for one that does
   * not, it is checked that a payer would get one. Throws `too_many_requests` where this client has too many, `unavailable` where all
   * turns are taken by others; both say when to come back.
   */
  reserve(resource: Resource, booking: Booking): Promise<void>
  /** Work under way at each resource; absent where the scheduler is somebody else's. */
  use?(): Readonly<Record<Resource, LaneUse>>
}
