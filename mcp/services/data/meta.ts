import { z } from 'zod'
import type { Clock } from '../../ports/index.ts'

export type Note = { code: string; message: string }

/** What every skill says about its own answer. */
export const Meta = z
  .object({
    fetchedAt: z.iso.datetime().describe('When the answer was made, UTC'),
    durationMs: z.number().int().describe('Milliseconds the work took'),
    cached: z.boolean().describe('True when the answer comes from a cache'),
    ageSec: z.number().int().describe('Seconds since a cached answer was made; 0 when it is fresh'),
    truncated: z.boolean().describe('True when a limit cut something off'),
    sources: z.array(z.string()).describe('Where it comes from: URLs, or dns: and the resolver'),
    warnings: z
      .array(
        z.object({
          code: z.string().describe('Stable code of the warning'),
          message: z.string().describe('The warning in a sentence'),
        }),
      )
      .describe('What to know before the answer is relied on'),
  })
  .describe('About the answer itself')

type Facts = { sources?: string[]; warnings?: Note[]; truncated?: boolean }

/** Starts the clock over one answer; the returned function closes it. */
export const startMeta = (clock: Clock) => {
  const fetchedAt = clock.now().toISOString()
  const began = performance.now()
  return ({ sources = [], warnings = [], truncated = false }: Facts = {}): z.output<typeof Meta> => ({
    fetchedAt,
    durationMs: Math.round(performance.now() - began),
    cached: false,
    ageSec: 0,
    truncated,
    sources,
    warnings,
  })
}
