import { textFeatures } from './features.ts'
import { getClassifier, weigh } from './weights.ts'

/** Short texts tell little, and long ones blend: between these numbers of words the threshold is that of the classifier. */
const [shortText, longText] = [35, 200]
const [shortSlope, longSlope] = [0.06, 0.25]

/** Characters that are weighed at once: a longer text is weighed piece by piece, and the worst piece counts. */
const longest = 20_000

const lengthPenalty = (words: number): number =>
  Math.max(0, shortText - words) * shortSlope + Math.max(0, Math.log2(words / longText)) * longSlope

const weighPiece = (piece: string): { score: number; threshold: number } => {
  const classifier = getClassifier('wording')
  const { parts, wordCount } = textFeatures(piece, classifier.buckets)
  return { score: weigh(classifier, parts), threshold: classifier.threshold + lengthPenalty(wordCount) }
}

/** How much the whole of a text reads like those that went wrong, and the score above which that is a concern at its length. */
export const wordingScore = (text: string): { score: number; threshold: number } => {
  let worst = weighPiece(text.slice(0, longest))
  for (let start = longest; start < text.length; start += longest) {
    const piece = weighPiece(text.slice(start, start + longest))
    if (piece.score - piece.threshold > worst.score - worst.threshold) worst = piece
  }
  return worst
}
