import { ToolError } from '../../kernel/error.ts'
import type { Account } from './account.ts'
import type { Amount } from './amount.ts'
import { formatAmount } from './decimal.ts'

/** An account has less than a debit or a hold needs. The text does not say how much, since it may be another's account. */
export class InsufficientBalance extends ToolError {
  override readonly name = 'InsufficientBalance'
  readonly account: Account
  readonly needed: Amount
  readonly available: Amount

  constructor(account: Account, needed: Amount, available: Amount) {
    const name = needed.unit === 'credit' ? 'credits' : needed.unit
    super('conflict', `The balance is too low: this takes ${formatAmount(needed)} ${name}.`, {
      hint: 'Add to the balance or release what is held, then try again.',
    })
    this.account = account
    this.needed = needed
    this.available = available
  }
}
