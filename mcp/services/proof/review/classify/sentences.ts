import { pairBucket, wordBucket } from './features.ts'
import { type Classifier, getClassifier } from './weights.ts'

/** A word with its place, and whether a clause begins with it. */
export type Word = { text: string; start: number; end: number; beginsClause: boolean }

const wordPattern = /https?:\/\/\S+|\p{L}+(?:['’]t\b)?|\d+(?:[.,]\d+)*|[%$€]/gu
const clauseEnd = /[.!?;:,\n()—–|•]|\s-+\s/

/** Targets of links and plain tags: marks, and no words of a sentence. Nothing that has a blank in it is among them. */
const markup = /\]\([^\s)]*\)|<\/?[a-z]\w*(?:\s[\w-]{1,30}="[^\s"]*")*\s?\/?>/gi

/**
 * The words of a text, and where its clauses begin. What stands between two words only ends a clause or does not, so that line breaks,
 * bullets, missing blanks and other marks of joining change no feature. A capital begins one too: two texts may be joined by a blank.
 */
export const splitClauses = (whole: string): Word[] => {
  const text = whole.replace(markup, mark => ' '.repeat(mark.length))
  const words: Word[] = []
  let last = 0
  for (const { 0: found, index } of text.matchAll(wordPattern)) {
    const beginsClause =
      words.length === 0 ||
      /^\p{Lu}(?:\p{Ll}|$)/u.test(found) ||
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

const [fewestWords, longestWords, longestClauses] = [5, 50, 14]

/** Runs of up to fourteen clauses, from five to fifty words long, as first word and the one after the last. */
export const clauseRuns = (words: readonly Word[]): [first: number, end: number][] => {
  const starts = [...words.flatMap(({ beginsClause }, nth) => (beginsClause ? nth : [])), words.length]
  const runs: [number, number][] = []
  starts.forEach((first, nth) => {
    for (const end of starts.slice(nth + 1, nth + 1 + longestClauses))
      if (end - first >= fewestWords && end - first <= longestWords) runs.push([first, end])
  })
  return runs
}

/** Buckets of a run: its words, and the neighbours in it. */
export const runBuckets = (words: readonly Word[], first: number, end: number, buckets: number): number[] => {
  const found: number[] = []
  for (let nth = first; nth < end; nth++) {
    const text = words[nth]?.text ?? ''
    found.push(wordBucket(text, buckets))
    if (nth > first) found.push(pairBucket(words[nth - 1]?.text ?? '', text, buckets))
  }
  return found
}

/**
 * What each bucket has to be worth for a run to be suspicious: words of a kind of text that nothing was learned from lean to one side, and
 * would add up in long runs.
 */
const drift = 0.1

/** Loss of a run of so many buckets by its length. */
export const runOffset = (count: number): number => -drift * Math.sqrt(count)

/** Scores any run of these words in constant time, by sums from the beginning: words count within the run, pairs where both are in it. */
export const runScorer = ({ weights, buckets, scale, bias }: Classifier, words: readonly Word[]) => {
  const totals = new Float64Array(words.length + 1)
  const links = new Float64Array(words.length)
  for (const [nth, { text }] of words.entries()) {
    if (nth > 0) links[nth] = weights[pairBucket(words[nth - 1]?.text ?? '', text, buckets)] ?? 0
    totals[nth + 1] = (totals[nth] ?? 0) + (weights[wordBucket(text, buckets)] ?? 0) + (links[nth] ?? 0)
  }
  return (first: number, end: number): number => {
    const count = 2 * (end - first) - 1
    const sum = (totals[end] ?? 0) - (totals[first] ?? 0) - (links[first] ?? 0)
    return bias + (scale * sum) / Math.sqrt(count) + runOffset(count)
  }
}

/** A run of clauses that reads like those that went wrong: characters from `start` up to `end`. */
export type FlaggedSentence = { start: number; end: number; score: number }

/**
 * The runs of clauses whose score is above the one threshold that there is, the worst first, none within another's reach. A run is judged
 * by its own words alone: whatever stands around it, it stays flagged.
 */
export const flaggedSentences = (text: string, words = splitClauses(text)): FlaggedSentence[] => {
  const classifier = getClassifier('sentences')
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
