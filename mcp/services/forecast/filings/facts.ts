import { ToolError } from '../../../kernel/error.ts'
import { asList, asRecord, isRecord, parseRecord } from '../../../lib/json.ts'

import table from './data/metric-tags.json' with { type: 'json' }

/** Tags of the metrics that are read of a company's facts: the first that has a period counts for it. */
export const metricTags = table.facts

export type Metric = keyof typeof metricTags

export const flows: readonly Metric[] = [
  'revenue',
  'gross_profit',
  'operating_income',
  'net_income',
  'operating_cash_flow',
  'eps_basic',
  'eps_diluted',
]

export const stocks: readonly Metric[] = [
  'assets',
  'current_assets',
  'liabilities',
  'current_liabilities',
  'equity',
  'cash',
  'long_term_debt',
  'short_term_debt',
]

/** One number as a company filed it. */
export type RawFact = {
  readonly tag: string
  readonly taxonomy: string
  readonly unit: string
  readonly value: number
  readonly start: string | null
  readonly end: string
  readonly form: string
  readonly accession: string
  readonly filed: string
}

export type CompanyFacts = { readonly cik: number; readonly name: string; readonly facts: readonly RawFact[] }

const wantedTags: ReadonlySet<string> = new Set(Object.values(metricTags).flat())
const taxonomies = ['us-gaap', 'ifrs-full'] as const
const date = /^\d{4}-\d{2}-\d{2}$/

const toFact = (taxonomy: string, tag: string, unit: string, row: unknown): RawFact | undefined => {
  const { val, start, end, form, accn, filed } = asRecord(row)
  if (typeof val !== 'number' || !Number.isFinite(val)) return undefined
  if (typeof end !== 'string' || !date.test(end) || typeof filed !== 'string' || !date.test(filed))
    return undefined
  return {
    tag,
    taxonomy,
    unit,
    value: val,
    start: typeof start === 'string' && date.test(start) ? start : null,
    end,
    form: String(form ?? ''),
    accession: String(accn ?? ''),
    filed,
  }
}

/**
 * Reads a companyfacts file of the regulator: only the tags that are asked for, which is a small part of it. Throws `upstream` for what is no such file.
 */
export const readFacts = (bytes: Uint8Array): CompanyFacts => {
  const file = parseRecord(Buffer.from(bytes).toString('utf8'))
  if (!file || !isRecord(file.facts))
    throw new ToolError('upstream', 'The regulator answered with something that is no company facts file.', {
      retryAfter: 60,
    })
  const facts = taxonomies.flatMap(taxonomy =>
    Object.entries(asRecord(asRecord(file.facts)[taxonomy])).flatMap(([tag, concept]) =>
      wantedTags.has(tag)
        ? Object.entries(asRecord(asRecord(concept).units)).flatMap(([unit, rows]) =>
            asList(rows).flatMap(row => toFact(taxonomy, tag, unit, row) ?? []),
          )
        : [],
    ),
  )
  return { cik: Number(file.cik), name: String(file.entityName ?? ''), facts }
}
