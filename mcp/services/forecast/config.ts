import { z } from 'zod'
import { settings } from '../../kernel/setting.ts'
import { absoluteUrl, list } from '../../lib/setting-texts.ts'

export const forecastSettings = settings({
  filingsContact: {
    variable: 'FORECAST_FILINGS_CONTACT',
    schema: z
      .string()
      .trim()
      .min(6)
      .max(200)
      .regex(/^[\x20-\x7e]*@[\x20-\x7e]*$/, 'must hold an e-mail address'),
    description:
      'Who asks the regulator for filings, as its rules demand of a User-Agent: a name and an e-mail address. Without it, filings are off.',
    example: 'Example Ltd filings@example.com',
  },
  filingsData: {
    variable: 'FORECAST_FILINGS_DATA',
    schema: absoluteUrl,
    description: 'Where company facts are read from.',
    default: 'https://data.sec.gov',
  },
  filingsTickers: {
    variable: 'FORECAST_FILINGS_TICKERS',
    schema: absoluteUrl,
    description: 'List of tickers and their companies.',
    default: 'https://www.sec.gov/files/company_tickers.json',
  },
  searchUrl: {
    variable: 'FORECAST_SEARCH_URL',
    schema: z
      .url({ protocol: /^https?$/, message: 'must be an http(s) address' })
      .refine(text => /\{query\}|%7Bquery%7D/i.test(text), 'must hold {query}')
      .transform(text => text.replace(/%7Bquery%7D/gi, '{query}')),
    description:
      'Search that a model is given pages from: an address with `{query}` that answers `{"results": [{"title", "url", "content"}]}`. Without it a model reads what callers name.',
    example: 'https://search.example.org/search?format=json&q={query}',
  },
  trustedSources: {
    variable: 'FORECAST_SOURCES',
    schema: list.pipe(z.array(z.string().toLowerCase())),
    description:
      'Hosts whose word on an outcome counts in the scores of the record. What other sources say, which buyers choose, counts in a column of its own.',
    default:
      'api.fiscaldata.treasury.gov,api.weather.gov,api.worldbank.org,data-api.ecb.europa.eu,data.sec.gov,earthquake.usgs.gov',
  },
  backtestsFile: {
    variable: 'FORECAST_BACKTESTS',
    schema: z.string().trim().min(1),
    description:
      'File with what `octagent backtest --json` printed, published at /expertise/backtests: labelled, and apart from the record.',
    example: '/etc/octagent/backtests.json',
  },
})
