import type { Price } from '../kernel/tool.ts'
import type { Tx } from '../ports/store/port.ts'
import type { Unit } from './ledger/amount.ts'
import type { Rates } from './rates.ts'

/**
 * One call to be paid, as a method prices it. `request` is null for a probe, whose price is shown and not pinned. `asker` names who
 * is shown it, for what costs us something, and `client` its network address; `title` is what is bought, for people.
 */
export type Quote = {
  request: string | null
  price: Price
  settle: 'before' | 'after'
  asker: string
  client: string
  title: string
}

/** Spendable part of a balance, in words that name its unit, and as a decimal number of it. */
export type Available = { amount: string; words: string }

/** A method's payment terms. Dialects frame them by `kind` and never look at the method. */
export type Offer = {
  /** Id of the method. */
  method: string
  /** Payload signed or shown: `eip3009`, `svm-exact`, `broadcast`, `bolt11`, `account` … */
  kind: string
  /** CAIP-2, `eip155:8453`, or what stands for one where there is no chain. */
  network: string
  asset: string
  payTo: string
  /** Atomic units of the asset, as a decimal string. */
  amount: string
  /** Digits after the point of the asset, where it has a point. */
  decimals?: number
  /** For people: `0.10 USDC on Base`. */
  words: string
  maxTimeoutSeconds: number
  /** Extras that the kind needs: the token's name and version, the fee payer, the nonce. */
  extra: Readonly<Record<string, unknown>>
}

/** Terms the payer says it accepted. Compared with our offer, never believed. */
export type AcceptedTerms = {
  asset: string
  payTo: string
  amount: string
  extra: Readonly<Record<string, unknown>>
}

/** A payment as a dialect read it from its wire; nothing of it is verified yet. */
export type Attempt = {
  dialect: string
  kind: string
  network: string
  accepted: AcceptedTerms | undefined
  /** Proof with the money that is not on the chain, so that only its payer can repeat it; part of the record's id. */
  proof: readonly unknown[]
  /** Payload signed or shown, in the words of the kind, whatever framed it. */
  data: Readonly<Record<string, unknown>>
  /** How the dialect got it, where that decides how it answers. */
  form?: string
  /** True when what was signed names our quote itself, so it was signed for it whenever carried out. */
  isBound?: true
  /** Its dialect has proved that the terms are ours: it pays, at that price, the one call that their quote is for. */
  isIssued?: true
  /** Nothing in it is ours: once the money has moved, anybody can read it off the chain and send it again. */
  isPublic?: true
}

/** Why a payment is refused, in words that leak nothing of ours. */
export type Refusal =
  | 'expired'
  | 'not_yet_valid'
  | 'wrong_network'
  | 'wrong_asset'
  | 'wrong_recipient'
  | 'too_little'
  | 'too_much'
  | 'insufficient_funds'
  | 'balance_too_low'
  | 'limit_per_call'
  | 'limit_per_day'
  | 'limit_service'
  | 'factory_not_allowed'
  | 'invalid_signature'
  | 'already_used'
  | 'unreadable'
  | 'ambiguous_payment'
  | 'other_account'
  | 'settlement_failed'

export type VerifyResult = { ok: true; payer: string } | { ok: false; reason: Refusal }

/** Coins that carrying a transfer out cost this installation, in units of 18 decimals. */
export type Fee = { amount: string; coin: string }

/**
 * What became of a payment. `log` names the transfer itself, `network:transaction:index`, so that nothing spends it again.
 * `unused`: the money has not moved and still may, by whoever has the authorization. `failed`: it can never move, by the chain's
 * own time. `facilitator` is the one elsewhere that took it; `fee` what we paid for its transaction. `detail` says to people what a method saw; `params` what a program needs to go on.
 */
export type FindResult =
  | { state: 'settled'; transaction: string; payer: string; log: string; facilitator?: string; fee?: Fee }
  | {
      state: 'pending'
      transaction: string
      params?: Readonly<Record<string, unknown>>
      facilitator?: string
    }
  | { state: 'unused' }
  | { state: 'failed'; reason: Refusal; detail?: string; moved?: MovedOtherwise }

/** Money that came all the same, and not as it was asked for: how much, and as which transfer. */
export type MovedOtherwise = { amount: string; transfer: { transaction: string; payer: string; log: string } }

/**
 * What a settlement came to. `refused`: nothing was handed to anybody, so the payment is free again. `failed` is what a
 * facilitator says; the money may move all the same, and only `find` decides.
 */
export type SettleResult = Exclude<FindResult, { state: 'unused' }> | { state: 'refused'; reason: Refusal }

/** Entry that catalogues may list for a paid call, in our words: its address, and the discovery extension of x402. */
export type CatalogueListing = {
  resource: { url: string; description: string; mimeType: string; serviceName: string }
  extensions: Readonly<Record<string, unknown>>
}

/** Facts in a record of an earlier try: under which transaction, '' for none, and since when. */
export type SentTransaction = { transaction: string; since: Date }

/** Outcome of a refund: sent on a chain, credited in a book, waiting for a destination, or failed with nothing sent. */
export type RefundResult =
  | { state: 'sent'; transaction: string }
  | { state: 'failed'; detail: string }
  | { state: 'credited'; entry: string }
  | { state: 'needs'; what: 'bolt11' | 'address' | 'account' }

