import * as z from 'zod'
import { factTable, words } from '../../mcp/lib/facts.ts'
import { stem as stemOf } from '../../mcp/lib/text/stem.ts'

/**
 * English words of requests: verbs that mean the same, by the one that names of operations use; verbs that ask to see something, whatever
 * the operation is called; words that name nothing; and words that turn a request into another one, or into none.
 */
const table = factTable(
  new URL('./data/words.json', import.meta.url),
  z.strictObject({
    verbs: z.record(z.string(), words),
    asking: words.transform(list => new Set(list)),
    stop_words: words.transform(list => new Set(list)),
    negations: words.transform(list => new Set(list)),
    conditions: words.transform(list => new Set(list)),
    quantities: words.transform(list => new Set(list)),
  }),
)

/** The word as its other forms have it; what is the caller's own is "my", however it is said. */
export const stem = (word: string): string => {
  const lower = word.toLowerCase().replace(/['’]s$/u, '')
  return /^(?:i|mine|my|yours?|own)$/.test(lower) ? 'my' : stemOf(lower)
}

export const isStopWord = (word: string): boolean => table().stop_words.has(word)

/** Stems of the verbs that may ask for an operation of which some word is a verb: "hand" for what is called submission. */
export const verbsAlike = (stems: ReadonlySet<string>): string[] =>
  Object.entries(table().verbs).flatMap(([verb, others]) => (stems.has(stem(verb)) ? others.map(stem) : []))

export const isKnownVerb = (word: string): boolean => Object.hasOwn(table().verbs, word)

/** True when a sentence that begins with `word` may ask for an operation whose name begins with `verb`. */
export const isVerbFor = (word: string, verb: string): boolean =>
  word === verb || stem(word) === stem(verb) || (table().verbs[verb] ?? []).includes(word)

/** True for operations that show something, by the verb of their name, so that any word for seeing asks for them. */
export const isReading = (verb: string): boolean =>
  /^(?:get|list|search|browse|read|lookup|check|verify|discover|calculate|quote|preview)$/.test(verb)

/** True for a word that asks to see something. */
export const isAsking = (word: string): boolean => table().asking.has(word)

/** True for a word that may turn a request into its opposite. */
export const isNegation = (word: string): boolean => table().negations.has(word) || /n['’]t$/.test(word)

/** True for a word that makes a request depend on something that is not known here, such as if or later. */
export const isCondition = (word: string): boolean => table().conditions.has(word)

/** True for the second half of a verb, as in "take off". */
export const isParticle = (word: string): boolean => /^(?:off|out|away)$/.test(word)

/** True for a word for more than one, or for a part. */
export const isQuantity = (word: string): boolean => table().quantities.has(word)
