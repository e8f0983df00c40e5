import { readFile } from 'node:fs/promises'
import { port } from '../../../kernel/port.ts'
import { isRecord } from '../../../lib/json.ts'
import { forecastSettings } from '../config.ts'
import type { Backtest } from './backtest.ts'

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
