import { z80 } from '../../../lib/distributions.ts'
import { expit, logit } from '../../../lib/log-odds.ts'
import { normalCdf } from '../../../lib/normal.ts'

export const seasonDays = 365.25

/** Solves a small system of normal equations by elimination with pivots. */
const solve = (matrix: readonly (readonly number[])[], right: readonly number[]): number[] => {
  const rows = matrix.map((row, n) => [...row, right[n] ?? 0])
  const cell = (row: number, column: number): number => rows[row]?.[column] ?? 0
  for (let column = 0; column < rows.length; column++) {
    let pivot = column
    for (let row = column + 1; row < rows.length; row++)
      if (Math.abs(cell(row, column)) > Math.abs(cell(pivot, column))) pivot = row
    const [here, there] = [rows[column] ?? [], rows[pivot] ?? []]
    rows[column] = there
    rows[pivot] = here
    for (let row = 0; row < rows.length; row++) {
      if (row === column) continue
      const factor = cell(row, column) / cell(column, column)
      rows[row] = (rows[row] ?? []).map((value, at) => value - factor * cell(column, at))
    }
  }
  return rows.map((_, n) => cell(n, rows.length) / cell(n, n))
}

/** A constant and the harmonics of a year at a day: one below two years of data, two from there on. */
const terms = (day: number, harmonics: number): number[] => [
  1,
  ...Array.from({ length: harmonics }, (_, n) => {
    const angle = (2 * Math.PI * (n + 1) * day) / seasonDays
    return [Math.cos(angle), Math.sin(angle)]
  }).flat(),
]

const sumOf = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0)

/**
 * The chance that a series with a yearly season stands higher than now after so many days: harmonics by least squares, and what is
 * left over fades as it did from point to point. The log-odds are shrunk by what they were worth on later rounds.
 */
export const chanceOfSeasonalRise = (
  series: readonly number[],
  stepDays: number,
  days: number,
  shrink: number,
) => {
  const harmonics = series.length * stepDays >= 2 * seasonDays && series.length >= 16 ? 2 : 1
  const toDay = (n: number): number => (n - series.length + 1) * stepDays
  const rows = series.map((_, n) => terms(toDay(n), harmonics))
  const width = 2 * harmonics + 1
  const range = Array.from({ length: width }, (_, n) => n)
  const weights = solve(
    range.map(i => range.map(j => sumOf(rows.map(row => (row[i] ?? 0) * (row[j] ?? 0))))),
    range.map(i => sumOf(rows.map((row, n) => (row[i] ?? 0) * (series[n] ?? 0)))),
  )
  const expected = (day: number): number =>
    sumOf(terms(day, harmonics).map((term, n) => term * (weights[n] ?? 0)))
  const left = series.map((value, n) => value - expected(toDay(n)))
  const variance = sumOf(left.map(value => value ** 2)) / Math.max(1, series.length - width)
  const lagged = sumOf(left.slice(1).map((value, n) => value * (left[n] ?? 0)))
  const memory = Math.min(0.99, Math.max(0, lagged / Math.max(1e-300, sumOf(left.map(value => value ** 2)))))
  const kept = memory ** (days / stepDays)
  const middle = expected(days) + kept * (left.at(-1) ?? 0)
  const spread = Math.max(1e-9, Math.sqrt(variance * (1 - kept ** 2) * (1 + width / series.length)))
  const z = (middle - (series.at(-1) ?? 0)) / spread
  const bounded = Math.min(1 - 1e-9, Math.max(1e-9, normalCdf(z)))
  return {
    chance: expit(shrink * logit(bounded)),
    middle,
    memory,
    interval: [middle - z80 * spread, middle + z80 * spread] as [number, number],
  }
}
