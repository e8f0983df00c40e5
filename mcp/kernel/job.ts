import type { Need, Provided } from './need.ts'

/** Work that recurs, run once across all replicas. */
export type Job<needs extends Need = never> = {
  /** Unique within its service. */
  name: string
  /** Seconds from one run to the next. */
  every: number
  needs: readonly needs[]
  /** Seconds a run may take before its signal aborts. Default: `every`. */
  timeout?: number
  run(ctx: Provided<needs> & { signal: AbortSignal }): Promise<void>
}

// biome-ignore lint/suspicious/noExplicitAny: a job of any needs, as the schedule sees it
export type AnyJob = Job<any>

type Facts<needs extends Need> = Omit<Job<needs>, 'run' | 'needs'> & { needs?: readonly needs[] }

export const job = <const needs extends Need = never>(facts: Facts<needs>) => ({
  run: (run: Job<needs>['run']): Job<needs> => ({ needs: [], ...facts, run }),
})
