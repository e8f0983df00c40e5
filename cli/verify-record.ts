import { readFile, writeFile } from 'node:fs/promises'
import { ToolError } from '../mcp/kernel/error.ts'
import { isRecord, parseRecord } from '../mcp/lib/json.ts'
import type { RecordBundle } from '../mcp/services/forecast/record/verify.ts'
import { readArguments } from './arguments.ts'
import { toTable } from './table.ts'

const options = { key: { type: 'string' }, save: { type: 'string' } } as const
const pageSize = 1000

const readJson = async (url: string): Promise<Record<string, unknown>> => {
  const response = await fetch(url, { headers: { accept: 'application/json' } }).catch(() => undefined)
  const body = response?.ok ? parseRecord(await response.text()) : undefined
  if (!body) throw new ToolError('upstream', `${url} does not answer with a record.`)
  return body
}

type Fields<key extends keyof RecordBundle> = RecordBundle[key]

/** Everything of a record that its service publishes, page by page. The entries come last, so that they cover what was signed. */
const download = async (base: string): Promise<RecordBundle> => {
  const signed = await readJson(`${base}/expertise/calibration/signed`)
  const days: unknown[] = []
  for (let after = ''; ; ) {
    const page = await readJson(
      `${base}/expertise/calibration/history?limit=366${after && `&after=${encodeURIComponent(after)}`}`,
    )
    days.push(...(Array.isArray(page.days) ? page.days : []))
    if (typeof page.next !== 'string') break
    after = page.next
  }
  const entries: unknown[] = []
  for (let from: unknown = 0; typeof from === 'number'; ) {
    const page = await readJson(`${base}/expertise/record?from=${from}&limit=${pageSize}`)
    entries.push(...(Array.isArray(page.entries) ? page.entries : []))
    from = page.next
  }
  return {
    signed: signed as unknown as Fields<'signed'>,
    snapshots: days.reverse() as Fields<'snapshots'>,
    entries: entries as Fields<'entries'>,
  }
}

const readBundle = async (file: string): Promise<RecordBundle> => {
  const bundle = parseRecord(await readFile(file, 'utf8').catch(() => ''))
  if (
    !bundle ||
    !isRecord(bundle.signed) ||
    !Array.isArray(bundle.entries) ||
    !Array.isArray(bundle.snapshots)
  )
    throw new ToolError('invalid_input', `${file} is no record that --save wrote.`)
  return bundle as unknown as RecordBundle
}

/**
 * `octagent verify-record <url|file> [--key base64] [--save file] [--json]`: recomputes root, scores and signatures of a forecasting
 * record from its public entries. With a file it asks nobody. The exit code is 1 where anything does not follow.
 */
export const verifyRecordCommand = async (args: string[]): Promise<number> => {
  const { values, positionals } = readArguments(args, options)
  const [where] = positionals
  if (where === undefined)
    throw new ToolError('invalid_input', 'Say which record: octagent verify-record <url>.', {
      hint: 'The url is that of the service, such as https://forecast.example.org/forecast.',
    })
  const { verifyRecord } = await import('../mcp/services/forecast/record/verify.ts')
  const bundle = /^https?:\/\//.test(where)
    ? await download(where.replace(/\/+$/, ''))
    : await readBundle(where)
  if (values.save !== undefined) await writeFile(values.save, `${JSON.stringify(bundle)}\n`)
  const checks = await verifyRecord(bundle, values.key)
  const { calibration, tree_size } = JSON.parse(bundle.signed.canonical) as {
    tree_size: number
    calibration: { brier: number | null; scored: number }
  }
  const ok = checks.every(check => check.ok)
  if (values.json)
    console.log(
      JSON.stringify(
        { ok, checks, tree_size, brier: calibration.brier, scored: calibration.scored },
        null,
        2,
      ),
    )
  else {
    console.log(toTable(checks.map(({ name, ok, detail }) => [ok ? 'ok' : 'FAULT', name, detail])))
    const score =
      calibration.brier === null
        ? 'nothing is scored yet'
        : `Brier ${calibration.brier} over ${calibration.scored}`
    console.log(`\n${tree_size} entries, ${score}`)
  }
  return ok ? 0 : 1
}
