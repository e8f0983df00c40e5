import { ToolError } from '../../../kernel/error.ts'
import { parseRecord } from '../../../lib/json.ts'
import { toIsoUtc } from '../../../lib/time.ts'
import { estimate } from '../consult/estimate.ts'
import { type Question, readQuestion } from '../consult/question.ts'
import { toPublicScore } from '../record/calibration.ts'
import { round4 } from '../record/canonical.ts'
import { type Forecast, toCells } from '../scoring/cells.ts'
import { score } from '../scoring/score.ts'

/** A question whose outcome is known, as it stood when it could have been asked. */
export type ResolvedQuestion = {
  question: string
  /** When it is asked: nothing that became known later may be in the row. */
  asked_at: string
  closes_at: string
  outcome: 0 | 1
  /** Price of a market at that time. */
  market_price?: number
}

/** Where the questions of a backtest are from. */
export type Origin = { source: string; licence: string }

const isShare = (value: unknown): value is number =>
  typeof value === 'number' && Number.isFinite(value) && value >= 0 && value <= 1

/** Reads questions, one JSON object a line. Throws `invalid_input` that names the line and the field. */
export const readQuestions = (text: string): ResolvedQuestion[] =>
  text.split('\n').flatMap((line, index) => {
    if (line.trim() === '') return []
    const refuse = (field: string, message: string) =>
      new ToolError('invalid_input', `Line ${index + 1}: ${field} ${message}.`)
    const row = parseRecord(line)
    if (!row) throw refuse('it', 'must be a JSON object')
    const { question, outcome, market_price } = row
    const [asked_at, closes_at] = [row.asked_at, row.closes_at].map(value =>
      typeof value === 'string' ? toIsoUtc(value) : null,
    )
    if (typeof question !== 'string' || question === '') throw refuse('question', 'must be a text')
    if (!asked_at) throw refuse('asked_at', 'must be a time in ISO 8601')
    if (!closes_at) throw refuse('closes_at', 'must be a time in ISO 8601')
    if (outcome !== 0 && outcome !== 1) throw refuse('outcome', 'must be 0 or 1')
    if (market_price !== undefined && !isShare(market_price))
      throw refuse('market_price', 'must be between 0 and 1')
    return [{ question, asked_at, closes_at, outcome, ...(isShare(market_price) && { market_price }) }]
  })

type Case = { question: Question; outcome: 0 | 1; market: number | undefined }

/** A price as callers may give it: inside of 0 and 1. */
const inside = (price: number): number => Math.min(0.999, Math.max(0.001, price))

const toCase = ({ question, asked_at, closes_at, outcome, market_price }: ResolvedQuestion): Case[] => {
  try {
    const readable = readQuestion({ question, closes_at }, new Date(asked_at))
    return [{ question: readable, outcome, market: market_price }]
  } catch (error) {
    if (error instanceof ToolError) return []
    throw error
  }
}

const keyless = ({ question, market }: Case, isTold: boolean): number =>
  estimate(question, isTold && market !== undefined ? { market_price: inside(market) } : {}, {
    domain: 'backtest',
  }).probability

type Row = { name: string; note: string; forecasts: Forecast[] }

const toRow = ({ name, note, forecasts }: Row) => {
  const { status: _, ...scores } = toPublicScore(score(toCells(forecasts)))
  return { name, note, ...scores }
}

/**
 * What forecasts without a model would have scored on questions whose outcome is known, beside a coin, the base rate of the set (which
 * nobody knew before) and the market. Rows that need a price are over the questions that have one.
 */
export const runBacktest = (questions: readonly ResolvedQuestion[], { source, licence }: Origin) => {
  const cases = questions.flatMap(toCase)
  const priced = cases.filter(({ market }) => market !== undefined)
  const rate = cases.reduce((sum, { outcome }) => sum + outcome, 0) / Math.max(1, cases.length)
  const by = (rows: readonly Case[], forecast: (row: Case) => number): Forecast[] =>
    rows.map(row => ({ probability: forecast(row), outcome: row.outcome }))
  const rows: Row[] = [
    {
      name: 'keyless',
      note: 'class and time left alone',
      forecasts: by(cases, row => keyless(row, false)),
    },
    {
      name: 'keyless_with_market',
      note: 'with the price of the market',
      forecasts: by(priced, row => keyless(row, true)),
    },
    {
      name: 'market',
      note: 'the price itself',
      forecasts: by(priced, ({ market = 0.5 }) => market),
    },
    { name: 'base_rate', note: 'always the rate of this set', forecasts: by(cases, () => rate) },
    { name: 'coin', note: 'always one half', forecasts: by(cases, () => 0.5) },
  ]
  return {
    label: 'backtest' as const,
    note: 'Reckoned after the outcomes were known; no prediction of the record.',
    source,
    licence,
    questions: cases.length,
    refused: questions.length - cases.length,
    from: cases.length === 0 ? null : (questions.map(({ asked_at }) => asked_at).sort()[0] ?? null),
    to:
      cases.length === 0
        ? null
        : (questions
            .map(({ closes_at }) => closes_at)
            .sort()
            .at(-1) ?? null),
    base_rate: round4(rate),
    rows: rows.flatMap(row => (row.forecasts.length === 0 ? [] : [toRow(row)])),
  }
}

export type Backtest = ReturnType<typeof runBacktest>
