import type { Account, BalanceAccount } from './ledger/account.ts'

/** A call of a signed-in client that its balance or its limits do not cover. `call` is the digest of the call. */
export type CoverRequest = {
  balance: BalanceAccount
  call: string
  service: { slug: string; name: string }
  tool: { name: string; title: string; description: string }
  /** Its price, in atomic units of the balance. */
  amount: string
  reason: string
  detail: string
}

/** A page on which a person may cover one call, for ten minutes. Whoever has the link may pay; nobody is signed in by it. `message` says what it is about. */
export type OpenRequest = { id: string; url: string; expiresAt: string; message: string }

/** Money that was set aside for one call: the ledger account that has it, and how much of it the call takes. */
export type ReservedPayment = { account: Account; amount: string }

/** The people whom signed-in clients act for, as payments see them. */
export type People = {
  /** Page to add to their balance and set limits. */
  page(): string
  /** How a caller without an account could have one, in a sentence; undefined where nobody can sign in. */
  invitation(): string | undefined
  /** Money a person set aside for this very call; undefined where none is. */
  findReserved(balance: BalanceAccount, call: string): Promise<ReservedPayment | undefined>
  /** The page for a call that is not covered; the same one while it is open. Undefined where too many are. */
  openRequest(request: CoverRequest): Promise<OpenRequest | undefined>
  /** Waits until a request is covered, at most 25 s; false where it was not, or is nobody's. */
  awaitCover(id: string, signal: { readonly aborted: boolean } | undefined): Promise<boolean>
}
