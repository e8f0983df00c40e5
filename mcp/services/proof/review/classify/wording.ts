import { textFeatures } from './features.ts'
import { splitClauses, type Word } from './sentences.ts'
import { topicalPassage } from './topic.ts'
import { getClassifier, weigh } from './weights.ts'

/** Short passages tell little: below this number of words the threshold is higher by so much for each. */
const [shortPassage, shortSlope] = [35, 0.01]

/** Below this strength or mass a passage is hardly of a kind that anything was learned from: its wording tells nothing. */
const [weakest, least] = [0.4, 20]

/** Characters of a passage that are weighed. */
const longest = 20_000

/**
 * How much the passage of a text that is on its subject reads like those that went wrong, and the score above which that is a concern.
 * Undefined for a text that is hardly about anything that is reviewed.
 */
export const wordingScore = (
  text: string,
  words: readonly Word[] = splitClauses(text),
): { score: number; threshold: number } | undefined => {
  const passage = topicalPassage(getClassifier('topic'), text, words)
  if (passage.strength < weakest || passage.mass < least) return undefined
  const classifier = getClassifier('wording')
  const { parts, wordCount } = textFeatures(passage.text.slice(0, longest), classifier.buckets)
  const penalty = Math.max(0, shortPassage - wordCount) * shortSlope
  return { score: weigh(classifier, parts), threshold: classifier.threshold + penalty }
}