/**
 * What a method remembers of one refund, durably and before anybody has it: a process that takes over goes on with `last` and sends
 * no second one. `note` throws where another process has taken over already.
 */
export type RefundNotes = { last: string | undefined; note(text: string): Promise<void> }

/** A transfer as the chain has it, whoever asked for it. `log` is the name that `Settled` gives it; `amount` is in atomic units. */
export type Movement = { log: string; from: string; to: string; amount: string }

/** A transfer to the wallet that is paid, whoever sent it and for whatever. `log` is the name that `Settled` gives it. */
export type IncomingTransfer = {
  log: string
  transaction: string
  asset: string
  payTo: string
  payer: string
  amount: string
  at: Date
}

/** Entries that a method makes in the transaction of the payment's own record. `id` is that of its receipt. */
export type BookEntries = {
  /** Unit of its accounts. */
  unit: Unit
  /** Sets the money aside with the record; throws InsufficientBalance where there is too little. */
  hold(tx: Tx, id: string, attempt: Attempt, offer: Offer): Promise<void>
  /** Takes the money or a part of it, together with what was done for it; the rest is free. `memo` says what that was. */
  capture(tx: Tx, id: string, memo: string, part?: { amount: string; rest: string }): Promise<void>
  release(tx: Tx, id: string): Promise<void>
  /** The entry that `capture` makes. */
  entry(id: string): string
  /** Funds an account can spend. */
  available(account: string): Promise<Available>
}

/** One way to move money, on one network. It knows nothing of tools, records or wires. */
export type PaymentMethod = {
  id: string
  kind: string
  network: string
  /** The name that prices use: `base`, `base-sepolia`, `arbitrum`, `solana`. */
  name: string
  /** Party moving the money: `us` when the call settles, the `payer` before it comes, the `book` in the store's transaction. */
  moves: 'us' | 'payer' | 'book'
  takes(price: Price): boolean
  offer(quote: Quote, rates: Rates): Promise<Offer>
  /**
   * Names the money itself, whatever framed it: network, asset, payer, nonce. Undefined when it cannot be read. Where the payer
   * moved it, `settled` is what was found.
   */
  identify(attempt: Attempt, settled?: { payer: string }): string | undefined
  /** Amount a payment's signature moves, in atomic units, whatever it says of itself; undefined when unreadable. */
  signedAmount?(attempt: Attempt): string | undefined
  /** Checks everything that can be checked without moving money. */
  verify(attempt: Attempt, offer: Offer): Promise<VerifyResult>
  /**
   * Our own look at a payment, nobody else asked. Only where `verify` shows it to others: whoever has seen a good one may carry it
   * out, whatever was said of it.
   */
  inspect?(attempt: Attempt, offer: Offer): Promise<VerifyResult>
  /** Moves the money, once: what is under way is looked up, and sent again where it was lost. */
  settle(attempt: Attempt, offer: Offer, listing?: CatalogueListing): Promise<SettleResult>
  find(attempt: Attempt, offer: Offer, sent?: SentTransaction): Promise<FindResult>
  /**
   * When a transaction was mined, by the time of the chain. Only where others than us can carry a payment out: what they did
   * before we were asked is served then.
   */
  minedAt?(transaction: string): Promise<Date>
  /**
   * Gives an amount in atomic units back to a payer. `id` makes it happen once; `to` is where the payer wants it; `asset` is what was
   * paid, for a method that takes several.
   */
  refund(
    id: string,
    payer: string,
    amount: string,
    to?: string,
    asset?: string,
    notes?: RefundNotes,
  ): Promise<RefundResult>
  /**
   * The wallet that is paid here and that refunds come from, where each refund is noted before it is sent. Only where payers may have
   * what they paid to it sent back, to the address that paid.
   */
  refundsFrom?(): Promise<string>
  /**
   * The address that offers like this one named before `payTo` was changed, while their quotes are still honoured; undefined for an offer
   * that does not pay the till.
   */
  previousPayTo?(offer: Offer): Promise<string | undefined>
  /**
   * Checks where a payer wants a refund to go, before any of it is begun, and resolves to the name of what would be paid there. Only
   * where payers may ask for one themselves. Throws `invalid_input`.
   */
  readRefundTo?(amount: string, to: string): Promise<string>
  /** True when a payer signed a text, in the way that its wallet signs messages. */
  isSignedBy?(payer: string, text: string, signature: string): Promise<boolean>
  /** There where `moves` is `book`. */
  book?: BookEntries
  /** `0.10 USDC on Base`: atomic units as people read them. */
  toWords?(amount: string): string
  /**
   * What a transaction moved of the asset, for audits; undefined when the chain has no such transaction, or did not carry it out.
   * `to` is who should have got it, where the chain names accounts of its own for owners.
   */
  movements?(transaction: string, to: string): Promise<readonly Movement[] | undefined>
  /**
   * What came to the till after a place that an earlier answer has named `upTo`; without one from a day before. What a chain may still
   * take back is left for later. `isMore`: it goes on from `upTo` at once.
   */
  incoming?(
    after: string | undefined,
  ): Promise<{ upTo: string; transfers: readonly IncomingTransfer[]; isMore: boolean }>
  /** Why no quote may name it now; undefined when one may. */
  blocked?(): Promise<string | undefined>
  close(): Promise<void>
}
