import { runBuckets, type Word } from './sentences.ts'
import type { Classifier } from './weights.ts'

/** A sentence as words from `first` up to `end`. */
type Sentence = { first: number; end: number }

const sentenceEnd = /[.!?:;]["'”’)\]]*\s|\n/

/** The sentences that these words of a text form; a line ends one too. */
export const splitSentences = (text: string, words: readonly Word[]): Sentence[] => {
  const starts = words.flatMap(({ start }, nth) =>
    nth === 0 || sentenceEnd.test(text.slice(words[nth - 1]?.end, start)) ? nth : [],
  )
  return starts.map((first, nth) => ({ first, end: starts[nth + 1] ?? words.length }))
}

const fewestWords = 2

/**
 * The part of a text that reads like what is reviewed: plans, reports and claims. Other sentences, ordinary talk and guides, tell nothing of
 * it, and would change what a reading of the whole finds. `strength` is by how much the words of that part do, on average.
 */
export const topicalPart = (
  classifier: Classifier,
  text: string,
  words: readonly Word[],
): { part: string; strength: number } => {
  const { weights, buckets, scale, bias, threshold } = classifier
  const parts: string[] = []
  let [isTopical, strength, count] = [true, 0, 0]
  for (const { first, end } of splitSentences(text, words)) {
    if (end - first >= fewestWords) {
      const found = runBuckets(words, first, end, buckets)
      let sum = 0
      for (const bucket of found) sum += weights[bucket] ?? 0
      const score = bias + (scale * sum) / Math.sqrt(found.length)
      // A heading or a single word goes with what stands before it.
      isTopical = score > threshold
      if (isTopical) {
        strength += score * found.length
        count += found.length
      }
    }
    if (isTopical) parts.push(text.slice(words[first]?.start, words[end]?.start))
  }
  return { part: parts.join(' '), strength: count === 0 ? 0 : strength / count }
}
