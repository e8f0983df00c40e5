import type { Features } from './features.ts'

/** A weight in sixteenths for each bucket of hashes, whose number is a power of two, and what is added whatever the text. */
export type Weights = { bias: number; weights: Int8Array }

const steps = 16

/** The bucket of a hash. */
export const toBucket = (hash: number, buckets: number): number => (hash ^ (hash >>> 16)) & (buckets - 1)

/** Weights as they are written down: the bias, then a byte for each bucket in base64. */
export const parseWeights = (bias: number, text: string): Weights => ({
  bias,
  weights: new Int8Array(Buffer.from(text, 'base64')),
})

/** Weights in whole sixteenths, as text in lines. */
export const printWeights = (weights: Float64Array): string => {
  const bytes = Int8Array.from(weights, weight => Math.max(-127, Math.min(127, Math.round(weight * steps))))
  const text = Buffer.from(bytes.buffer).toString('base64')
  return (text.match(/.{1,120}/g) ?? []).join('\n')
}

/** How much a text is like those that went wrong: above 0 it is more like them than like the harmless ones. */
export const weigh = ({ bias, weights }: Weights, { parts }: Features): number => {
  let score = bias
  for (const part of parts) {
    let sum = 0
    for (const hash of part) sum += weights[toBucket(hash, weights.length)] ?? 0
    score += sum / steps / Math.sqrt(part.size || 1)
  }
  return score
}
