import { readFile } from 'node:fs/promises'
import { ToolError } from '../../kernel/error.ts'
import { port } from '../../kernel/port.ts'
import { asList, asRecord, isRecord, parseRecord } from '../../lib/json.ts'
import { clip } from '../../lib/log-odds.ts'
import { toIsoUtc } from '../../lib/time.ts'
import { forecastSettings } from './config.ts'
import { answerForm } from './forms/answer.ts'
import { type Fitted, type FittedName, type SkillName, fitted as shipped } from './forms/fitted.ts'
import { type CompleteForm, FormInput, type FormKind } from './forms/schema.ts'
import { toPublicScore } from './record/calibration.ts'
import { round4 } from './record/canonical.ts'
import { type Forecast, score, toCells } from './scoring.ts'

/** A question whose outcome is known, as it stood when it could have been asked. */
export type ResolvedQuestion = {
  question: string
  /** When it is asked: nothing that became known later may be in the row. */
  asked_at: string
  closes_at: string
  outcome: 0 | 1
  /** Its form with the numbers of that time; a question without one is refused. */
  form?: CompleteForm
  /** Value at the close, for the coverage of intervals. */
  value?: number
}

/** Source of the questions of a backtest. */
export type BacktestOrigin = { source: string; licence: string }

const isShare = (value: unknown): value is number =>
  typeof value === 'number' && Number.isFinite(value) && value >= 0 && value <= 1

/** A price as callers may give it: inside of 0 and 1. */
const toPriceForm = (price: number): CompleteForm => ({
  kind: 'price',
  market_price: Math.min(0.999, Math.max(0.001, price)),
})

const isComplete = ({
  threshold,
  is,
  when,
}: {
  threshold?: unknown
  is?: unknown
  when?: unknown
}): boolean => threshold !== undefined && is !== undefined && when !== undefined

/** Reads questions, one JSON object a line. Throws `invalid_input` that names the line and the field. */
export const parseQuestions = (text: string): ResolvedQuestion[] =>
  text.split('\n').flatMap((line, index) => {
    if (line.trim() === '') return []
    const refuse = (field: string, message: string) =>
      new ToolError('invalid_input', `Line ${index + 1}: ${field} ${message}.`)
    const row = parseRecord(line)
    if (!row) throw refuse('it', 'must be a JSON object')
    const { question, outcome, market_price, value } = row
    const [asked_at, closes_at] = [row.asked_at, row.closes_at].map(value =>
      typeof value === 'string' ? toIsoUtc(value) : null,
    )
    if (typeof question !== 'string' || question === '') throw refuse('question', 'must be a text')
    if (!asked_at) throw refuse('asked_at', 'must be a time in ISO 8601')
    if (!closes_at) throw refuse('closes_at', 'must be a time in ISO 8601')
    if (outcome !== 0 && outcome !== 1) throw refuse('outcome', 'must be 0 or 1')
    if (market_price !== undefined && !isShare(market_price))
      throw refuse('market_price', 'must be between 0 and 1')
    const stated = row.form ?? (isShare(market_price) ? toPriceForm(market_price) : undefined)
    const form = stated === undefined ? undefined : FormInput.safeParse(stated)
    if (form && !form.success)
      throw refuse(
        ['form', ...(form.error.issues[0]?.path ?? [])].join('.'),
        form.error.issues[0]?.message ?? '',
      )
    if (form?.data.kind === 'level' && !isComplete(form.data))
      throw refuse('form', 'must name threshold, is and when')
    return [
      {
        question,
        asked_at,
        closes_at,
        outcome,
        ...(form && { form: form.data as CompleteForm }),
        ...(typeof value === 'number' && { value }),
      },
    ]
  })

/** A question with its form, in the order in which they were asked. */
type Case = ResolvedQuestion & { days: number; form: CompleteForm }

const toCase = (row: ResolvedQuestion): Case[] => {
  const days = (Date.parse(row.closes_at) - Date.parse(row.asked_at)) / 86_400_000
  return row.form && days > 0 ? [{ ...row, days, form: row.form }] : []
}

type Answered = Case & { probability: number; covers: boolean | null }

