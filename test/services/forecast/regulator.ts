import type { Internet } from '../../internet/internet.ts'

type Row = {
  start?: string
  end: string
  val: number
  accn?: string
  form?: string
  filed?: string
  fy?: number
  fp?: string
}
type Concepts = Record<string, Record<string, Row[]>>

/** A row as the regulator has it; `fy` and `fp` say the year of the filing, as they do there, and not that of the data. */
const row = (end: string, val: number, more: Partial<Row> = {}): Row => ({
  end,
  val,
  accn: `0000000001-${(more.filed ?? '2026-02-10').slice(2, 4)}-000001`,
  form: '10-K',
  filed: '2026-02-10',
  fy: 2025,
  fp: 'FY',
  ...more,
})

const year = (of: number, val: number, more: Partial<Row> = {}) =>
  row(`${of}-12-31`, val, { start: `${of}-01-01`, filed: `${of + 1}-02-10`, ...more })
const at = (of: number, val: number, more: Partial<Row> = {}) =>
  row(`${of}-12-31`, val, { filed: `${of + 1}-02-10`, ...more })
const span = (start: string, end: string, val: number, more: Partial<Row> = {}) =>
  row(end, val, { start, form: '10-Q', filed: '2025-11-01', ...more })

const usd = (rows: Row[]) => ({ USD: rows })

/** A filer under US GAAP: other revenue tags by year, a restated year, quarters without the fourth, and euros beside dollars. */
const exmp: Concepts = {
  RevenueFromContractWithCustomerExcludingAssessedTax: {
    USD: [
      year(2024, 900),
      year(2025, 1000),
      span('2025-01-01', '2025-03-31', 200),
      span('2025-04-01', '2025-06-30', 240),
      span('2025-07-01', '2025-09-30', 260),
      span('2025-01-01', '2025-09-30', 700),
    ],
    EUR: [year(2025, 930)],
  },
  SalesRevenueNet: usd([year(2022, 700), year(2023, 810)]),
  NetIncomeLoss: usd([
    year(2022, 50),
    year(2023, 81),
    year(2024, 90),
    year(2024, 72, { filed: '2026-02-10' }),
    year(2025, 100),
    span('2025-01-01', '2025-03-31', 20),
    span('2025-04-01', '2025-06-30', 24),
    span('2025-07-01', '2025-09-30', 26),
    span('2025-01-01', '2025-09-30', 70),
  ]),
  NetCashProvidedByUsedInOperatingActivities: usd([year(2025, 130)]),
  EarningsPerShareDiluted: { 'USD/shares': [year(2025, 1.25)] },
  Assets: usd([at(2023, 1500), at(2024, 1800), at(2025, 2000)]),
  AssetsCurrent: usd([at(2025, 600)]),
  LiabilitiesCurrent: usd([at(2025, 400)]),
  StockholdersEquity: usd([at(2023, 600), at(2024, 700), at(2025, 800)]),
  LiabilitiesAndStockholdersEquity: usd([at(2025, 2000)]),
  StockholdersEquityIncludingPortionAttributableToNoncontrollingInterest: usd([at(2025, 850)]),
  TemporaryEquityCarryingAmountAttributableToParent: usd([at(2025, 50)]),
  LongTermDebtNoncurrent: usd([at(2025, 300)]),
  DebtCurrent: usd([at(2025, 100)]),
}

/** A bank: revenue of two parts, no classified balance sheet. */
const bank: Concepts = {
  InterestAndDividendIncomeOperating: usd([year(2025, 400)]),
  NoninterestIncome: usd([year(2025, 150)]),
  NetIncomeLoss: usd([year(2025, 80)]),
  Assets: usd([at(2025, 10_000)]),
  Liabilities: usd([at(2025, 9000)]),
  StockholdersEquity: usd([at(2025, 1000)]),
}

/** A filer whose equity is below zero. */
const debtor: Concepts = {
  Revenues: usd([year(2024, 500), year(2025, 300)]),
  NetIncomeLoss: usd([year(2025, -40)]),
  Assets: usd([at(2025, 200)]),
  Liabilities: usd([at(2025, 260)]),
  StockholdersEquity: usd([at(2025, -60)]),
}

/** A foreign filer under IFRS, in euros. */
const foreign: Concepts = {
  Revenue: { EUR: [year(2025, 5000, { form: '20-F' })] },
  ProfitLossAttributableToOwnersOfParent: { EUR: [year(2025, 450, { form: '20-F' })] },
  ProfitLoss: { EUR: [year(2025, 480, { form: '20-F' })] },
  Assets: { EUR: [at(2025, 9000, { form: '20-F' })] },
  EquityAttributableToOwnersOfParent: { EUR: [at(2025, 4500, { form: '20-F' })] },
  CurrentAssets: { EUR: [at(2025, 3000, { form: '20-F' })] },
  CurrentLiabilities: { EUR: [at(2025, 2000, { form: '20-F' })] },
}

const filers: Record<string, { cik: number; name: string; taxonomy: string; concepts: Concepts }> = {
  EXMP: { cik: 1, name: 'Example Corp', taxonomy: 'us-gaap', concepts: exmp },
  BNK: { cik: 2, name: 'Example Bank', taxonomy: 'us-gaap', concepts: bank },
  DEBT: { cik: 3, name: 'Example Debtor', taxonomy: 'us-gaap', concepts: debtor },
  FRGN: { cik: 4, name: 'Example AG', taxonomy: 'ifrs-full', concepts: foreign },
}

const toFile = ({ cik, name, taxonomy, concepts }: (typeof filers)[string]) =>
  JSON.stringify({
    cik,
    entityName: name,
    facts: {
      dei: {},
      [taxonomy]: Object.fromEntries(
        Object.entries(concepts).map(([tag, units]) => [tag, { label: tag, units }]),
      ),
    },
  })

/** Variables that make the program ask the regulator of the local internet. */
export const filingsEnvironment = {
  FORECAST_FILINGS_CONTACT: 'Example Ltd filings@example.com',
  FORECAST_FILINGS_DATA: 'http://data.regulator.example.com',
  FORECAST_FILINGS_TICKERS: 'http://www.regulator.example.com/files/company_tickers.json',
}

type Answer = { status?: number; body: string; type?: string }

/** Puts the regulator on the local internet: it refuses who names no contact, and answers as `answer` says where a test sets it. */
export const startRegulator = (internet: Pick<Internet, 'web'>) => {
  const regulator = { answer: undefined as Answer | undefined, asked: [] as number[] }
  const json = { 'content-type': 'application/json' }
  const tickers = Object.fromEntries(
    Object.entries(filers).map(([ticker, { cik, name }], index) => [
      index,
      { cik_str: cik, ticker, title: name },
    ]),
  )
  internet.web.site('www.regulator.example.com', '/files/company_tickers.json', {
    headers: json,
    body: JSON.stringify(tickers),
  })
  internet.web.site('data.regulator.example.com', '*', (request, response) => {
    regulator.asked.push(performance.now())
    const cik = Number(/CIK0*(\d+)\.json$/.exec(request.url ?? '')?.[1])
    const filer = Object.values(filers).find(filer => filer.cik === cik)
    const isNamed = request.headers['user-agent']?.includes('@') === true
    const usual: Answer =
      filer && isNamed ? { body: toFile(filer) } : { status: isNamed ? 404 : 403, body: '<html>' }
    const { status = 200, body, type = 'application/json' } = regulator.answer ?? usual
    response.writeHead(status, { 'content-type': type })
    response.end(body)
  })
  return regulator
}
