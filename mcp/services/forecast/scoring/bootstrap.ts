import type { Cell } from './cells.ts'
import type { Interval } from './interval.ts'
import { drawBinomial, drawNormal, openRandom } from './random.ts'

type Loss = { loss: number; count: number }

const replicates = 1000
const seed = 20_130_101

/**
 * Beyond so many different losses, near ones are drawn together: what varies within one of 128 steps is some millionths of the
 * variance of a Brier score.
 */
const maxLosses = 128

const toLosses = (cells: readonly Cell[]): Loss[] => {
  const losses = new Map<number, Loss>()
  const add = (loss: number, count: number) => {
    if (count === 0) return
    const before = losses.get(loss)
    if (before) before.count += count
    else losses.set(loss, { loss, count })
  }
  for (const { probability, yes, no } of cells) {
    add((1 - probability) ** 2, yes)
    add(probability ** 2, no)
  }
  const all = [...losses.values()]
  if (all.length <= maxLosses) return all
  const steps = Array.from({ length: maxLosses }, () => ({ sum: 0, count: 0 }))
  for (const { loss, count } of all) {
    const step = steps[Math.min(maxLosses - 1, Math.floor(loss * maxLosses))]
    if (!step) continue
    step.sum += loss * count
    step.count += count
  }
  return steps.flatMap(({ sum, count }) => (count === 0 ? [] : [{ loss: sum / count, count }]))
}

/** From so many forecasts on, the mean of a resample follows the normal law but for some thousandths of its width. */
const manyForecasts = 10_000

/** Means of resamples of so many forecasts that each is drawn from the law that it follows. */
const drawMeans = (cells: readonly Cell[], n: number): Float64Array => {
  let [sum, squares] = [0, 0]
  for (const { probability, yes, no } of cells) {
    const [one, other] = [(1 - probability) ** 2, probability ** 2]
    sum += yes * one + no * other
    squares += yes * one * one + no * other * other
  }
  const mean = sum / n
  const deviation = Math.sqrt(Math.max(0, squares / n - mean * mean) / n)
  const random = openRandom(seed)
  return Float64Array.from({ length: replicates }, () => mean + deviation * drawNormal(random))
}

const resampleMeans = (cells: readonly Cell[], n: number): Float64Array => {
  const losses = toLosses(cells)
  const random = openRandom(seed)
  return Float64Array.from({ length: replicates }, () => {
    let draws = n
    let counts = n
    let sum = 0
    for (const { loss, count } of losses) {
      const drawn = counts === count ? draws : drawBinomial(random, draws, count / counts)
      sum += drawn * loss
      draws -= drawn
      counts -= count
      if (draws === 0) break
    }
    return sum / n
  })
}

/**
 * The 95 % interval of the mean Brier score by 1,000 resamples with replacement: each draws as many forecasts as there are, by
 * the counts of their losses (a multinomial, binomial by binomial; from 10,000 on by its normal law). The seed is fixed, so that every
 * reader gets the same.
 */
export const brierInterval = (cells: readonly Cell[]): Interval | null => {
  let n = 0
  for (const { yes, no } of cells) n += yes + no
  if (n < 2) return null
  const means = (n < manyForecasts ? resampleMeans : drawMeans)(cells, n).sort()
  return [means[Math.floor(replicates * 0.025)] ?? 0, means[Math.ceil(replicates * 0.975) - 1] ?? 1]
}
