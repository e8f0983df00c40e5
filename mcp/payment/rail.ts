/** One way to pay that a 402 offers: an entry of x402 v2 `accepts`, exactly its seven fields. */
export type Offer = {
  scheme: 'exact'
  /** CAIP-2, `eip155:8453`, `solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp`. */
  network: string
  /** Atomic units of the asset, as a decimal string. */
  amount: string
  asset: string
  payTo: string
  maxTimeoutSeconds: number
  extra: Readonly<Record<string, unknown>>
}

/** An x402 v2 PaymentPayload as it came over a wire; only its outline is checked. */
export type Payload = {
  x402Version: 2
  accepted: Offer
  payload: Readonly<Record<string, unknown>>
  resource?: unknown
  extensions?: unknown
}

/** Why a payment is refused, in words that leak nothing of ours. */
export type Refusal =
  | 'expired'
  | 'not_yet_valid'
  | 'wrong_network'
  | 'wrong_asset'
  | 'wrong_recipient'
  | 'too_little'
  | 'insufficient_funds'
  | 'invalid_signature'
  | 'already_used'
  | 'unreadable'
  | 'settlement_failed'

export type Verified = { ok: true; payer: string } | { ok: false; reason: Refusal }

/** `log` names the transfer itself, `network:transaction:index`, so that no rail can spend it again. */
export type Settled =
  | { state: 'settled'; transaction: string; payer: string; log: string }
  | { state: 'pending'; transaction: string }
  | { state: 'failed'; reason: Refusal }

/** What became of an authorization on chain, asked after a restart or a slow confirmation. */
export type Found = Settled | { state: 'unused' }

/** A network that payments are taken on. It moves money and knows nothing of tools, records or transports. */
export type Rail = {
  network: string
  /** Names that prices use: `base`, `base-sepolia`, `arbitrum`, `solana`. */
  name: string
  devnet: boolean
  /** The offer for a price in USD. `before` adds what tells a stock client that settlement comes first. */
  offer(usd: string, settle: 'before' | 'after'): Promise<Offer>
  /** Names the authorization itself, whatever carried it: network, asset, payer, nonce. Undefined when unreadable. */
  identity(payload: Payload): string | undefined
  /** Checks everything that can be checked without moving money. */
  verify(payload: Payload, offer: Offer): Promise<Verified>
  /** Moves the money, once: a payload that was sent before is looked up, not sent again. */
  settle(payload: Payload, offer: Offer): Promise<Settled>
  find(payload: Payload, offer: Offer): Promise<Found>
  /** Sends an amount in atomic units back to a payer; resolves to the transaction. `id` makes it happen once. */
  refund(id: string, payer: string, amount: string): Promise<string>
  close(): Promise<void>
}
