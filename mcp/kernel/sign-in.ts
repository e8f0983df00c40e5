import type { BalanceAccount } from '../ports/payment/port.ts'

/**
 * Whoever signed in, and the client that acts for them. `account` is the same for every service; `grant` names what the person allowed this
 * client, such as how much it may spend.
 */
export type Person = {
  account: string
  client: { id: string; name: string }
  grant: string
  balance?: BalanceAccount
  /** Limits of a key that acts for the person: services it acts at, null for all, and whether it does more than read. */
  scope?: { services: readonly string[] | null; access: 'read' | 'write' }
  /** The wallet that signed, `eip155:8453:0x…`, where one did in place of a client. */
  wallet?: string
  /** Ethereum addresses, in lower case, that have signed in to this account: the person holds their keys. */
  wallets(): Promise<readonly string[]>
}

/** Somebody who is signed in at a page. Their money is spent only where they press for it. */
export type Visitor = Person & {
  purse: {
    balance: BalanceAccount
    /** What is there to spend, such as "5.00". */
    available(): Promise<string>
  }
}

/** Sign-in for people whose clients speak OAuth 2.1, as the pipeline sees it (MCP authorization, RFC 9728). */
export type SignIn = {
  /** Origin at which people sign in, and the only one at which the cookie of their browser is sent. */
  origin?(): string
  /** True when a bearer credential is by its form an access token of the authorization server that this installation trusts. */
  isToken(credential: string): boolean
  /** Holder of a token made for this resource, such as `https://example.org/cat/mcp`; undefined if it is no good. */
  readToken(token: string, resource: string): Promise<Person | undefined>
  /**
   * The person who signs in with a wallet of a name such as `eip155:8453:0x…`, which has signed a request or a payment; undefined for
   * nobody's. Throws `forbidden` for an account that the operator froze.
   */
  readWallet?(wallet: string): Promise<Person | undefined>
  /**
   * The `WWW-Authenticate` line of a refusal at a resource; `error` where a token came. `host` is the Host header of the request: on this
   * machine a client may know the server by another name.
   */
  challenge(resource: string, options?: { error?: 'invalid_token'; host?: string | undefined }): string
}
