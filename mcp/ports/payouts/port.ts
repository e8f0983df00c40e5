/** Money to pay out once: `id` names it for all time, `from` is the wallet that it was begun from, `amount` in atomic units. */
export type Payout = { id: string; from: string; to: string; amount: bigint }

/** USDC out of the wallet of this installation. */
export type Payouts = {
  /** CAIP-2 network, `eip155:8453`. */
  readonly network: string
  /** The address that pays, in lower case. */
  wallet(): Promise<string>
  /**
   * Pays, or goes on with a payout that was begun: the same id never pays twice, whichever process repeats it. `pending`: it may not
   * be certain yet, ask again. Throws while it cannot be sent; nothing is lost then.
   */
  send(payout: Payout): Promise<{ state: 'sent'; transaction: string | null } | { state: 'pending' }>
}
