import * as z from 'zod'
import { factTable } from '../../../lib/facts.ts'

const phraseSet = z.string().transform(line => new Set(line.split(', ')))

/** Link texts that say nothing about where they lead, by language. */
const phrases = factTable(
  new URL('./data/vague-phrases.json', import.meta.url),
  z.record(z.string(), phraseSet).transform(byLanguage => ({
    byLanguage: new Map(Object.entries(byLanguage)),
    all: new Set(Object.values(byLanguage).flatMap(set => [...set])),
  })),
)

const phrasesIn = (language: string | null): ReadonlySet<string> =>
  phrases().byLanguage.get(language ?? '') ?? phrases().all

const normalizePhrase = (text: string): string =>
  text
    .toLowerCase()
    .replaceAll("'", '’')
    .replace(/[\s.…:!›»→>«\-–[\]()]+/g, ' ')
    .trim()

/**
 * Whether a link text says nothing about where it leads: a phrase of the page's language or of English (of all known ones when
 * it is null or another), arrows and dots left out, or a bare address.
 */
export const isVague = (text: string, language: string | null): boolean => {
  if (/^https?:\/\/\S+$/i.test(text.trim())) return true
  const phrase = normalizePhrase(text)
  return phrasesIn(language).has(phrase) || phrasesIn('en').has(phrase)
}
