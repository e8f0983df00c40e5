import { readFile } from 'node:fs/promises'
import { ToolError } from '../mcp/kernel/error.ts'
import { parseJson } from '../mcp/lib/json.ts'
import { readArguments } from './arguments.ts'
import { toTable } from './table.ts'

const options = { source: { type: 'string' }, licence: { type: 'string' }, fit: { type: 'boolean' } } as const

const show = (value: number | null | undefined): string => (value == null ? '–' : value.toFixed(4))

/** Questions of ForecastBench and their outcomes, from its two files. */
const readSets = async (questionSet: string, file: string) => {
  const { isForecastBench, readForecastBench } = await import('../mcp/services/forecast/backtest.ts')
  const questions = parseJson(questionSet)
  const resolutions = await readFile(file, 'utf8').catch(() => undefined)
  if (resolutions === undefined) throw new ToolError('not_found', `${file} cannot be read.`)
  if (!isForecastBench(questions))
    throw new ToolError('invalid_input', 'With two files the first must be a question set of ForecastBench.')
  return readForecastBench(questions, parseJson(resolutions), new Date())
}

/**
 * `octagent backtest <file> [resolutions] [--source name] [--licence name] [--fit] [--json]`: what forms would have scored on resolved
 * questions, one JSON object a line, or the question set of ForecastBench and its resolution set. With `--fit` the numbers of the forms
 * are fitted on the earlier half and measured on the later one, and printed as `forms/fitted.json` holds them. It asks nobody, and writes nothing into any record.
 */
export const backtestCommand = async (args: string[]): Promise<number> => {
  const { values, positionals } = readArguments(args, options)
  const [file, resolutions] = positionals
  if (file === undefined)
    throw new ToolError('invalid_input', 'Say which questions: octagent backtest <file>.', {
      hint: 'A line of it: {"question": …, "asked_at": …, "closes_at": …, "outcome": 0, "form": {"kind": "price", "market_price": 0.3}}',
    })
  const text = await readFile(file, 'utf8').catch(() => undefined)
  if (text === undefined) throw new ToolError('not_found', `${file} cannot be read.`)
  const { fitForms, parseQuestions, runBacktest } = await import('../mcp/services/forecast/backtest.ts')
  const questions = resolutions === undefined ? parseQuestions(text) : await readSets(text, resolutions)
  if (values.fit) {
    console.log(JSON.stringify(fitForms(questions, values.source ?? file), null, 2))
    return 0
  }
  const report = runBacktest(questions, {
    source: values.source ?? file,
    licence: values.licence ?? 'not stated',
  })
  if (values.json) {
    console.log(JSON.stringify(report, null, 2))
    return 0
  }
  const head = ['forecasts', 'n', 'Brier', '95 %', 'log score', 'ECE', 'AUC']
  const rows = report.rows.map(({ name, scored, brier, brier_interval95, log_score, ece, auc }) => [
    name,
    String(scored),
    show(brier),
    brier_interval95 ? brier_interval95.map(show).join('–') : '–',
    show(log_score),
    show(ece),
    show(auc),
  ])
  console.log(toTable([head, ...rows]))
  console.log(
    `\nbacktest of ${report.questions} questions (${report.refused} refused), base rate ${show(report.base_rate)}: ${report.source}, ${report.licence}`,
  )
  return 0
}
