import { type Account, checkAccount } from './account.ts'
import { type Amount, type Unit, valueIn } from './amount.ts'
import type { EntryRow } from './rows.ts'

/** Effect of an entry on one account: a positive amount is added, a negative one taken. */
export type Posting<U extends Unit = Unit> = { account: Account; amount: Amount<U> }

/** Money that moves: the postings sum to zero, each account occurs once. `id` makes it happen once. */
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
  const values = postings.map(({ account, amount }) => ({ account, value: valueIn(unit, amount) }))
  if (values.some(({ value }) => value === 0n)) wrong('a posting moves nothing')
  if (values.reduce((sum, { value }) => sum + value, 0n) !== 0n) wrong('the postings do not sum to zero')
  values.sort((one, other) => (one.account < other.account ? -1 : 1))
  const rows = values.map(({ account, value }) => ({ account, amount: value.toString() }))
  return { id, unit, memo, time: now.toISOString(), postings: rows }
}

/** True when two entries move the same money for the same reason, whenever they came. */
export const isSameEntry = (one: EntryRow, other: EntryRow): boolean =>
  JSON.stringify([one.unit, one.memo, one.postings.map(({ account, amount }) => [account, amount])]) ===
  JSON.stringify([other.unit, other.memo, other.postings.map(({ account, amount }) => [account, amount])])
