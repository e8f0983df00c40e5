import type { Turn } from '../scheduler/port.ts'

/** Threads for work that would stall the server or may never end. A handler's are shared out fairly between clients. */
export type Workers = {
  /**
   * Runs an exported function of a module (its `import.meta.url`) on plain data. Throws `upstream` when it takes more than
   * `ms` of processor time (3,000) or too much memory, `too_many_requests` when too much of this client is
   * waiting, `unavailable` when too much of others is, `timeout` when the call was abandoned, else what the function throws.
   */
  run<T>(module: string, name: string, input: unknown, ms?: number): Promise<T>
  /** Loads a module in a thread before it is needed, once. */
  warm(module: string): void
  /** The same threads on behalf of one call: what waits leaves the queue when its signal aborts. */
  forCall(turn: Turn): Workers
}
