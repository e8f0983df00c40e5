import { textFeatures } from './features.ts'
import { getClassifier, weigh } from './weights.ts'

/** Short texts tell little: below this number of words the threshold is higher by so much for each. */
const [shortText, shortSlope] = [35, 0.06]

/** Characters that are weighed at once: a longer text is weighed piece by piece, and the worst piece counts. */
const longest = 20_000

const shortPenalty = (words: number): number => Math.max(0, shortText - words) * shortSlope

const weighPiece = (piece: string): { score: number; threshold: number } => {
  const classifier = getClassifier('wording')
  const { parts, wordCount } = textFeatures(piece, classifier.buckets)
  return { score: weigh(classifier, parts), threshold: classifier.threshold + shortPenalty(wordCount) }
}

/** How much the whole of a text reads like those that went wrong, and the score above which that is a concern. */
export const wordingScore = (text: string): { score: number; threshold: number } => {
  let worst = weighPiece(text.slice(0, longest))
  for (let start = longest; start < text.length; start += longest) {
    const piece = weighPiece(text.slice(start, start + longest))
    if (piece.score - piece.threshold > worst.score - worst.threshold) worst = piece
  }
  return worst
}
