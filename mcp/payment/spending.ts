import type { Tx } from '../../store/index.ts'
import type { Account } from './ledger/account.ts'

/** One call that a client pays from the balance of its person. `id` is that of the receipt; `amount` is in atomic units. */
export type Spend = {
  id: string
  spender: string
  account: Account
  service: string
  tool: string
  amount: bigint
}

/** Which limit a call goes past, in a sentence with the limit and the price, and the same for programs. */
export type SpendingRefusal = {
  reason: 'limit_per_call' | 'limit_per_day' | 'limit_service'
  detail: string
  params: Readonly<Record<string, unknown>>
}

/** Spending people allow their clients, counted in the transaction that holds the money. */
export type Spending = {
  /** Counts a call within the limits; the refusal where it is past one, and nothing is counted then. */
  take(tx: Tx, spend: Spend): Promise<SpendingRefusal | undefined>
  /** Gives back what was counted for a call that came to nothing, or so much of it; does nothing for any other. */
  giveBack(tx: Tx, id: string, amount?: bigint): Promise<void>
}

/** A call goes past a limit of its client: thrown out of the transaction, so that nothing of it stays. */
export class SpendingRefused extends Error {
  override readonly name = 'SpendingRefused'
  readonly refusal: SpendingRefusal

  constructor(refusal: SpendingRefusal) {
    super(refusal.detail)
    this.refusal = refusal
  }
}
