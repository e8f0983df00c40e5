import { dayMs } from '../../../lib/time.ts'
import { type CompanyFacts, flows, type Metric, metricTags, type RawFact, stocks } from './facts.ts'

/** A number with where it is from; `derived` says how it was reckoned where it was not filed as such. */
export type FilingFact = {
  value: number
  unit: string
  period: { start: string | null; end: string }
  tag: string
  taxonomy: string
  form: string
  accession: string
  filed: string
  url: string
  derived: string | null
}

export type Restatement = {
  metric: string
  period_end: string
  value: number
  filed: string
  replaced_by: number
  replaced: string
}
export type Ratio = { value: number | null; reason: string | null }

const days = ({ start, end }: { start: string | null; end: string }): number =>
  start === null ? 0 : (Date.parse(end) - Date.parse(start)) / dayMs + 1

const dayAfter = (end: string): string => new Date(Date.parse(end) + dayMs).toISOString().slice(0, 10)

const isAnnual = (fact: RawFact): boolean => days(fact) >= 350 && days(fact) <= 380
const isQuarter = (fact: RawFact): boolean => days(fact) >= 80 && days(fact) <= 100
const isNineMonths = (fact: RawFact): boolean => days(fact) >= 260 && days(fact) <= 290

const toUrl = (cik: number, accession: string): string =>
  `https://www.sec.gov/Archives/edgar/data/${cik}/${accession.replaceAll('-', '')}/${accession}-index.htm`

/**
 * The facts of a company in one currency, by metric and period. `fy` and `fp` of a row describe the filing and not the data: periods
 * are known by start and end alone. Of one period the newest filing counts; a tag stands in where the one before it has no such period.
 */