/** The answer of a form; none where it has nothing to say. */
const answerCase = (row: Case, fitted: Fitted): Answered[] => {
  try {
    const { probability, valueInterval } = answerForm(row.form, row.days, fitted)
    const covers =
      row.value === undefined || !valueInterval
        ? null
        : row.value >= valueInterval[0] && row.value <= valueInterval[1]
    return [{ ...row, probability: clip(probability), covers }]
  } catch (error) {
    if (error instanceof ToolError) return []
    throw error
  }
}

const mean = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length)

/** The rate of what had closed when a question was asked; one half before anything had. */
const earlierRate = (rows: readonly Case[], { asked_at }: Case): number => {
  const past = rows.filter(({ closes_at }) => closes_at <= asked_at)
  return (past.filter(({ outcome }) => outcome === 1).length + 0.5) / (past.length + 1)
}

type Row = { name: string; note: string; forecasts: Forecast[]; covered?: (boolean | null)[] }

const toRow = ({ name, note, forecasts, covered = [] }: Row) => {
  const { status: _, ...scores } = toPublicScore(score(toCells(forecasts)))
  const known = covered.filter(covers => covers !== null)
  return {
    name,
    note,
    ...scores,
    interval80_coverage: known.length === 0 ? null : round4(mean(known.map(Number))),
  }
}

const toForecasts = <row extends Case>(rows: readonly row[], forecast: (row: row) => number): Forecast[] =>
  rows.map(row => ({ probability: forecast(row), outcome: row.outcome }))

/** A form beside what it has to beat: the best constant, which nobody knew, and the rate so far. */
const toFormRows = (kind: FormKind, rows: readonly Answered[]): Row[] => {
  const hindsight = mean(rows.map(({ outcome }) => outcome))
  return [
    {
      name: `form:${kind}`,
      note: 'as this program computes it',
      forecasts: toForecasts(rows, ({ probability }) => probability),
      covered: rows.map(({ covers }) => covers),
    },
    {
      name: `hindsight:${kind}`,
      note: 'always the rate of these questions',
      forecasts: toForecasts(rows, () => hindsight),
    },
    {
      name: `earlier:${kind}`,
      note: 'the rate of those that had closed by then',
      forecasts: toForecasts(rows, row => earlierRate(rows, row)),
    },
  ]
}

/**
 * What forms would have scored on questions whose outcome is known, each beside the best constant and the rate so far. Questions
 * without a form, and those that a form has nothing to say on, are refused, as the service refuses them.
 */
export const runBacktest = (
  questions: readonly ResolvedQuestion[],
  { source, licence }: BacktestOrigin,
  fitted: Fitted = shipped,
) => {
  const rows = questions.flatMap(toCase).flatMap(row => answerCase(row, fitted))
  const kinds = [...new Set(rows.map(({ form }) => form.kind))].sort()
  const scored: Row[] = [
    {
      name: 'answered',
      note: 'all that a form answers',
      forecasts: toForecasts(rows, ({ probability }) => probability),
    },
    { name: 'coin', note: 'always one half', forecasts: toForecasts(rows, () => 0.5) },
    ...kinds.flatMap(kind =>
      toFormRows(
        kind,
        rows.filter(({ form }) => form.kind === kind),
      ),
    ),
  ]
  const times = (field: 'asked_at' | 'closes_at') => rows.map(row => row[field]).sort()
  return {
    label: 'backtest' as const,
    note: 'Computed after the outcomes were known; no prediction of the record.',
    source,
    licence,
    questions: rows.length,
    refused: questions.length - rows.length,
    from: times('asked_at')[0] ?? null,
    to: times('closes_at').at(-1) ?? null,
    base_rate: round4(mean(rows.map(({ outcome }) => outcome))),
    rows: scored.flatMap(row => (row.forecasts.length === 0 ? [] : [toRow(row)])),
  }
}

export type Backtest = ReturnType<typeof runBacktest>

/** Values that each fitted number is tried with. */
const grids: Readonly<
  Record<Exclude<FittedName, 'min_lead'>, { kind: FormKind; values: readonly number[] }>
