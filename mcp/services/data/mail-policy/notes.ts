import { z } from 'zod'
import { clean } from '../../../lib/text/clean.ts'
import type { Note } from '../meta.ts'

/** A list of findings in an answer. */
export const Notes = (about: string) =>
  z
    .array(
      z.object({
        code: z.string().describe('Stable code'),
        message: z.string().describe('In a sentence'),
      }),
    )
    .describe(about)

/** A stranger's text made safe to show; empty when nothing is left. */
export const toPrintable = (text: string, maxLength = 2000): string => clean(text, maxLength) ?? ''

/** Findings made safe to show; they may quote strangers. */
export const toPrintableNotes = (notes: readonly Note[], maxNotes = 20): Note[] =>
  notes.slice(0, maxNotes).map(({ code, message }) => ({ code, message: toPrintable(message, 500) }))