export const openBook = ({ cik, facts }: Pick<CompanyFacts, 'cik' | 'facts'>) => {
  const currency = chooseCurrency(facts)
  const perShare = `${currency}/shares`
  const restatements = new Map<string, Restatement>()

  const byTag = new Map<string, RawFact[]>()
  for (const fact of facts) {
    if (fact.unit !== currency && fact.unit !== perShare) continue
    const rows = byTag.get(fact.tag)
    if (rows) rows.push(fact)
    else byTag.set(fact.tag, [fact])
  }

  const toFact = (
    { value, unit, start, end, ...source }: RawFact,
    derived: string | null = null,
  ): FilingFact => ({
    value,
    unit,
    period: { start, end },
    tag: source.tag,
    taxonomy: source.taxonomy,
    form: source.form,
    accession: source.accession,
    filed: source.filed,
    url: toUrl(cik, source.accession),
    derived,
  })

  /** All periods of a metric that `wanted` takes, by their end. */
  const series = (metric: Metric, wanted: (fact: RawFact) => boolean): Map<string, RawFact> => {
    const result = new Map<string, RawFact>()
    for (const tag of metricTags[metric]) {
      const own = new Map<string, RawFact>()
      for (const fact of byTag.get(tag) ?? []) {
        if (!wanted(fact)) continue
        const before = own.get(fact.end)
        if (!before || fact.filed > before.filed) {
          if (before && before.value !== fact.value && before.start === fact.start)
            noteRestatement(metric, before, fact)
          own.set(fact.end, fact)
        } else if (before.value !== fact.value && before.start === fact.start)
          noteRestatement(metric, fact, before)
      }
      for (const [end, fact] of own) if (!result.has(end)) result.set(end, fact)
    }
    return result
  }

  const noteRestatement = (metric: Metric, old: RawFact, now: RawFact) => {
    const key = `${metric}:${old.end}:${old.filed}:${old.value}`
    restatements.set(key, {
      metric,
      period_end: old.end,
      value: old.value,
      filed: old.filed,
      replaced_by: now.value,
      replaced: now.filed,
    })
  }

  const annual = new Map(flows.map(metric => [metric, series(metric, isAnnual)]))
  const instants = new Map(stocks.map(metric => [metric, series(metric, ({ start }) => start === null)]))
  const quarters = new Map(flows.map(metric => [metric, series(metric, isQuarter)]))
  const nineMonths = new Map(flows.map(metric => [metric, series(metric, isNineMonths)]))
  const helpers = {
    total: series('liabilities_and_equity', ({ start }) => start === null),
    equity: series('total_equity', ({ start }) => start === null),
    temporary: series('temporary_equity', ({ start }) => start === null),
    interest: series('interest_income', isAnnual),
    noninterest: series('noninterest_income', isAnnual),
  }

  const flowAt = (metric: Metric, end: string): FilingFact | null => {
    const fact = annual.get(metric)?.get(end)
    if (fact) return toFact(fact)
    const [interest, other] = [helpers.interest.get(end), helpers.noninterest.get(end)]
    if (metric === 'revenue' && interest && other)
      return toFact(
        { ...interest, value: interest.value + other.value },
        'interest income + noninterest income',
      )
    return null
  }

  const stockAt = (metric: Metric, end: string): FilingFact | null => {
    const fact = instants.get(metric)?.get(end)
    if (fact) return toFact(fact)
    const [total, equity] = [helpers.total.get(end), helpers.equity.get(end)]
    if (metric !== 'liabilities' || !total || !equity) return null
    const value = total.value - equity.value - (helpers.temporary.get(end)?.value ?? 0)
    return toFact({ ...total, value }, 'liabilities and equity − equity − temporary equity')
  }

  /** A quarter as it was filed, or the fourth as the year less nine months, or less three quarters that follow on each other. */
  const quarterAt = (metric: Metric, end: string): FilingFact | null => {
    const fact = quarters.get(metric)?.get(end)
    if (fact) return toFact(fact)
    const year = annual.get(metric)?.get(end)
    // Shares change over a year, so that earnings per share do not subtract.
    if (!year || metric.startsWith('eps')) return null
    const before = [...(nineMonths.get(metric)?.values() ?? [])].find(({ start }) => start === year.start)
    if (before)
      return toFact(
        { ...year, start: dayAfter(before.end), value: year.value - before.value },
        'year − nine months',
      )
    const three = [...(quarters.get(metric)?.values() ?? [])]
      .filter(({ start, end }) => (start ?? '') >= (year.start ?? '') && end < year.end)
      .sort((one, other) => (one.end < other.end ? -1 : 1))
    const [first, second, third] = three
    if (!first || !second || !third || three.length > 3 || first.start !== year.start) return null
    if (second.start !== dayAfter(first.end) || third.start !== dayAfter(second.end)) return null
    const value = year.value - first.value - second.value - third.value
    return toFact({ ...year, start: dayAfter(third.end), value }, 'year − three quarters')
  }

  const yearEnds = [
    ...new Set([...(annual.get('net_income')?.keys() ?? []), ...(annual.get('revenue')?.keys() ?? [])]),
  ]
    .sort()
    .reverse()
  const quarterEnds = [
    ...new Set([
      ...(quarters.get('net_income')?.keys() ?? []),
      ...(quarters.get('revenue')?.keys() ?? []),
      ...yearEnds,
    ]),
  ]
    .sort()
    .reverse()
  const currencies = new Set(facts.map(({ unit }) => unit).filter(unit => /^[A-Z]{3}$/.test(unit)))
  return {
    currency,
    otherCurrencies: [...currencies].filter(unit => unit !== currency).sort(),
    taxonomy: facts.some(({ taxonomy, unit }) => taxonomy === 'us-gaap' && unit === currency)
      ? 'us-gaap'
      : 'ifrs-full',
    yearEnds,
    quarterEnds,
    flowAt,
    stockAt,
    quarterAt,
    restatements: () =>
      [...restatements.values()].sort((one, other) => (one.period_end < other.period_end ? 1 : -1)),
  }
}

export type FactBook = ReturnType<typeof openBook>

