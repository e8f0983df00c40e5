import { ToolError, toToolError } from '../../../kernel/error.ts'

/** How a part of the work went. */
export type PartState = { ok: boolean; ms: number; error: string | null }

const startDeadline = (until: number) => {
  let timer: NodeJS.Timeout | undefined
  const over = new Promise<never>((_, reject) => {
    const error = new ToolError('timeout', 'It was not done in time.')
    timer = setTimeout(() => reject(error), Math.max(0, until - performance.now()))
  })
  return { over, stop: () => clearTimeout(timer) }
}

/** Runs parts side by side for at most `budgetMs` in all. A part that fails or is late gives null, and says so. */
export const openParts = (budgetMs: number) => {
  const until = performance.now() + budgetMs
  const states: Record<string, PartState> = {}
  const failures: ToolError[] = []
  return {
    states,
    failures,
    async run<T>(name: string, work: () => Promise<T>): Promise<T | null> {
      const began = performance.now()
      const { over, stop } = startDeadline(until)
      const took = () => Math.round(performance.now() - began)
      try {
        const value = await Promise.race([work(), over])
        states[name] = { ok: true, ms: took(), error: null }
        return value
      } catch (cause) {
        const failure = toToolError(cause)
        failures.push(failure)
        states[name] = { ok: false, ms: took(), error: failure.message }
        return null
      } finally {
        stop()
      }
    },
  }
}
