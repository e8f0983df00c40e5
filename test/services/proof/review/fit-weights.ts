import type { Features } from '../../../../mcp/services/proof/review/read/features.ts'
import { printWeights, toBucket } from '../../../../mcp/services/proof/review/read/weighing.ts'

/** What a text is weighed by, and whether it is bad. */
export type Sample = { isBad: boolean; features: Features }

const biasShare = 0.3
const [rounds, momentum, step, decay] = [200, 0.9, 4, 0.1] as const

/** The buckets of all texts one after another, with what each counts, and where each text begins. */
const toRows = (samples: readonly Sample[], buckets: number) => {
  const starts = new Int32Array(samples.length + 1)
  samples.forEach(({ features }, nth) => {
    starts[nth + 1] = features.parts.reduce((end, { size }) => end + size, starts[nth] ?? 0)
  })
  const columns = new Int32Array(starts[samples.length] ?? 0)
  const values = new Float64Array(columns.length)
  let at = 0
  for (const { features } of samples)
    for (const part of features.parts)
      for (const hash of part) {
        columns[at] = toBucket(hash, buckets)
        values[at++] = 1 / Math.sqrt(part.size)
      }
  return { starts, columns, values }
}

/** Logistic regression on the features of texts (L2, gradient descent with momentum): the same texts, the same weights, as text. */
export const fitWeights = (samples: readonly Sample[], buckets: number): { bias: number; text: string } => {
  const { starts, columns, values } = toRows(samples, buckets)
  const weights = new Float64Array(buckets + 1)
  const speed = new Float64Array(buckets + 1)
  const gradient = new Float64Array(buckets + 1)
  const count = samples.length
  for (let round = 0; round < rounds; round++) {
    for (let at = 0; at <= buckets; at++) gradient[at] = (decay * (weights[at] as number)) / count
    for (let nth = 0; nth < count; nth++) {
      const [start, end] = [starts[nth] as number, starts[nth + 1] as number]
      let sum = biasShare * (weights[buckets] as number)
      for (let at = start; at < end; at++)
        sum += (weights[columns[at] as number] as number) * (values[at] as number)
      const error = (1 / (1 + Math.exp(-sum)) - (samples[nth]?.isBad ? 1 : 0)) / count
      for (let at = start; at < end; at++) {
        const column = columns[at] as number
        gradient[column] = (gradient[column] as number) + error * (values[at] as number)
      }
      gradient[buckets] = (gradient[buckets] as number) + error * biasShare
    }
    for (let at = 0; at <= buckets; at++) {
      speed[at] = momentum * (speed[at] as number) - step * (gradient[at] as number)
      weights[at] = (weights[at] as number) + (speed[at] as number)
    }
  }
  const bias = Math.round(biasShare * (weights[buckets] as number) * 1000) / 1000
  return { bias, text: printWeights(weights.subarray(0, buckets)) }
}