/** The currency of the newest balance sheet; of several the one with the most facts. Currencies are never mixed. */
const chooseCurrency = (facts: readonly RawFact[]): string => {
  const newest = new Map<string, { end: string; count: number }>()
  for (const { unit, end } of facts) {
    if (!/^[A-Z]{3}$/.test(unit)) continue
    const before = newest.get(unit) ?? { end: '', count: 0 }
    newest.set(unit, { end: end > before.end ? end : before.end, count: before.count + 1 })
  }
  const [first] = [...newest].sort(([, one], [, other]) =>
    one.end === other.end ? other.count - one.count : one.end < other.end ? 1 : -1,
  )
  return first?.[0] ?? 'USD'
}

const ratio = (value: number): Ratio => ({ value: Math.round(value * 10_000) / 10_000, reason: null })
const none = (reason: string): Ratio => ({ value: null, reason })

const divide = (
  over: FilingFact | null,
  under: FilingFact | null,
  names: readonly [string, string],
): Ratio => {
  if (!over) return none(`${names[0]} not reported`)
  if (!under) return none(`${names[1]} not reported`)
  return under.value === 0 ? none(`${names[1]} is zero`) : ratio(over.value / under.value)
}

const byEquity = (over: number | undefined, name: string, equity: FilingFact | null): Ratio => {
  if (over === undefined) return none(`${name} not reported`)
  if (!equity) return none('equity not reported')
  return equity.value <= 0 ? none('equity is not positive') : ratio(over / equity.value)
}

const average = (now: FilingFact | null, before: FilingFact | null): FilingFact | null =>
  now && before ? { ...now, value: (now.value + before.value) / 2 } : null

/** Reads one fiscal year: the filed numbers, and the ratios between them. */
export const readYear = (book: FactBook, end: string, before: string | undefined) => {
  const metrics = Object.fromEntries([
    ...flows.map(metric => [metric, book.flowAt(metric, end)] as const),
    ...stocks.map(metric => [metric, book.stockAt(metric, end)] as const),
  ]) as Record<Metric, FilingFact | null>
  const past = (metric: Metric) => (before === undefined ? null : book.stockAt(metric, before))
  const { net_income, revenue, equity, assets, long_term_debt, short_term_debt } = metrics
  const averageEquity = average(equity, past('equity'))
  const averageAssets = average(assets, past('assets'))
  const debt =
    long_term_debt || short_term_debt
      ? (long_term_debt?.value ?? 0) + (short_term_debt?.value ?? 0)
      : undefined
  const isPositive = (equity?.value ?? 0) > 0 && (past('equity')?.value ?? 0) > 0
  return {
    period_end: end,
    metrics,
    ratios: {
      roe_ending: byEquity(net_income?.value, 'net income', equity),
      roe_average: isPositive
        ? byEquity(net_income?.value, 'net income', averageEquity)
        : none('equity of this year and the one before must be positive'),
      roa_ending: divide(net_income, assets, ['net income', 'assets']),
      roa_average: averageAssets
        ? divide(net_income, averageAssets, ['net income', 'assets'])
        : none('assets of the year before not reported'),
      debt_to_equity: byEquity(debt, 'debt', equity),
      liabilities_to_equity: byEquity(metrics.liabilities?.value, 'liabilities', equity),
      current_ratio:
        metrics.current_assets && metrics.current_liabilities
          ? divide(metrics.current_assets, metrics.current_liabilities, [
              'current assets',
              'current liabilities',
            ])
          : none('no classified balance sheet, as banks and insurers have none'),
      gross_margin: divide(metrics.gross_profit, revenue, ['gross profit', 'revenue']),
      operating_margin: divide(metrics.operating_income, revenue, ['operating income', 'revenue']),
      net_margin: divide(net_income, revenue, ['net income', 'revenue']),
    },
  }
}

export type Year = ReturnType<typeof readYear>

const trendMetrics = ['revenue', 'net_income', 'assets', 'equity', 'operating_cash_flow'] as const

