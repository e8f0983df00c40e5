import type { Cell } from '../scoring/cells.ts'
import { type Score, score } from '../scoring/score.ts'

/**
 * Forecasts counted by probability, in rising order. A probability has four decimals, so that there are at most ten thousand and one
 * cells, however many forecasts; scores are reckoned when they are asked for, and kept until something changes.
 */
export const openCounts = () => {
  const cells: Cell[] = []
  let scored: { result: Score | null } | undefined

  /** Place of a probability, or where it would have to be. */
  const findPlace = (probability: number): number => {
    let [low, high] = [0, cells.length]
    while (low < high) {
      const middle = (low + high) >> 1
      if ((cells[middle]?.probability ?? 1) < probability) low = middle + 1
      else high = middle
    }
    return low
  }

  return {
    add(probability: number, outcome: 0 | 1, by: 1 | -1): void {
      const at = findPlace(probability)
      const there = cells[at]
      const isThere = there?.probability === probability
      const { yes, no } = isThere ? there : { yes: 0, no: 0 }
      const cell = { probability, yes: yes + (outcome === 1 ? by : 0), no: no + (outcome === 0 ? by : 0) }
      const next = cell.yes === 0 && cell.no === 0 ? [] : [cell]
      if (isThere && next.length === 1) cells[at] = cell
      else cells.splice(at, isThere ? 1 : 0, ...next)
      scored = undefined
    },
    isEmpty: () => cells.length === 0,
    cells: (): readonly Cell[] => cells,
    score(): Score | null {
      scored ??= { result: score(cells) }
      return scored.result
    },
  }
}

export type Counts = ReturnType<typeof openCounts>
