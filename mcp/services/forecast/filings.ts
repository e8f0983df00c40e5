import { z } from 'zod'
import { ToolError } from '../../kernel/error.ts'
import { type Context, type Price, tool, usd } from '../../kernel/tool.ts'
import { readFlags, readTrends } from './filings/analyse.ts'
import { maxQuarters, maxYears } from './filings/company.ts'
import { filings, makeTicket } from './filings/port.ts'

const tiers = ['index', 'analysis', 'deep'] as const
type Tier = (typeof tiers)[number]

const prices: Readonly<Record<Tier, Price>> = { index: usd('0.01'), analysis: usd('0.05'), deep: usd('0.25') }

const FactOut = z
  .object({
    value: z.number().describe('The number'),
    unit: z.string().describe('Currency, or currency per share'),
    period: z
      .object({
        start: z.string().nullable().describe('First day; null for a balance'),
        end: z.string().describe('Last day'),
      })
      .describe('Period'),
    tag: z.string().describe('XBRL tag'),
    taxonomy: z.string().describe('us-gaap or ifrs-full'),
    form: z.string().describe('Form it was filed in'),
    accession: z.string().describe('Accession number of the filing'),
    filed: z.string().describe('When it was filed'),
    url: z.string().describe('The filing'),
    derived: z.string().nullable().describe('How it was reckoned, where it was not filed as such'),
  })
  .nullable()

const RatioOut = z.object({
  value: z.number().nullable().describe('The ratio; null where it says nothing'),
  reason: z.string().nullable().describe('Why it is null'),
})

const YearOut = z.object({
  period_end: z.string().describe('End of the fiscal year'),
  metrics: z.record(z.string(), FactOut).describe('Numbers by name; null where none was filed'),
  ratios: z
    .record(z.string(), RatioOut)
    .describe('ROE and ROA by ending and by average balances, D/E, current ratio, margins'),
})

type Input = { ticker?: string | undefined; cik?: string | number | undefined; tier: Tier }

const toCik = (cik: string | number | undefined): number | undefined =>
  cik === undefined ? undefined : Number(cik)

const needs = [filings, 'workers', 'sign', 'clock'] as const

/** Loads a company's filings; throws where it is not there or nothing of it can be read, before anybody pays. */
const loadCompany = async ({ filings, workers }: Context<(typeof needs)[number]>, { ticker, cik }: Input) => {
  if (ticker === undefined && cik === undefined) {
    const message = 'is needed, or cik'
    throw new ToolError('invalid_input', `ticker: ${message}.`, { issues: [{ path: 'ticker', message }] })
  }
  const company = await filings.company({ ticker, cik: toCik(cik) })
  const loaded = await filings.numbers(company.cik, workers)
  if (loaded.numbers.years.length === 0)
    throw new ToolError('not_found', 'This company has filed no annual numbers that can be read.')
  return { company, ...loaded }
}

