import type { Tx } from '../../../store/index.ts'
import { ToolError } from '../../kernel/error.ts'
import { type Account, accountKey, checkAccount, hasFloor } from './account.ts'
import { type Amount, type Unit, valueIn } from './amount.ts'
import { checkId, entryRow } from './entry.ts'
import { withoutExpired } from './expiry.ts'
import { InsufficientBalance } from './insufficient.ts'
import { postEntry } from './post.ts'
import { balanceRow, type HoldRow, openBalances, openHolds } from './rows.ts'

/** Money to keep back on an account of a caller, until it is captured, released, or `until` has come. */
export type NewHold<U extends Unit = Unit> = {
  id: string
  unit: U
  account: Account
  amount: Amount<NoInfer<U>>
  until: Date
}

/** Part taken out of a hold, all of it unless told; the rest is free again. */
export type Capture = { amount?: Amount; to: Account; memo?: string }

/** Entries that captures write; no other entry may be called so. */
export const capturePrefix = 'capture:'

const checkHold = <U extends Unit>({ id, unit, account, amount, until }: NewHold<U>, now: Date): bigint => {
  checkId('hold', `${capturePrefix}${id}`)
  checkAccount(account)
  const value = valueIn(unit, amount)
  if (value <= 0n) throw new Error(`hold "${id}": the amount must be above zero`)
  if (!hasFloor(account)) throw new Error(`hold "${id}": ${account} has no floor, a hold would mean nothing`)
  if (!(until > now)) throw new Error(`hold "${id}": until must be a time to come`)
  return value
}

/** Keeps money back, once per id. Throws InsufficientBalance, or `conflict` when the id holds something else. */
export const holdMoney = async <U extends Unit>(tx: Tx, hold: NewHold<U>, now: Date) => {
  const value = checkHold(hold, now)
  const { id, unit, account: owner, until } = hold
  const account = accountKey(unit, owner)
  const stored = await openHolds(tx).get(id)
  if (stored) {
    if (stored.account === account && stored.amount === value.toString()) return 'duplicate'
    throw new ToolError('conflict', `The ledger has another hold with the id "${id}".`)
  }
  const balance = await balanceRow(tx, account)
  const isEnough = ({ value: all, held }: typeof balance) => BigInt(all) - BigInt(held) >= value
  const row = isEnough(balance) || balance.held === '0' ? balance : await withoutExpired(tx, balance, now)
  if (!isEnough(row)) {
    const available = { unit, value: BigInt(row.value) - BigInt(row.held) }
    throw new InsufficientBalance(owner, { unit, value }, available)
  }
  await openBalances(tx).put({ ...row, held: (BigInt(row.held) + value).toString() })
  await openHolds(tx).put({
    id,
    account,
    owner,
    unit,
    amount: value.toString(),
    until: until.toISOString(),
    state: 'held',
  })
  return 'held'
}

const storedHold = async (tx: Tx, id: string): Promise<HoldRow> => {
  const hold = await openHolds(tx).get(id)
  if (!hold) throw new ToolError('not_found', `The ledger has no hold "${id}".`)
  return hold
}

/** True when its time came before its end, whoever noticed it first. */
const isOver = ({ state, until }: HoldRow, now: Date): boolean =>
  state === 'expired' || (state === 'held' && until <= now.toISOString())

const close = async (tx: Tx, hold: HoldRow, state: HoldRow['state']): Promise<void> => {
  const row = await balanceRow(tx, hold.account)
  await openBalances(tx).put({ ...row, held: (BigInt(row.held) - BigInt(hold.amount)).toString() })
  await openHolds(tx).put({ ...hold, state })
}

/** Moves held money to `to`. `conflict` when it was captured or released before, `gone` when its time is over. */
export const captureHold = async (tx: Tx, id: string, { amount, to, memo = '' }: Capture, now: Date) => {
  const hold = await storedHold(tx, id)
  const { unit, owner, state } = hold
  if (isOver(hold, now)) throw new ToolError('gone', `The hold "${id}" has expired.`)
  if (state !== 'held') throw new ToolError('conflict', `The hold "${id}" was ${state} before.`)
  const value = amount ? valueIn(unit, amount) : BigInt(hold.amount)
  if (value <= 0n) throw new Error(`hold "${id}": the captured amount must be above zero`)
  if (value > BigInt(hold.amount))
    throw new ToolError('conflict', `The hold "${id}" keeps less than is to be captured.`)
  const postings = [
    { account: owner, amount: { unit, value: -value } },
    { account: to, amount: { unit, value } },
  ]
  const entry = entryRow({ id: `${capturePrefix}${id}`, unit, memo, postings }, now)
  await close(tx, hold, 'captured')
  await postEntry(tx, entry, now)
}

/** Frees held money. `conflict` when it was captured or released before; nothing is left to do for one that expired. */
export const releaseHold = async (tx: Tx, id: string, now: Date): Promise<void> => {
  const hold = await storedHold(tx, id)
  if (hold.state === 'expired') return
  if (hold.state !== 'held') throw new ToolError('conflict', `The hold "${id}" was ${hold.state} before.`)
  await close(tx, hold, isOver(hold, now) ? 'expired' : 'released')
}
