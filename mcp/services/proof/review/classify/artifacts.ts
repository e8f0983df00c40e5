import { type FeatureParts, textFeatures } from './features.ts'
import { getClassifier, weigh } from './weights.ts'

/** Artifacts that are weighed by their structure: shell commands, diffs and patches, configuration. */
export type ArtifactKind = 'commands' | 'changes' | 'settings'

const linesAfter = (text: string, mark: '+' | '-'): string =>
  text
    .split('\n')
    .flatMap(line => (line.startsWith(mark) && !line.startsWith(mark.repeat(3)) ? line.slice(1) : []))
    .join('\n')

const [addedSeed, removedSeed] = [0x85ebca6b, 0xc2b2ae35]

const shift = (found: readonly number[], seed: number, buckets: number): number[] =>
  found.map(bucket => (Math.imul(bucket ^ seed, 0x9e3779b1) >>> 7) & (buckets - 1))

const without = (found: readonly number[], others: readonly number[]): number[] => {
  const known = new Set(others)
  return found.filter(bucket => !known.has(bucket))
}

/** Features of a diff: words as they are added or removed, and runs of characters that are on one side only. */
const changeFeatures = (text: string, buckets: number): FeatureParts => {
  const [addedWords, addedGrams] = textFeatures(linesAfter(text, '+'), buckets).parts
  const [removedWords, removedGrams] = textFeatures(linesAfter(text, '-'), buckets).parts
  return [
    [...shift(addedWords, addedSeed, buckets), ...shift(removedWords, removedSeed, buckets)],
    [
      ...shift(without(addedGrams, removedGrams), addedSeed, buckets),
      ...shift(without(removedGrams, addedGrams), removedSeed, buckets),
    ],
  ]
}

/** Features of an artifact of a kind. */
export const artifactFeatures = (kind: ArtifactKind, text: string, buckets: number): FeatureParts =>
  kind === 'changes' ? changeFeatures(text, buckets) : textFeatures(text, buckets).parts

/** How much an artifact reads like those that went wrong, and the score above which that is a concern. */
export const flaggedArtifact = (kind: ArtifactKind, text: string): { score: number; threshold: number } => {
  const classifier = getClassifier(kind)
  return {
    score: weigh(classifier, artifactFeatures(kind, text, classifier.buckets)),
    threshold: classifier.threshold,
  }
}
