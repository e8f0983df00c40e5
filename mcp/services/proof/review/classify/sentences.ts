import { hashNeighbours, hashWord } from './features.ts'
import { type Classifier, getClassifier } from './weights.ts'

/** A word with its place, whether a clause begins with it, its hash, and that of it with the word before. */
export type Word = { start: number; end: number; beginsClause: boolean; hash: number; link: number }

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
  let before = ''
  wordPattern.lastIndex = 0
  for (let match = wordPattern.exec(text); match; match = wordPattern.exec(text)) {
    const { 0: found, index } = match
    const token = toToken(found)
    words.push({
      start: index,
      end: index + found.length,
      beginsClause:
        words.length === 0 ||
        beginsCapital(found) ||
        ((index > last + 1 || text[last] !== ' ') && clauseEnd.test(text.slice(last, index))),
      hash: hashWord(token),
      link: hashNeighbours(before, token),
    })
    last = index + found.length
    before = token
  }
  return words
}

const capital = /^\p{Lu}(?:\p{Ll}|$)/u

/** Most words are told by their first letter, without a look at the tables of Unicode. */
const beginsCapital = (found: string): boolean => {
  const code = found.charCodeAt(0)
  return (code < 97 || code > 122) && code > 57 && capital.test(found)
}

const toToken = (found: string): string => {
  const code = found.charCodeAt(0)
  if (code >= 48 && code <= 57) return 'num'
  return found.length > 7 && found.includes('://') ? 'url' : found.toLowerCase()
}

const [fewestWords, longestWords, longestClauses] = [5, 50, 14]

/** Visits the runs of up to fourteen clauses, from five to fifty words long, by first word and the one after the last. */
export const visitRuns = (words: readonly Word[], visit: (first: number, end: number) => void): void => {
  const starts: number[] = []
  for (let nth = 0; nth < words.length; nth++) if (words[nth]?.beginsClause) starts.push(nth)
  starts.push(words.length)
  for (let from = 0; from < starts.length; from++) {
    const first = starts[from] ?? 0
    for (let to = from + 1; to <= from + longestClauses && to < starts.length; to++) {
      const end = starts[to] ?? 0
      if (end - first > longestWords) break
      if (end - first >= fewestWords) visit(first, end)
    }
  }
}

/** Buckets of a run: its words, and the neighbours in it. */
export const runBuckets = (words: readonly Word[], first: number, end: number, buckets: number): number[] => {
  const found: number[] = []
  for (let nth = first; nth < end; nth++) {
    const word = words[nth]
    if (!word) break
    found.push(word.hash & (buckets - 1))
    if (nth > first) found.push(word.link & (buckets - 1))
  }
  return found
}

/** Sum of the weights of a run. */
export const sumRun = (
  words: readonly Word[],
  first: number,
  end: number,
  weights: ArrayLike<number>,
  buckets: number,
): number => {
  let sum = 0
  for (let nth = first; nth < end; nth++) {
    const word = words[nth]
    if (!word) break
    sum += weights[word.hash & (buckets - 1)] ?? 0
    if (nth > first) sum += weights[word.link & (buckets - 1)] ?? 0
  }
  return sum
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
  let [nth, sum] = [0, 0]
  for (const { hash, link } of words) {
    if (nth > 0) links[nth] = weights[link & (buckets - 1)] ?? 0
    sum += (weights[hash & (buckets - 1)] ?? 0) + (links[nth] ?? 0)
    totals[++nth] = sum
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
  const hits: { first: number; end: number; score: number }[] = []
  visitRuns(words, (first, end) => {
    const value = score(first, end)
    if (value > classifier.threshold) hits.push({ first, end, score: value })
  })
  hits.sort((a, b) => b.score - a.score || a.first - b.first)
  const isTaken = new Uint8Array(words.length)
  return hits.flatMap(hit => {
    if (isTaken.subarray(hit.first, hit.end).includes(1)) return []
    isTaken.fill(1, hit.first, hit.end)
    return { start: words[hit.first]?.start ?? 0, end: words[hit.end - 1]?.end ?? 0, score: hit.score }
  })
}