/** Growth from year to year and over all years; null where a base is not positive, since a rate would say nothing. */
export const readTrends = (years: readonly Year[]) =>
  trendMetrics.map(metric => {
    const points = years.flatMap(({ metrics, period_end }) => {
      const fact = metrics[metric]
      return fact ? [{ end: period_end, value: fact.value }] : []
    })
    const [latest, previous] = points
    const oldest = points.at(-1)
    // Fiscal years, not days: a year of 53 weeks is one.
    const span =
      latest && oldest ? Math.round((Date.parse(latest.end) - Date.parse(oldest.end)) / (365.25 * dayMs)) : 0
    const growth = (now: number, base: number) =>
      base > 0 ? Math.round((now / base - 1) * 10_000) / 10_000 : null
    return {
      metric,
      yoy: latest && previous ? growth(latest.value, previous.value) : null,
      cagr:
        latest && oldest && span > 0 && oldest.value > 0 && latest.value > 0
          ? Math.round(((latest.value / oldest.value) ** (1 / span) - 1) * 10_000) / 10_000
          : null,
      from: oldest?.end ?? null,
      to: latest?.end ?? null,
    }
  })

const quarterMetrics = ['revenue', 'net_income', 'operating_cash_flow'] as const

/** The last quarters, and the sum of four that follow on each other. */
export const readQuarters = (book: FactBook, count: number) => {
  const quarters = book.quarterEnds
    .map(end => ({
      period_end: end,
      metrics: Object.fromEntries(
        quarterMetrics.map(metric => [metric, book.quarterAt(metric, end)]),
      ) as Record<(typeof quarterMetrics)[number], FilingFact | null>,
    }))
    .filter(({ metrics }) => quarterMetrics.some(metric => metrics[metric] !== null))
    .slice(0, count)
  const ttm = Object.fromEntries(
    quarterMetrics.map(metric => {
      const four = quarters.slice(0, 4).flatMap(({ metrics }) => metrics[metric] ?? [])
      const follows = four.every(({ period }, index) => {
        const next = four[index + 1]
        return (
          !next || Math.abs(Date.parse(period.start ?? '') - Date.parse(next.period.end) - dayMs) <= 3 * dayMs
        )
      })
      const isWhole = four.length === 4 && follows
      return [metric, isWhole ? four.reduce((sum, { value }) => sum + value, 0) : null]
    }),
  ) as Record<(typeof quarterMetrics)[number], number | null>
  return { quarters, ttm }
}

/** Points that an analyst would look at first. */
export const readFlags = (
  years: readonly Year[],
  restatements: readonly Restatement[],
): { code: string; message: string }[] => {
  const [year, before] = years
  if (!year) return []
  const { metrics, ratios } = year
  const value = (metric: Metric) => metrics[metric]?.value
  const flags: [boolean, string, string][] = [
    [(value('equity') ?? 1) <= 0, 'negative_equity', 'Equity is not positive: ratios to it say nothing.'],
    [(value('net_income') ?? 0) < 0, 'net_loss', 'The last year ended with a loss.'],
    [
      (value('net_income') ?? 0) > 0 && (value('operating_cash_flow') ?? 0) < 0,
      'profit_without_cash',
      'Profit, and no cash from operations.',
    ],
    [
      (ratios.current_ratio.value ?? 1) < 1,
      'current_ratio_below_one',
      'Current liabilities exceed current assets.',
    ],
    [(ratios.debt_to_equity.value ?? 0) > 2, 'high_debt', 'Debt is more than twice the equity.'],
    [
      (value('revenue') ?? 0) < 0.8 * (before?.metrics.revenue?.value ?? 0),
      'revenue_fell',
      'Revenue fell by more than a fifth.',
    ],
    [
      restatements.length > 0,
      'restated',
      `${restatements.length} numbers were filed again with another value.`,
    ],
  ]
  return flags.flatMap(([applies, code, message]) => (applies ? [{ code, message }] : []))
}
