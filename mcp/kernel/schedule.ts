import { isExplained, toToolError } from './error.ts'
import type { AnyJob } from './job.ts'
import { missingNeeds, type Providing, provideAll } from './pipeline/provide.ts'

/** How a job's last run on this replica ended. Anybody may read it, so a stranger's message is not in it. */
export type JobReport = { name: string; at: string; ms: number; ok: boolean; error?: string }

export type Schedule = {
  /** Reports of the jobs that ran here, by name. */
  reports(): JobReport[]
  /** Aborts what runs and waits for it. */
  stop(): Promise<void>
}

type Options = {
  world: Providing
  /** Told of each run; `cause` is what it failed with, for the log. */
  onReport?: (report: JobReport, cause: unknown) => void
  /** Milliseconds between two looks at the clock. */
  tickMs?: number
}

/** A claim outlives its period by this much, for replicas whose clocks differ. */
const clockSkewMs = 600_000

const computeSlot = ({ every }: AnyJob, now: Date) => Math.floor(now.getTime() / (every * 1000))

/**
 * Runs jobs once per period across all replicas: whoever claims the period in the store runs it. A job that lacks a need
 * does not run; a failure is reported and the next period tries again.
 */
export const schedule = (jobs: readonly { owner: string; job: AnyJob }[], options: Options): Schedule => {
  const { world, tickMs = 1000 } = options
  const { store, clock } = world.ports
  const reports = new Map<string, JobReport>()
  const lastSlots = new Map<string, number>()
  const running = new Set<Promise<void>>()
  const stopping = new AbortController()

  const run = async (name: string, job: AnyJob, slot: number, now: Date) => {
    const until = new Date((slot + 1) * job.every * 1000 + clockSkewMs)
    const started = performance.now()
    const signal = AbortSignal.any([stopping.signal, AbortSignal.timeout((job.timeout ?? job.every) * 1000)])
    const finish = (ok: boolean, cause?: unknown) => {
      const report = {
        name,
        at: now.toISOString(),
        ms: Math.round(performance.now() - started),
        ok,
        ...(!ok && {
          error: isExplained(cause) ? toToolError(cause).message : 'It failed; the log says why.',
        }),
      }
      reports.set(name, report)
      options.onReport?.(report, cause)
    }
    try {
      if (!(await store?.claim(`job:${name}:${slot}`, until))) return
      await job.run({ ...provideAll(world, job.needs), signal })
      finish(true)
    } catch (error) {
      finish(false, error)
    }
  }

  const tick = () => {
    const now = clock?.now() ?? new Date()
    for (const { owner, job } of jobs) {
      const name = `${owner}.${job.name}`
      const slot = computeSlot(job, now)
      if (lastSlots.get(name) === slot || missingNeeds(world, job.needs).length > 0) continue
      lastSlots.set(name, slot)
      const work = run(name, job, slot, now)
      running.add(work)
      void work.finally(() => running.delete(work))
    }
  }
  const timer = setInterval(tick, tickMs)
  timer.unref()
  return {
    reports: () => [...reports.values()],
    async stop() {
      clearInterval(timer)
      stopping.abort()
      await Promise.allSettled(running)
    },
  }
}
