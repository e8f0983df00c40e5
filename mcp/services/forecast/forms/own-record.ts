import { ToolError } from '../../../kernel/error.ts'
import { answerForm, minSeries } from './answer.ts'
import { chooseScale } from './laws.ts'
import type { CompleteForm } from './schema.ts'

/** Score that a form would have had within the series itself: each window answered from what lay before it. */
export type OwnRecord = {
  /** Windows, as long as the horizon, that do not overlap. */
  n: number
  brier: number
  /** Of the best constant of the same windows, which nobody knew. */
  constant: number
  /** Share of the windows whose end lay in its 80 % interval. */
  coverage80: number
}

const minWindows = 10
const maxWindows = 60

const mean = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / values.length

type SeriesForm = Extract<CompleteForm, { kind: 'change' | 'level' }> & { series: number[] }

/** The form as it would have been asked with a beginning of its series: a threshold stays as far away as it is now. */
const askThen = (form: SeriesForm, past: number[]): SeriesForm => {
  if (form.kind === 'change') return { ...form, series: past }
  const { to, from } = chooseScale([...form.series, form.threshold])
  const [now = 0, then = 0] = [form.series.at(-1), past.at(-1)]
  return { ...form, series: past, threshold: from(to(then) + to(form.threshold) - to(now)) }
}

const compare = { '>': (a: number, b: number) => a > b, '<': (a: number, b: number) => a < b } as const

/** True when it came true in the values that followed. */
const cameTrue = (form: SeriesForm, window: readonly number[]): boolean => {
  const end = window.at(-1) ?? 0
  const holds = compare[form.is === '>' || form.is === '>=' ? '>' : '<']
  if (form.kind === 'change') return holds(end, form.series.at(-1) ?? 0)
  const isMet = (value: number) =>
    holds(value, form.threshold) || (form.is.endsWith('=') && value === form.threshold)
  return form.when === 'at' ? isMet(end) : window.some(isMet)
}

/** Answers a form on windows of its own series, each from what lay before. Null where there are fewer than ten. */
export const measureOnSeries = (form: CompleteForm, days: number): OwnRecord | null => {
  if ((form.kind !== 'change' && form.kind !== 'level') || form.series === undefined) return null
  const { series } = form
  const steps = Math.max(1, Math.round(days / form.step_days))
  const windows: { probability: number; outcome: 0 | 1; covers: boolean }[] = []
  for (let at = series.length - steps; at >= 2 * minSeries && windows.length < maxWindows; at -= steps) {
    const then = askThen({ ...form, series }, series.slice(0, at))
    const window = series.slice(at, at + steps)
    try {
      const { probability, valueInterval } = answerForm(then, steps * form.step_days)
      const [low, high] = valueInterval ?? [1, 0]
      const end = window.at(-1) ?? Number.NaN
      windows.push({
        probability,
        outcome: cameTrue(then, window) ? 1 : 0,
        covers: end >= low && end <= high,
      })
    } catch (error) {
      // A window on which the form had nothing to say.
      if (!(error instanceof ToolError)) throw error
    }
  }
  if (windows.length < minWindows) return null
  const rate = mean(windows.map(({ outcome }) => outcome))
  return {
    n: windows.length,
    brier: mean(windows.map(({ probability, outcome }) => (probability - outcome) ** 2)),
    constant: rate * (1 - rate),
    coverage80: mean(windows.map(({ covers }) => Number(covers))),
  }
}
