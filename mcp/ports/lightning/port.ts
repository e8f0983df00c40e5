import type { Tx } from '../store/port.ts'
import type { PayResult } from './lightning.ts'

/** An invoice that may be paid: over whole sats, in time, and of another node than ours. */
export type PayableInvoice = { msat: bigint; paymentHash: string; expiresAt: Date }

/** Sats out of the Lightning node of this installation. */
export type Lightning = {
  /** `lightning:mainnet`, `lightning:regtest`. */
  readonly network: string
  /** Reads an invoice (BOLT 11). Throws `invalid_input` on the field `invoice` for one that is not to be paid. */
  read(invoice: string): Promise<PayableInvoice>
  /** True when the invoice is now spent by `by`; false when anything else was paid by it, a refund or another payout. */
  spend(tx: Tx, paymentHash: string, by: string): Promise<boolean>
  /** Pays an invoice once, however often it is asked. `failed` is certain. Throws while nobody knows: nothing is lost then, ask again. */
  pay(invoice: string): Promise<PayResult>
  /** Finds the outcome of an invoice that nobody can pay any more; undefined while nobody knows. Pays nothing. */
  find(invoice: string): Promise<PayResult | undefined>
}
