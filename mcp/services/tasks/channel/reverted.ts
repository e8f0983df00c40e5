/** A call that the chain refuses: nothing was sent, or nothing changed. */
export class Reverted extends Error {
  override readonly name = 'Reverted'
  readonly reason: 'insufficient_balance' | 'transaction_reverted'
  constructor(reason: Reverted['reason'], detail: string) {
    super(detail)
    this.reason = reason
  }
}
