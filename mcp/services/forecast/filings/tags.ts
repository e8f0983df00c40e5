/** Tags of the metrics that are read of a company's facts: the first that has a period counts for it. */
export const metricTags = {
  revenue: [
    'RevenueFromContractWithCustomerExcludingAssessedTax',
    'RevenueFromContractWithCustomerIncludingAssessedTax',
    'Revenues',
    'Revenue',
    'SalesRevenueNet',
    'SalesRevenueGoodsNet',
    'RevenuesNetOfInterestExpense',
  ],
  gross_profit: ['GrossProfit'],
  operating_income: ['OperatingIncomeLoss', 'ProfitLossFromOperatingActivities'],
  net_income: [
    'NetIncomeLoss',
    'ProfitLossAttributableToOwnersOfParent',
    'ProfitLoss',
    'NetIncomeLossAvailableToCommonStockholdersBasic',
  ],
  operating_cash_flow: [
    'NetCashProvidedByUsedInOperatingActivities',
    'CashFlowsFromUsedInOperatingActivities',
  ],
  eps_basic: ['EarningsPerShareBasic', 'BasicEarningsLossPerShare'],
  eps_diluted: ['EarningsPerShareDiluted', 'DilutedEarningsLossPerShare'],
  assets: ['Assets'],
  current_assets: ['AssetsCurrent', 'CurrentAssets'],
  liabilities: ['Liabilities'],
  current_liabilities: ['LiabilitiesCurrent', 'CurrentLiabilities'],
  equity: [
    'StockholdersEquity',
    'EquityAttributableToOwnersOfParent',
    'StockholdersEquityIncludingPortionAttributableToNoncontrollingInterest',
    'Equity',
  ],
  cash: ['CashAndCashEquivalentsAtCarryingValue', 'CashAndCashEquivalents'],
  long_term_debt: [
    'LongTermDebtNoncurrent',
    'LongTermDebt',
    'ConvertibleDebtNoncurrent',
    'ConvertibleNotesPayableNoncurrent',
    'LongTermDebtAndCapitalLeaseObligations',
    'SeniorNotes',
    'NoncurrentPortionOfNoncurrentBorrowings',
    'LongtermBorrowings',
    'NoncurrentBorrowings',
  ],
  short_term_debt: [
    'DebtCurrent',
    'LongTermDebtCurrent',
    'ShortTermBorrowings',
    'NotesPayableCurrent',
    'CurrentBorrowingsAndCurrentPortionOfNoncurrentBorrowings',
    'ShorttermBorrowings',
  ],
  // Only to reckon others from.
  interest_income: ['InterestAndDividendIncomeOperating'],
  noninterest_income: ['NoninterestIncome'],
  liabilities_and_equity: ['LiabilitiesAndStockholdersEquity', 'EquityAndLiabilities'],
  total_equity: [
    'StockholdersEquityIncludingPortionAttributableToNoncontrollingInterest',
    'Equity',
    'StockholdersEquity',
  ],
  temporary_equity: ['TemporaryEquityCarryingAmountAttributableToParent', 'TemporaryEquityCarryingAmount'],
} as const

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
