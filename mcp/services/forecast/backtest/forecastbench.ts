import { asList, asRecord, isRecord } from '../../../lib/json.ts'
import { toIsoUtc } from '../../../lib/time.ts'
import { type ResolvedQuestion, toPriceForm } from './backtest.ts'

/** Sources whose questions have a price; the others are series of data. */
const markets: ReadonlySet<string> = new Set(['infer', 'manifold', 'metaculus', 'polymarket'])

/** Outcome of each question that is resolved to yes or no. */
const readOutcomes = (set: unknown): Map<string, 0 | 1> => {
  const outcomes = new Map<string, 0 | 1>()
  for (const value of asList(asRecord(set).resolutions)) {
    const { id, source, resolved, resolved_to } = asRecord(value)
    if (typeof id !== 'string' || resolved !== true || !markets.has(String(source))) continue
    if (resolved_to === 0 || resolved_to === 1) outcomes.set(`${source}/${id}`, resolved_to)
  }
  return outcomes
}

/**
 * Market questions of a question set of ForecastBench with the outcomes of its resolution set. Only those that have closed by `until`:
 * of the others only what came true early is known, and a score over that says nothing.
 */
export const readForecastBench = (
  questionSet: unknown,
  resolutionSet: unknown,
  until: Date,
): ResolvedQuestion[] => {
  const outcomes = readOutcomes(resolutionSet)
  const due = toIsoUtc(String(asRecord(questionSet).forecast_due_date ?? ''))
  return asList(asRecord(questionSet).questions).flatMap(value => {
    const { id, source, question, freeze_datetime_value, market_info_close_datetime } = asRecord(value)
    const outcome = outcomes.get(`${source}/${id}`)
    const closes_at = toIsoUtc(String(market_info_close_datetime ?? ''))
    if (outcome === undefined || !due || !closes_at || typeof question !== 'string') return []
    if (closes_at > until.toISOString() || closes_at <= due) return []
    const price = Number(freeze_datetime_value)
    const isPriced = typeof freeze_datetime_value === 'string' && price >= 0 && price <= 1
    return [{ question, asked_at: due, closes_at, outcome, ...(isPriced && { form: toPriceForm(price) }) }]
  })
}

/** True when a file is a question set of ForecastBench. */
export const isForecastBench = (value: unknown): boolean => isRecord(value) && Array.isArray(value.questions)
