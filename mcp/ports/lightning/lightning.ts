/** An invoice (BOLT 11) that a node made. */
export type Invoice = {
  invoice: string
  /** 32 bytes, hex. */
  paymentHash: string
  expiresAt: Date
}

/**
 * What paying an invoice came to. `preimage` is empty where an earlier try paid and the node does not tell it again. `failed` is certain: nothing was paid and nothing will be. A throw leaves it open.
 */
export type PayResult = { state: 'paid'; preimage: string } | { state: 'failed'; detail: string }

/** A payment of an invoice of the node. `msat` is what came, which may be more than was asked for. */
export type Received = { paymentHash: string; msat: bigint; at: Date }

/** A Lightning node that receives payments for us. */
export type LightningNode = {
  /** Names the node in records, such as its public key. */
  node: string
  createInvoice(order: { msat: bigint; memo: string; expirySeconds: number }): Promise<Invoice>
  /** Pays an invoice once, however often it is asked. Absent where the node is there to receive only. */
  pay?(invoice: string): Promise<PayResult>
  /**
   * What became of an invoice that `pay` was asked for and that nobody can pay any more: undefined while it is under way, or where the
   * node cannot tell. Pays nothing.
   */
  find?(invoice: string): Promise<PayResult | undefined>
  /** Payments of invoices that were made since a time. Absent where the node lists none. */
  received?(since: Date): Promise<readonly Received[]>
  /** Throws `upstream` where the node does not answer. Absent where it is in this process. */
  ping?(): Promise<void>
  /** It pays invoices of its own, and none of others. */
  paysItself?: true
  close(): Promise<void>
}
