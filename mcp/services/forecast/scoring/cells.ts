/** A probability and what happened. */
export type Forecast = { probability: number; outcome: 0 | 1 }

/** Forecasts of one probability: how many came true and how many did not. All scores follow from these counts. */
export type Cell = { readonly probability: number; readonly yes: number; readonly no: number }

/** Groups forecasts by probability, in rising order. Throws a RangeError for a probability outside 0 to 1. */
export const toCells = (forecasts: readonly Forecast[]): Cell[] => {
  const yes: number[] = []
  const no: number[] = []
  for (const { probability, outcome } of forecasts) {
    if (!(probability >= 0 && probability <= 1)) throw new RangeError('a probability is between 0 and 1')
    ;(outcome === 1 ? yes : no).push(probability)
  }
  return mergeCells(countRuns(Float64Array.from(yes).sort()), countRuns(Float64Array.from(no).sort()))
}

type Run = readonly [probability: number, count: number]

const countRuns = (sorted: Float64Array): Run[] => {
  const runs: Run[] = []
  let from = 0
  for (let at = 1; at <= sorted.length; at++) {
    const probability = sorted[from] ?? 0
    if (at < sorted.length && sorted[at] === probability) continue
    runs.push([probability, at - from])
    from = at
  }
  return runs
}

const mergeCells = (yes: readonly Run[], no: readonly Run[]): Cell[] => {
  const cells: Cell[] = []
  for (let i = 0, j = 0; i < yes.length || j < no.length; ) {
    const [p = Number.POSITIVE_INFINITY, ups = 0] = yes[i] ?? []
    const [q = Number.POSITIVE_INFINITY, downs = 0] = no[j] ?? []
    const probability = Math.min(p, q)
    cells.push({ probability, yes: p === probability ? ups : 0, no: q === probability ? downs : 0 })
    if (p === probability) i++
    if (q === probability) j++
  }
  return cells
}
