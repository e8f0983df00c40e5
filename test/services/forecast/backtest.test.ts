import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { backtestCommand } from '../../../cli/backtest.ts'
import {
  backtests,
  fitForms,
  parseQuestions,
  readForecastBench,
  readReports,
  runBacktest,
} from '../../../mcp/services/forecast/backtest.ts'
import { fitted as shipped } from '../../../mcp/services/forecast/forms/fitted.ts'
import { drawNormal, openRandom } from '../../../mcp/services/forecast/scoring.ts'
import forecast from '../../../mcp/services/forecast/service.ts'
import { openTestApp } from '../../../testing.ts'
import { startForecast } from './run.ts'

const dir = mkdtempSync(join(tmpdir(), 'octagent-backtest-'))
afterAll(() => rmSync(dir, { recursive: true, force: true }))

const line = (more: object = {}) =>
  JSON.stringify({
    question: 'Will the bridge at Exampleton be open on 1 March 2025?',
    asked_at: '2025-01-01',
    closes_at: '2025-03-01',
    outcome: 0,
    ...more,
  })
const origin = { source: 'Example questions', licence: 'CC0' }

describe('a backtest', () => {
  test('is labelled, refuses what has no form, and stands beside a coin and what each form has to beat', () => {
    const level = { kind: 'level', value: 100, volatility: 0.5, threshold: 90, is: '>', when: 'at' }
    const report = runBacktest(
      parseQuestions(
        [
          line({ market_price: 0.1 }),
          line({ market_price: 0 }),
          line({ outcome: 1, form: level, value: 101 }),
          line({ outcome: 0, form: level, value: 3 }),
          line(),
          line({ form: { kind: 'change', series: [1, 2], traded: false } }),
          '',
        ].join('\n'),
      ),
      origin,
    )
    expect(report).toMatchObject({ label: 'backtest', ...origin, questions: 4, refused: 2, base_rate: 0.25 })
    const rows = Object.fromEntries(report.rows.map(row => [row.name, row]))
    expect(rows.coin).toMatchObject({ scored: 4, brier: 0.25 })
    expect(rows['form:price']).toMatchObject({ scored: 2, brier: 0.0051 })
    expect(rows['hindsight:level']).toMatchObject({ scored: 2, brier: 0.25 })
    expect(rows['form:level']).toMatchObject({ scored: 2, interval80_coverage: 0.5 })
  })

  test('fits the numbers of the forms on the earlier half, and measures them on the later one', () => {
    const random = openRandom(3)
    const rows = Array.from({ length: 800 }, (_, nth) => {
      const day = (at: number) => new Date(Date.UTC(2024, 0, 1) + at * 86_400_000).toISOString()
      // The true deviation is 1.2 times the one that is stated.
      const value = 100 * Math.exp(1.2 * 0.4 * Math.sqrt(30 / 365.25) * drawNormal(random))
      const threshold = 90 + 20 * random()
      const form = { kind: 'level', value: 100, volatility: 0.4, threshold, is: '>', when: 'at' }
      return line({ asked_at: day(nth), closes_at: day(nth + 30), outcome: value > threshold ? 1 : 0, form })
    })
    const fitted = fitForms(parseQuestions(rows.join('\n')), 'Example')
    expect(fitted.parameters.level_scale.value).toBeGreaterThan(1)
    expect(fitted.parameters.level_scale.n).toBeGreaterThan(300)
    expect(fitted.skill.level_at).toMatchObject({ n: 400 })
    expect(fitted.skill.level_at.brier).toBeLessThan(fitted.skill.level_at.constant)
    expect(fitted.parameters.drift_sd).toEqual(shipped.parameters.drift_sd)
  })

  test.each([
    ['{', 'Line 1: it must be'],
    [line({ outcome: 2 }), 'Line 1: outcome'],
    [`${line()}\n${line({ market_price: 1.2 })}`, 'Line 2: market_price'],
    [line({ asked_at: 'soon' }), 'Line 1: asked_at'],
    [line({ closes_at: 3 }), 'Line 1: closes_at'],
    [line({ question: '' }), 'Line 1: question'],
    [line({ form: { kind: 'event', events: 3, n: 2 } }), 'Line 1: form.events'],
    [line({ form: { kind: 'level', value: 3, volatility: 1 } }), 'Line 1: form must name'],
  ])('refuses %s', (text, message) => {
    expect(() => parseQuestions(text)).toThrow(message)
  })

  test('is run by the command, and published apart from the record', async () => {
    const file = join(dir, 'questions.jsonl')
    writeFileSync(file, `${line({ market_price: 0.2 })}\n${line({ outcome: 1, market_price: 0.6 })}\n`)
    expect(await backtestCommand([file])).toBe(0)
    const printed = execFileSync(
      process.execPath,
      ['dist/main.js', 'backtest', file, '--source', origin.source, '--licence', origin.licence, '--json'],
      { encoding: 'utf8' },
    )
    const report = JSON.parse(printed)
    expect(report).toMatchObject({ label: 'backtest', questions: 2 })

    const world = await startForecast({}, [[backtests, { list: readReports('a file', printed) }]])
    expect(await world.ask('list_backtests')).toMatchObject({ backtests: [{ label: 'backtest', ...origin }] })
    expect(await world.ask('get_calibration')).toMatchObject({ status: 'insufficient_data', scored: 0 })
    await world.stop()

    const published = join(dir, 'backtests.json')
    writeFileSync(published, printed)
    const environment = { OCTAGENT_DEVNET: 'false', FORECAST_BACKTESTS: published }
    const app = await openTestApp({ services: [forecast], environment })
    const { status, body } = await app.call('forecast.list_backtests')
    expect([status, body]).toEqual([200, { backtests: [expect.objectContaining({ label: 'backtest' })] }])
    await app.close()
  })

  test('reads the sets of ForecastBench, and leaves out what has not closed', () => {
    const row = (id: string, more: object = {}) => ({
      id,
      source: 'manifold',
      question: `Will ${id} happen?`,
      freeze_datetime_value: '0.27',
      market_info_close_datetime: '2026-06-30T23:59:00+00:00',
      ...more,
    })
    const outcome = (id: string, more: object = {}) => ({
      id,
      source: 'manifold',
      direction: null,
      resolution_date: '2026-06-30',
      resolved_to: 1,
      resolved: true,
      ...more,
    })
    const questions = {
      forecast_due_date: '2026-05-10',
      questions: [
        row('a'),
        row('b', { freeze_datetime_value: 'N/A' }),
        row('early', { market_info_close_datetime: '2026-12-31T23:59:00+00:00' }),
        row('open'),
        row('partly'),
        row('series', { source: 'fred' }),
      ],
    }
    const resolutions = {
      resolutions: [
        outcome('a', { resolved_to: 0 }),
        outcome('b'),
        outcome('early'),
        outcome('open', { resolved: false, resolved_to: 0.4 }),
        outcome('partly', { resolved_to: 0.5 }),
        outcome('series', { source: 'fred' }),
      ],
    }
    const rows = readForecastBench(questions, resolutions, new Date('2026-08-01'))
    const asked_at = '2026-05-10T00:00:00.000Z'
    const closes_at = '2026-06-30T23:59:00.000Z'
    expect(rows).toEqual([
      {
        question: 'Will a happen?',
        asked_at,
        closes_at,
        outcome: 0,
        form: { kind: 'price', market_price: 0.27 },
      },
      { question: 'Will b happen?', asked_at, closes_at, outcome: 1 },
    ])
  })

  test('that is none stops the start, and names the file', () => {
    for (const text of ['{', '{}', '[{"label":"record"}]'])
      expect(() => readReports('/tmp/backtests.json', text)).toThrow(
        'FORECAST_BACKTESTS: /tmp/backtests.json',
      )
  })

  test('is not there unless one is published', async () => {
    const world = await startForecast()
    expect(await world.ask('list_backtests')).toEqual({ backtests: [] })
    await world.stop()
  })
})
