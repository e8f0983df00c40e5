import { sumRun, type Word } from './sentences.ts'
import type { Classifier } from './weights.ts'

/** A sentence as words from `first` up to `end`. */
type Sentence = { first: number; end: number }

const sentenceEnd = /[.!?:;]["'”’)\]]*\s|\n/

/** Whether a sentence ends between two words; between most of them a blank stands. */
const endsSentence = (text: string, from: number, to: number): boolean =>
  (to > from + 1 || text[from] === '\n') && sentenceEnd.test(text.slice(from, to))

/** The sentences that these words of a text form; a line ends one too. */
export const splitSentences = (text: string, words: readonly Word[]): Sentence[] => {
  const sentences: Sentence[] = []
  let [first, nth, last] = [0, 0, 0]
  for (const { start, end } of words) {
    if (nth > 0 && endsSentence(text, last, start)) {
      sentences.push({ first, end: nth })
      first = nth
    }
    last = end
    nth++
  }
  return nth === 0 ? [] : [...sentences, { first, end: nth }]
}

const fewestWords = 2

/** The passage of a text that its wording is read of; `mass` is how much it says on what is reviewed. */
export type Passage = { text: string; strength: number; mass: number }

/**
 * The one passage of a text that reads most like what is reviewed, plans, reports and claims: the run of sentences whose scores add up to
 * most. Ordinary talk before and after it scores below nothing, so that it is left out, and changes nothing. `strength` is by how much
 * the words of the passage do, on average.
 */
export const topicalPassage = (classifier: Classifier, text: string, words: readonly Word[]): Passage => {
  const { weights, buckets, scale, bias, threshold } = classifier
  const found = { first: 0, end: 0, mass: 0, score: 0, count: 0 }
  let run = { ...found }
  for (const { first, end } of splitSentences(text, words)) {
    if (run.mass <= 0) run = { first, end, mass: 0, score: 0, count: 0 }
    const count = 2 * (end - first) - 1
    const score = bias + (scale * sumRun(words, first, end, weights, buckets)) / Math.sqrt(count)
    run.end = end
    run.score += score * count
    run.count += count
    // A heading or a single word goes with what stands around it.
    if (end - first >= fewestWords) run.mass += (score - threshold) * count
    if (run.mass > found.mass) Object.assign(found, run)
  }
  return {
    text: text.slice(words[found.first]?.start, words[found.end - 1]?.end ?? 0),
    strength: found.count === 0 ? 0 : found.score / found.count,
    mass: found.mass,
  }
}
