import type { Ports } from '../ports/index.ts'

/** Work that recurs, run once across all replicas. */
export type Job<needs extends keyof Ports = never> = {
  /** Unique within its service. */
  name: string
  /** Seconds from one run to the next. */
  every: number
  needs: readonly needs[]
  /** Seconds a run may take before its signal aborts. Default: `every`. */
  timeout?: number
  run(ctx: Pick<Ports, needs> & { signal: AbortSignal }): Promise<void>
}

export type AnyJob = Job<keyof Ports>

type Facts<needs extends keyof Ports> = Omit<Job<needs>, 'run'>

export const job = <const needs extends keyof Ports = never>(facts: Facts<needs>) => ({
  run: (run: Job<needs>['run']): Job<needs> => ({ ...facts, run }),
})
