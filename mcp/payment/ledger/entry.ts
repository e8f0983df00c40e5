import { type Account, checkAccount } from './account.ts'
import { type Amount, type Unit, valueIn } from './amount.ts'
import type { EntryRow } from './rows.ts'

/** Effect of an entry on one account: a positive amount is added, a negative one taken. */
export type Posting<U extends Unit = Unit> = { account: Account; amount: Amount<U> }

/** Money that moves: the postings of each unit sum to zero, each account occurs once. `id` makes it happen once. */
export type NewEntry<U extends Unit = Unit> = {
  id: string
  unit: U
  memo: string
  postings: readonly Posting<NoInfer<U>>[]
}

const maxPostings = 100
const maxMemoLength = 500

/** An Error when `id` cannot name an entry or a hold: 1 to 200 visible ASCII characters. */
export const checkId = (what: string, id: string): void => {
  if (typeof id === 'string' && /^[\x21-\x7e]{1,200}$/.test(id)) return
  throw new Error(`${what} id ${JSON.stringify(id)}: must be 1 to 200 visible ASCII characters`)
}

/** The entry as it is stored. An Error, which is the program's fault, when it is not balanced or not well formed. */
export const entryRow = <U extends Unit>({ id, unit, memo, postings }: NewEntry<U>, now: Date): EntryRow => {
  const wrong = (why: string): never => {
    throw new Error(`entry "${id}": ${why}`)
  }
  checkId('entry', id)
  if (memo.length > maxMemoLength) wrong(`the memo is longer than ${maxMemoLength} characters`)
  if (postings.length < 2 || postings.length > maxPostings) wrong(`2 to ${maxPostings} postings are needed`)
  for (const { account } of postings) checkAccount(account)
  if (new Set(postings.map(({ account }) => account)).size < postings.length) wrong('an account occurs twice')
  const sums = new Map<string, bigint>()
  for (const { amount } of postings) {
    const value = valueIn(amount.unit, amount)
    if (value === 0n) wrong('a posting moves nothing')
    sums.set(amount.unit, (sums.get(amount.unit) ?? 0n) + value)
  }
  const open = [...sums].filter(([, sum]) => sum !== 0n).map(([own]) => own)
  const other = open.find(own => own !== unit)
  if (other !== undefined) wrong(`an amount in ${other} where ${unit} is meant`)
  if (open.length > 0) wrong('the postings do not sum to zero')
  const rows = postings
    .map(({ account, amount: { unit: own, value } }) => ({
      account,
      amount: value.toString(),
      ...(own !== unit && { unit: own }),
    }))
    .sort((one, other) => (one.account < other.account ? -1 : 1))
  return { id, unit, memo, time: now.toISOString(), postings: rows }
}

const toText = ({ unit, memo, postings }: EntryRow): string =>
  JSON.stringify([unit, memo, postings.map(({ account, amount, unit }) => [account, amount, unit])])

/** True when two entries move the same money for the same reason, whenever they came. */
export const isSameEntry = (one: EntryRow, other: EntryRow): boolean => toText(one) === toText(other)
