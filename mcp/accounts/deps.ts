import { withClient } from '../kernel/collection.ts'
import type { Clock } from '../ports/clock/port.ts'
import type { Fetch } from '../ports/fetch/port.ts'
import type { Ports } from '../ports/ports.ts'
import type { Json, Store, Tx } from '../ports/store/port.ts'

import type { Activity } from './activity.ts'
import type { ProtectedResource } from './oauth/resources.ts'
import type { OperatorDesk } from './operator.ts'
import type { NamedServiceBook } from './own-books.ts'

/** An authorization server of somebody else's, as the operator names it. */
export type ExternalIssuer = {
  /** As its documents and tokens name it. */
  issuer: string
  /** Audiences tokens may have, besides the resource itself. */
  audience: readonly string[]
  scopes: readonly string[]
  /** The way to it alone: it may be on a private network. */
  fetch: Fetch
}

/** True when one more use of something fits into its window of `seconds`, a minute unless told. */
export type TakeLimit = (key: string, quota: number, seconds?: number) => Promise<boolean>

/** A client that a person let in, as the person sees it. */
export type ConnectedClient = {
  /** Names what the person allowed it. */
  id: string
  /** Its own name: a stranger's words. */
  name: string
  /** Host names of who it is and where it is sent back to. */
  hosts: readonly string[]
  connected_at: string
  /** When it last took a token. */
  last_used?: string
}

/** The clients of an account, which the authorization server knows. */
export type AccountClients = {
  list(account: string): Promise<readonly ConnectedClient[]>
  /** Takes a client's access away, at once; false where the account has no such client. */
  disconnect(account: string, id: string): Promise<boolean>
  /** The same for all of them, and for those that were about to be let in. */
  disconnectAll(account: string): Promise<void>
}

/** Keys of services that are a person's, and whom they are there. */
export type OwnKeys = Awaited<ReturnType<Ports['keys']['listOf']>>

/** Data others keep about an account: it goes into the export, stands in the way of a deletion, and goes with it. */
export type AccountPart = {
  /** Its name in the export. */
  name: string
  read(account: string): Promise<Json>
  /** Why the account cannot be deleted now, in a sentence for its owner; undefined where nothing is in the way. */
  blocks?(tx: Tx, account: string): Promise<string | undefined>
  /** Drops it, in the transaction that deletes the account. */
  remove?(tx: Tx, account: string): Promise<void>
}

/** Dependencies of accounts, their sign-in and balance. */
export type AccountDeps = Pick<Ports, 'fetch' | 'rates'> & {
  store: Store
  clock: Clock
  keys: Ports['keys']
  ledger: Ports['ledger']
  card?: Ports['card'] | undefined
  /** Whose tokens count, where it is not our own authorization server's. */
  external?: ExternalIssuer | undefined
  /** Counts what strangers may make us do. */
  take: TakeLimit
  /** MCP endpoints that people may let clients into, the bundle first where there is one. */
  resources: readonly ProtectedResource[]
  /** Port that asks smart accounts whether they signed; without it only keys sign in. */
  evm?: Ports['evm'] | undefined
  /**
   * The address that people open, without a slash at the end: PUBLIC_URL, or `http://localhost:<port>` here, because passkeys refuse
   * 127.0.0.1. Its path, where the installation is mounted below one, is that of `url()`.
   */
  origin(): string
  /** The address that clients call; the same but for the host on this machine. */
  url(): string
  /** Names in which the operator is told of faults. */
  report(at: string, cause: unknown): void
  /** Counts a use by a network address; `what` begins the sentence of the refusal. Throws `too_many_requests` past so many a minute. */
  takeLimit(what: string, address: string | undefined, perMinute: number): Promise<void>
  /** Counts a new account for a network address. Throws `too_many_requests` past what one may make in a day. */
  countRegistration(tx: Tx, address: string | undefined): Promise<void>
  /** Services that limits may name: those served here. */
  services?: readonly { slug: string; name: string }[]
  /** The books that services keep for their accounts. */
  serviceBooks?: readonly NamedServiceBook[]
  /** How money leaves over Lightning, and in USDC; undefined where it does not. */
  lightning?: Ports['lightning'] | undefined
  payouts?: Ports['payouts'] | undefined
  /** How balances can be paid here, beside cards. */
  ways?: readonly ('wallet' | 'lightning')[]
  /** Undefined where no client can sign anybody in. */
  clients?: AccountClients | undefined
  /** The last calls of each account. */
  activity?: Pick<Activity, 'list'> | undefined
  /** What operators see and do; undefined where nobody operates by pages. */
  desk?: OperatorDesk | undefined
  /** Data others keep about accounts. */
  parts?: readonly AccountPart[] | undefined
}

/** The same for what one visitor brings: the budgets of its network bind what it makes us keep. */
export const forVisitor = (deps: AccountDeps, address = ''): AccountDeps => ({
  ...deps,
  store: withClient(deps.store, address),
})
