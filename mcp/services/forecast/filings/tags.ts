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
