import { PaymentRequired } from '../../kernel/error.ts'

/** A call that a balance, or the limits of who spends it, does not cover. `amount` is what it costs, in atomic units. */
export class NotCovered extends PaymentRequired {
  readonly amount: string

  constructor({ parts, message, extra }: PaymentRequired, amount: string) {
    super(parts, message, extra)
    this.amount = amount
  }
}
