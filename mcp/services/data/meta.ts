import { z } from 'zod'
import type { Note } from '../../lib/note.ts'

export type { Note }

/** Remarks of a skill on its own answer next to its fields. */
export type About = { sources?: string[]; warnings?: Note[]; truncated?: boolean }

/** Remarks of every skill on its own answer. */
export const Meta = z
  .object({
    fetched_at: z.iso.datetime().describe('When the answer was made, UTC'),
    duration_ms: z.number().int().describe('Milliseconds the work took'),
    cached: z.boolean().describe('True when the answer comes from a cache'),
    age_seconds: z.number().int().describe('Seconds since a cached answer was made; 0 when it is fresh'),
    truncated: z.boolean().describe('True when a limit cut something off'),
    next: z.number().int().nullable().describe('Offset that goes on where this answer ends, or null'),
    tokens: z.number().int().nullable().describe('Estimated tokens of the answer where max_tokens was given'),
    sources: z.array(z.string()).describe('Where it comes from: URLs, or dns: and the resolver'),
    warnings: z
      .array(
        z.object({
          code: z.string().describe('Stable code of the warning'),
          message: z.string().describe('The warning in a sentence'),
        }),
      )
      .describe('What to know before the answer is relied on'),
    quota: z
      .object({
        tier: z.enum(['free', 'ally']).describe('The tier that covered the call'),
        limit: z.number().int().describe('Calls the tier has'),
        remaining: z.number().int().describe('Calls that are left'),
        reset_at: z.iso.datetime().describe('When it starts anew, UTC'),
      })
      .nullable()
      .describe('What is left of the free tier; null for a paid call'),
  })
  .describe('About the answer itself')
