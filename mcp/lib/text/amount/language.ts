import * as z from 'zod'
import { factTable, pattern, words } from '../../facts.ts'

/** The languages whose amounts and dates are read. */
export type Language = 'en' | 'fr' | 'de' | 'es' | 'it' | 'nl' | 'pt'

const languages = factTable(
  new URL('./data/languages.json', import.meta.url),
  z
    .record(
      z.enum(['en', 'fr', 'de', 'es', 'it', 'nl', 'pt']),
      z.strictObject({
        /** Small words that tell the language from the others; what two of them share is left out or counts for both. */
        small: words,
        /** Scale words, currency words and month names say more than an article does. */
        strong: pattern,
      }),
    )
    .transform(table => {
      const strong = Object.entries(table).map(
        ([language, row]) => [language as Language, row.strong] as const,
      )
      const votes = new Map<string, Language[]>()
      for (const [language, { small }] of Object.entries(table))
        for (const word of small) votes.set(word, [...(votes.get(word) ?? []), language as Language])
      return { strong, votes }
    }),
)

/** Characters that are looked at; the language of a text shows long before that. */
const sampleLength = 8 * 1024

/**
 * The language that a text is written in, as far as the reading of amounts and dates depends on it; undefined when nothing
 * tells it.
 */
export const guessLanguage = (text: string): Language | undefined => {
  const sample = text.slice(0, sampleLength)
  const { votes, strong } = languages()
  const scores: Record<Language, number> = { en: 0, fr: 0, de: 0, es: 0, it: 0, nl: 0, pt: 0 }
  for (const [word] of sample.toLowerCase().matchAll(/[\p{L}\p{M}]+(?:['’][\p{L}\p{M}]+)?/gu))
    for (const language of votes.get(word.replace('’', "'")) ?? []) scores[language] += 1
  for (const [language, pattern] of strong) scores[language] += 2 * (sample.match(pattern)?.length ?? 0)
  const [first, second] = (Object.entries(scores) as [Language, number][]).sort((a, b) => b[1] - a[1])
  return first && first[1] > 0 && first[1] > (second?.[1] ?? 0) ? first[0] : undefined
}
