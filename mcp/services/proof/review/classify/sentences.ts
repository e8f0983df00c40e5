import { pairFeatures, wordFeatures } from './features.ts'
import { type Classifier, getClassifier, sumWeights } from './weights.ts'

/** A word with its place, and whether a clause begins with it. */
export type Word = { text: string; start: number; end: number; beginsClause: boolean }

const wordPattern = /https?:\/\/\S+|\p{L}+(?:['’]t\b)?|\d+(?:[.,]\d+)*|[%$€]/gu
const clauseEnd = /[.!?;:,\n()—–|•]|\s-+\s/

/**
 * The words of a text, and where its clauses begin. What stands between two words only ends a clause or does not, so that line breaks,
 * bullets, missing blanks and other marks of joining change no feature.
 */
export const splitClauses = (text: string): Word[] => {
  const words: Word[] = []
  let last = 0
  for (const { 0: found, index } of text.matchAll(wordPattern)) {
    const beginsClause =
      words.length === 0 ||
      ((index > last + 1 || text[last] !== ' ') && clauseEnd.test(text.slice(last, index)))
    last = index + found.length
    words.push({ text: toToken(found), start: index, end: last, beginsClause })
  }
  return words
}

const toToken = (found: string): string => {
  if (/^https?:/.test(found)) return 'url'
  return /^\d/.test(found) ? 'num' : found.toLowerCase()
}

const [fewestWords, longestWords, longestClauses] = [5, 60, 8]

/** Runs of up to eight clauses, from five to sixty words long, as first word and the one after the last. */
export const clauseRuns = (words: readonly Word[]): [first: number, end: number][] => {
  const starts = [...words.flatMap(({ beginsClause }, nth) => (beginsClause ? nth : [])), words.length]
  const runs: [number, number][] = []
  starts.forEach((first, nth) => {
    for (const end of starts.slice(nth + 1, nth + 1 + longestClauses))
      if (end - first >= fewestWords && end - first <= longestWords) runs.push([first, end])
  })
  return runs
}

/** Sum of the weights of words, how many features that were, and the same of runs of characters. */
type Sum = readonly [number, number, number, number]

const noSum: Sum = [0, 0, 0, 0]

/** Scores any run of these words in constant time, by sums from the beginning: words count within the run, pairs where both are in it. */
export const runScorer = (classifier: Classifier, words: readonly Word[]) => {
  const known = new Map<string, Sum>()
  const sumOf = (first: string, second?: string): Sum => {
    const key = second === undefined ? first : `${first} ${second}`
    const found = known.get(key)
    if (found) return found
    const [stems, grams] =
      second === undefined
        ? wordFeatures(first, classifier.buckets)
        : pairFeatures(first, second, classifier.buckets)
    const sum: Sum = [
      sumWeights(classifier, stems),
      stems.length,
      sumWeights(classifier, grams),
      grams.length,
    ]
    known.set(key, sum)
    return sum
  }
  // Four figures for each place between words, and for each word the pair that ends with it.
  const totals = new Float64Array(4 * (words.length + 1))
  const links: Sum[] = []
  let before: string | undefined
  for (const [nth, { text }] of words.entries()) {
    const own = sumOf(text)
    const link = before === undefined ? noSum : sumOf(before, text)
    for (let part = 0; part < 4; part++)
      totals[4 * nth + 4 + part] = (totals[4 * nth + part] ?? 0) + (own[part] ?? 0) + (link[part] ?? 0)
    links.push(link)
    before = text
  }
  const { scale, bias } = classifier
  return (first: number, end: number): number => {
    const figure = (part: number): number =>
      (totals[4 * end + part] ?? 0) - (totals[4 * first + part] ?? 0) - (links[first]?.[part] ?? 0)
    return bias + scale * (figure(0) / Math.sqrt(figure(1) || 1) + figure(2) / Math.sqrt(figure(3) || 1))
  }
}

/** A run of clauses that reads like those that went wrong: characters from `start` up to `end`. */
export type FlaggedSentence = { start: number; end: number; score: number }

/**
 * The runs of clauses whose score is above the one threshold that there is, the worst first, none within another's reach. A run is judged
 * by its own words alone: whatever stands around it, it stays flagged.
 */
export const flaggedSentences = (text: string): FlaggedSentence[] => {
  const classifier = getClassifier('sentences')
  const words = splitClauses(text)
  const score = runScorer(classifier, words)
  const hits = clauseRuns(words)
    .map(([first, end]) => ({ first, end, score: score(first, end) }))
    .filter(hit => hit.score > classifier.threshold)
    .sort((a, b) => b.score - a.score || a.first - b.first)
  const isTaken = new Uint8Array(words.length)
  return hits.flatMap(hit => {
    if (isTaken.subarray(hit.first, hit.end).includes(1)) return []
    isTaken.fill(1, hit.first, hit.end)
    return { start: words[hit.first]?.start ?? 0, end: words[hit.end - 1]?.end ?? 0, score: hit.score }
  })
}
