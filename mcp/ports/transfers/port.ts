import type { Tx } from '../store/port.ts'

/** A proven transfer of at least what was asked to the wallet of this installation. */
export type ProvenTip = {
  log: string
  payer: string
  network: string
  transaction: string
  /** Amount transferred, in USD, with two decimals at least. */
  usd: string
  at: Date
}

/** Direct USDC transfers to the wallet of this installation, proven on the chain by their transaction hash. */
export type Transfers = {
  /** The address that is paid, on a network such as `base`. */
  wallet(network: string): Promise<string>
  /**
   * Proves a confirmed transfer of at least `usd` to the wallet. Throws a failure that names what is wrong: unknown or too
   * young (retry later), reverted, another token, another recipient, too little, or the payment of an x402 call.
   */
  prove(network: string, hash: string, usd: string): Promise<ProvenTip>
  /**
   * Confirmed direct transfers of at least `usd` after block `after`, oldest first, in slices; ask again after `upTo`. The
   * first time it looks back at nothing. Payments of x402 calls are no tips.
   */
  listIncoming(
    network: string,
    after: string | undefined,
    usd: string,
  ): Promise<{ upTo: string; tips: ProvenTip[] }>
  /** True when `log` is now spent by `by`; false when anything else has spent it. One set for all rails and claims. */
  spend(tx: Tx, log: string, by: string): Promise<boolean>
}
