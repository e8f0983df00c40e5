import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type { FeatureParts } from './features.ts'

/** Subject of a classifier. */
export type ClassifierSubject = 'topic' | 'sentences' | 'wording' | 'commands' | 'changes' | 'settings'

/** A linear classifier: a byte for each bucket, what a step of a byte is worth, what is added always, and where a concern begins. */
export type Classifier = {
  weights: ArrayLike<number>
  buckets: number
  scale: number
  bias: number
  threshold: number
}

/** Head of the asset: the figures of each classifier in the order of its bytes, and the SHA-256 of all the bytes. */
export type Head = {
  sha256: string
  classifiers: readonly ({ subject: ClassifierSubject } & Omit<Classifier, 'weights'>)[]
}

/** The classifiers of an asset: the length of its head (32 bits, little-endian), the head as JSON, the bytes of the weights. */
export const parseClassifiers = (asset: Buffer): ReadonlyMap<ClassifierSubject, Classifier> => {
  const start = 4 + asset.readUInt32LE(0)
  const { sha256, classifiers } = JSON.parse(asset.toString('utf8', 4, start)) as Head
  const bytes = asset.subarray(start)
  if (createHash('sha256').update(bytes).digest('hex') !== sha256)
    throw new Error('weights.bin is damaged: its bytes do not have the SHA-256 that its head names.')
  let at = 0
  return new Map(
    classifiers.map(({ subject, ...figures }) => {
      const weights = new Int8Array(bytes.subarray(at, at + figures.buckets))
      at += figures.buckets
      return [subject, { ...figures, weights }]
    }),
  )
}

let classifiers: ReadonlyMap<ClassifierSubject, Classifier> | undefined

/** The classifier of a subject, read from the asset when the first one is asked for. */
export const getClassifier = (subject: ClassifierSubject): Classifier => {
  classifiers ??= parseClassifiers(readFileSync(new URL('./weights.bin', import.meta.url)))
  const classifier = classifiers.get(subject)
  if (!classifier) throw new Error(`weights.bin has no classifier for ${subject}.`)
  return classifier
}

/** Sum of the weights of these buckets, in steps. */
const sumWeights = ({ weights }: Classifier, found: readonly number[]): number => {
  let sum = 0
  for (const bucket of found) sum += weights[bucket] ?? 0
  return sum
}

/** How much a text is like those that went wrong. */
export const weigh = (classifier: Classifier, parts: FeatureParts): number =>
  parts.reduce(
    (score, part) => score + (sumWeights(classifier, part) * classifier.scale) / Math.sqrt(part.length || 1),
    classifier.bias,
  )
