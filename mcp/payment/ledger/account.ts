import { crc32 } from 'node:zlib'
import type { Unit } from './amount.ts'

/** Which accounts have a floor at zero, by the prefix of their name. */
const floors = { user: true, agent: true, escrow: true, house: false, world: false } as const

/** `user:` and `agent:` belong to callers, `escrow:` holds money between two; `house:` is ours, `world:` is outside. */
export type Account = `${keyof typeof floors}:${string}`

const accountPattern = new RegExp(`^(?:${Object.keys(floors).join('|')}):[\\x21-\\x7e]{1,190}$`)

/** True when this account may never go below zero. Those of the house and of the world may. */
export const hasFloor = (account: Account): boolean => floors[account.split(':', 1)[0] as keyof typeof floors]

/** An Error for what is no account: a prefix that nobody declared has no floor rule. */
export const checkAccount = (account: string): void => {
  if (accountPattern.test(account)) return
  throw new Error(
    `account ${JSON.stringify(account)}: a known prefix, ":" and 1 to 190 visible ASCII characters`,
  )
}

const stripes = 64

/** The account in one unit, as lines and holds name it. */
export const accountKey = (unit: Unit, account: Account): string => `${unit} ${account}`

/**
 * The document that keeps the balance of an account, or the part of it that this entry counts in: nearly all entries
 * touch an account of the house, which would make one document of it the place where everybody waits.
 */
export const balanceId = (unit: Unit, account: Account, entry: string): string => {
  const key = accountKey(unit, account)
  return hasFloor(account) ? key : `${key} ${crc32(entry) % stripes}`
}

/** All documents that keep the balance of an account. */
export const balanceIds = (unit: Unit, account: Account): string[] => {
  const key = accountKey(unit, account)
  return hasFloor(account) ? [key] : Array.from({ length: stripes }, (_, stripe) => `${key} ${stripe}`)
}

/**
 * A prepaid balance in the ledger: whose, and what it is counted in. `spender` is the grant of the client that spends it for a person,
 * within the limits that the person set.
 */
export type BalanceAccount = { readonly account: Account; readonly unit: Unit; readonly spender?: string }
