/** What others may know of payments: the ledger, the rates, and whose money it is. */
export type { Account, BalanceAccount } from '../../payment/ledger/account.ts'
export type { Unit } from '../../payment/ledger/amount.ts'
export type { Ledger } from '../../payment/ledger/index.ts'
export type { CoverRequest, People } from '../../payment/people.ts'
export { developmentSource, type Rate, type Rates } from '../../payment/rates.ts'
export type { Spend, Spending, SpendingRefusal } from '../../payment/spending.ts'
