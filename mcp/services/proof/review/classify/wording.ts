import { textFeatures } from './features.ts'
import { splitClauses, type Word } from './sentences.ts'
import { topicalPart } from './topic.ts'
import { getClassifier, weigh } from './weights.ts'

/** Short texts tell little: below this number of words the threshold is higher by so much for each. */
const [shortText, shortSlope] = [35, 0.06]

/** Characters that are weighed at once: a longer text is weighed piece by piece, and the worst piece counts. */
const longest = 20_000

/** Below this strength a text is hardly of a kind that anything was learned from: its wording tells nothing. */
const weakest = 0.2

const shortPenalty = (words: number): number => Math.max(0, shortText - words) * shortSlope

const weighPiece = (piece: string): { score: number; threshold: number } => {
  const classifier = getClassifier('wording')
  const { parts, wordCount } = textFeatures(piece, classifier.buckets)
  return { score: weigh(classifier, parts), threshold: classifier.threshold + shortPenalty(wordCount) }
}

/**
 * How much the whole of what a text says on its subject reads like those that went wrong, and the score above which that is a concern.
 * Undefined for a text that is hardly about anything that is reviewed.
 */
export const wordingScore = (
  text: string,
  words: readonly Word[] = splitClauses(text),
): { score: number; threshold: number } | undefined => {
  const { part, strength } = topicalPart(getClassifier('topic'), text, words)
  if (strength < weakest) return undefined
  let worst = weighPiece(part.slice(0, longest))
  for (let start = longest; start < part.length; start += longest) {
    const piece = weighPiece(part.slice(start, start + longest))
    if (piece.score - piece.threshold > worst.score - worst.threshold) worst = piece
  }
  return worst
}