export default tool({
  name: 'filings',
  title: 'Read the filings of a company',
  description:
    'Reads annual and quarterly filings (XBRL, US GAAP or IFRS) of a listed company: numbers with their filing, ROE, ROA, D/E, current ratio, trends, TTM, restatements, red flags. Costs 0.01 (index), 0.05 (analysis) or 0.25 (deep) USDC on Base; unknown companies are not charged.',
  keywords: ['financial', 'income', 'revenue', 'quarter', '10k', 'equity'],
  input: z.object({
    ticker: z
      .string()
      .trim()
      .regex(/^[A-Za-z0-9.-]{1,10}$/, 'must be a ticker such as EXMP')
      .optional()
      .describe('Ticker'),
    cik: z
      .union([z.string().regex(/^\d{1,10}$/, 'must be up to ten digits'), z.int().min(1).max(9_999_999_999)])
      .optional()
      .describe('Number of the filer, in place of the ticker'),
    tier: z
      .enum(tiers)
      .default('index')
      .describe(
        'index: last year; analysis: years, ratios, trends; deep: also quarters, TTM, restatements, flags',
      ),
    years: z.int().min(1).max(maxYears).default(5).describe('Years of analysis and deep'),
    periods: z.int().min(1).max(maxQuarters).default(8).describe('Quarters of deep'),
  }),
  output: z.object({
    company: z
      .object({
        cik: z.string().describe('Number of the filer, ten digits'),
        ticker: z.string().nullable().describe('Ticker, where it was asked by'),
        name: z.string().describe('Name'),
      })
      .describe('The filer'),
    tier: z.enum(tiers).describe('Tier'),
    currency: z.string().describe('The only currency that is used'),
    other_currencies: z
      .array(z.string().describe('Currency'))
      .describe('Currencies of facts that were left out'),
    taxonomy: z.string().describe('us-gaap or ifrs-full'),
    years: z.array(YearOut).describe('Fiscal years, the newest first; one for index'),
    trends: z
      .array(
        z.object({
          metric: z.string().describe('Metric'),
          yoy: z.number().nullable().describe('Growth to the last year; null where the base is not positive'),
          cagr: z.number().nullable().describe('Growth a year over all years that are given'),
          from: z.string().nullable().describe('First year'),
          to: z.string().nullable().describe('Last year'),
        }),
      )
      .nullable()
      .describe('Trends; null for index'),
    quarters: z
      .array(
        z.object({
          period_end: z.string().describe('End of the quarter'),
          metrics: z.record(z.string(), FactOut).describe('Numbers by name'),
        }),
      )
      .nullable()
      .describe('Quarters, the newest first; null below deep'),
    ttm: z
      .record(z.string(), z.number().nullable())
      .nullable()
      .describe('Sum of the last four quarters by metric, where they follow on each other; null below deep'),
    restatements: z
      .array(
        z.object({
          metric: z.string().describe('Metric'),
          period_end: z.string().describe('Period'),
          value: z.number().describe('What was filed first'),
          filed: z.string().describe('When'),
          replaced_by: z.number().describe('What counts now'),
          replaced: z.string().describe('Since when'),
        }),
      )
      .nullable()
      .describe('Numbers that were filed again with another value; null below deep'),
    red_flags: z
      .array(z.object({ code: z.string().describe('Code'), message: z.string().describe('What it is') }))
      .nullable()
      .describe('What to look at first; null below deep'),
    fetched_at: z.string().describe('When the facts were read from the regulator'),
    page_url: z.url().describe('The same as a page with charts, for thirty days'),
    stale: z.boolean().describe('True when the regulator does not answer and these are of an earlier day'),
  }),
  needs,
  price: prices.index,
  check: loadCompany,
  quote: (_, { tier }) => prices[tier],
  limits: [{ perMinute: 30, per: 'client' }],
  hints: { readOnly: true, destructive: false, idempotent: true, openWorld: true },
  a2a: { skill: 'regulatory_filings_financial_intelligence', tags: ['filings', 'xbrl', 'x402'] },
  rest: { routes: ['POST /expertise/filings', 'POST /expertise/edgar'] },
  examples: [{ ticker: 'EXMP', tier: 'index' }],
  needsSetup: true,
  summary: ({ company, years: [year] }) => `${company.name}, year to ${year?.period_end}.`,
}).run(async (ctx, { tier, years: yearCount, periods, ...input }) => {
  const { company, numbers, fetchedAt, stale } = await loadCompany(ctx, { ...input, tier })
  const years = numbers.years.slice(0, tier === 'index' ? 1 : yearCount)
  const isDeep = tier === 'deep'
  return {
    company: {
      cik: String(company.cik).padStart(10, '0'),
      ticker: company.ticker,
      name: numbers.name || company.name,
    },
    tier,
    currency: numbers.currency,
    other_currencies: numbers.otherCurrencies,
    taxonomy: numbers.taxonomy,
    years,
    trends: tier === 'index' ? null : readTrends(years),
    quarters: isDeep ? numbers.quarters.slice(0, periods) : null,
    ttm: isDeep ? numbers.ttm : null,
    restatements: isDeep ? numbers.restatements : null,
    red_flags: isDeep ? readFlags(years, numbers.restatements) : null,
    fetched_at: fetchedAt.toISOString(),
    page_url: `${ctx.base}/filings/${makeTicket(ctx.sign, { cik: company.cik, tier, years: yearCount, periods }, ctx.clock.now())}`,
    stale,
  }
})