> = {
  season_shrink: { kind: 'change', values: [0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1] },
  drift_sd: { kind: 'change', values: [0.05, 0.1, 0.15, 0.22, 0.3, 0.4, 0.6] },
  level_scale: { kind: 'level', values: [0.7, 0.8, 0.85, 0.9, 0.95, 1, 1.1, 1.2, 1.4] },
}

const brierOf = (rows: readonly Answered[]): number =>
  mean(rows.map(({ probability, outcome }) => (probability - outcome) ** 2))

const withParameter = (fitted: Fitted, name: FittedName, value: number, n: number): Fitted => ({
  ...fitted,
  parameters: { ...fitted.parameters, [name]: { ...fitted.parameters[name], value, n } },
})

const skillFor = ({ form }: Case): SkillName => {
  if (form.kind === 'change') return form.seasonal ? 'season' : 'change'
  if (form.kind === 'level') return form.when === 'at' ? 'level_at' : 'level_until'
  return form.kind === 'event' || form.kind === 'state' ? 'rate' : form.kind
}

/**
 * Fits the numbers of the forms on the questions that were asked in the earlier half of the time, and measures their skill on the
 * later half: what `forms/fitted.json` holds. A number of which there are fewer than 100 questions stays as it was.
 */
export const fitForms = (questions: readonly ResolvedQuestion[], source: string): Fitted => {
  const cases = questions.flatMap(toCase).sort((one, other) => (one.asked_at < other.asked_at ? -1 : 1))
  const boundary = cases[Math.floor(cases.length / 2)]?.asked_at ?? ''
  // What had not closed by then was not known.
  const earlier = cases.filter(({ closes_at }) => closes_at <= boundary)
  const later = cases.filter(({ asked_at }) => asked_at >= boundary)
  let result: Fitted = { ...shipped, source }
  for (const [name, { kind, values }] of Object.entries(grids) as [
    keyof typeof grids,
    (typeof grids)['drift_sd'],
  ][]) {
    const rows = earlier.filter(
      ({ form }) =>
        form.kind === kind && (form.kind !== 'change' || form.seasonal === (name === 'season_shrink')),
    )
    if (rows.length < 100) continue
    // Without a lead to keep, each value is scored on the same questions.
    const free = withParameter(result, 'min_lead', 0, rows.length)
    const scores = values.map(value => ({
      value,
      brier: brierOf(rows.flatMap(row => answerCase(row, withParameter(free, name, value, rows.length)))),
    }))
    const best = scores.reduce((one, other) => (other.brier < one.brier ? other : one))
    result = withParameter(result, name, best.value, rows.length)
  }
  const answered = later.flatMap(row => answerCase(row, result))
  const skill = { ...result.skill }
  for (const name of new Set(answered.map(skillFor))) {
    const rows = answered.filter(row => skillFor(row) === name)
    const rate = mean(rows.map(({ outcome }) => outcome))
    if (rows.length >= 100)
      skill[name] = {
        ...skill[name],
        n: rows.length,
        brier: round4(brierOf(rows)),
        constant: round4(rate * (1 - rate)),
      }
  }
  return { ...result, skill }
}

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

const maxReports = 20

const isBacktest = (value: unknown): value is Backtest =>
  isRecord(value) &&
  value.label === 'backtest' &&
  typeof value.source === 'string' &&
  typeof value.licence === 'string' &&
  Array.isArray(value.rows)

/** Reports as `octagent backtest --json` prints them, one or a list. Throws an Error that names the file. */
export const readReports = (file: string, text: string): Backtest[] => {
  const parse = (): unknown => {
    try {
      return JSON.parse(text)
    } catch {
      return undefined
    }
  }
  const value = parse()
  const reports = Array.isArray(value) ? value : [value]
  if (reports.length > maxReports || !reports.every(isBacktest))
    throw new Error(
      `FORECAST_BACKTESTS: ${file} must hold what octagent backtest --json prints, up to ${maxReports} of it`,
    )
  return reports
}

/** Backtests that the operator publishes beside the record, never within it. Off until a file is set. */
export const backtests = port({ name: 'backtests', needs: [forecastSettings.backtestsFile] }).open(
  async ({ backtestsFile: file }) => ({ list: readReports(file, await readFile(file, 'utf8')) }),
)
