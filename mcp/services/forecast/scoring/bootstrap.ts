import type { Cell } from './cells.ts'
import type { Interval } from './interval.ts'
import { drawBinomial, openRandom } from './random.ts'

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

/**
 * The 95 % interval of the mean Brier score by 1,000 resamples with replacement: each draws as many forecasts as there are, by
 * the counts of their losses (a multinomial, binomial by binomial). The seed is fixed, so that every reader gets the same.
 */
export const brierInterval = (cells: readonly Cell[]): Interval | null => {
  const losses = toLosses(cells)
  const n = losses.reduce((sum, { count }) => sum + count, 0)
  if (n < 2) return null
  const random = openRandom(seed)
  const means = Float64Array.from({ length: replicates }, () => {
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
  }).sort()
  return [means[Math.floor(replicates * 0.025)] ?? 0, means[Math.ceil(replicates * 0.975) - 1] ?? 1]
}
