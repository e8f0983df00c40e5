import type { ArchivePolicy, Collection, Index, Json, Row, Store, Tx } from '../../store/index.ts'
import type { Account } from '../payment/ledger/account.ts'
import type { Unit } from '../payment/ledger/amount.ts'
import type { Ledger } from '../payment/ledger/index.ts'
import type { CoverRequest, People } from '../payment/people.ts'
import type { Rates } from '../payment/rates.ts'
import type { Spend, Spending, SpendingRefusal } from '../payment/spending.ts'
import type { Book, BookBalance, BookCredit, Books, CardOrder, StatementLine, Withdrawal } from './books.ts'
import type { Browsers } from './browser/port.ts'
import type { Card } from './card/card.ts'
import type { Chains } from './chain/chains.ts'
import type { Evm } from './evm/port.ts'
import type { Files } from './files/port.ts'
import type { Geo } from './geo.ts'
import type { PayResult } from './lightning/lightning.ts'
import type { Llm } from './llm/port.ts'
import type { Rdap } from './rdap/port.ts'
import type { Sandboxes } from './sandbox/port.ts'
import type { Asker, Resource, Scheduler, Turn } from './scheduler/port.ts'

export { BadCursor } from '../../store/index.ts'
export type { Browser, BrowserStep } from './browser/port.ts'
export type { Chain } from './chain/chain.ts'
export type { ChainName } from './chain/networks.ts'
export type { SignedTransaction, Wallet } from './chain/wallet.ts'
export type { EvmAnswer, EvmChain, EvmError, EvmNetwork, EvmOptions, LocalEvm } from './evm/port.ts'
export type { Files } from './files/port.ts'
export type { Place } from './geo.ts'
export type { LlmPart } from './llm/port.ts'
export type { NumberRecord, Registrar, Registration, RegistryDate } from './rdap/port.ts'
export type { Sandbox, SandboxLimits, SandboxResult } from './sandbox/port.ts'
export type {
  Account,
  ArchivePolicy,
  Asker,
  Book,
  BookBalance,
  BookCredit,
  Books,
  Browsers,
  Card,
  CardOrder,
  Chains,
  Collection,
  CoverRequest,
  Evm,
  Geo,
  Index,
  Json,
  Ledger,
  Llm,
  People,
  Rates,
  Rdap,
  Resource,
  Row,
  Sandboxes,
  Scheduler,
  Spend,
  Spending,
  SpendingRefusal,
  StatementLine,
  Store,
  Turn,
  Tx,
  Unit,
  Withdrawal,
}

/**
 * A prepaid balance in the ledger: whose, and what it is counted in. `spender` is the grant of the client that spends it for a person,
 * within the limits that the person set.
 */
export type BalanceAccount = { readonly account: Account; readonly unit: Unit; readonly spender?: string }

/** The time, so that tests can set it. */
export type Clock = { now(): Date }

export type DnsType =
  | 'A'
  | 'AAAA'
  | 'CAA'
  | 'CNAME'
  | 'DNSKEY'
  | 'DS'
  | 'HTTPS'
  | 'MX'
  | 'NS'
  | 'PTR'
  | 'SOA'
  | 'SRV'
  | 'TLSA'
  | 'TXT'

/** One resource record; `data` as the type has it: text, or an object such as `{ preference, exchange }` for MX. */
export type DnsRecord = { name: string; type: string; ttl: number; data: unknown }

export type DnsAnswer = {
  rcode: 'NOERROR' | 'NXDOMAIN' | 'SERVFAIL' | 'REFUSED' | (string & {})
  /** The resolver says that it validated the answer (the AD bit). */
  authentic: boolean
  /** Records of the asked type and the CNAMEs that led to them, in wire order. TXT chunks are joined. */
  records: DnsRecord[]
  authorities: DnsRecord[]
  transport: 'udp' | 'tcp' | 'https'
  /** The resolver that answered, `address:port` or a DoH URL. */
  resolver: string
}

export type Dns = {
  /** Asks the configured resolvers. Throws `upstream` when none answers in time; NXDOMAIN and SERVFAIL are answers. */
  query(name: string, type: DnsType, options?: { signal?: AbortSignal }): Promise<DnsAnswer>
  /** The same on behalf of one call: its client has a share of the questions under way. */
  forCall?(turn: Partial<Turn>): Dns
}

/** Options of one outbound request. Limits only tighten the defaults, but for `maxBytes`. */
/**
 * Who named the host of a request: the caller, a page or file of a stranger, or the operator, whose registries are not
 * counted. Each host is asked so often a minute at most, and half as often for pages.
 */
export type NamedBy = 'caller' | 'page' | 'operator'

export type FetchOptions = {
  method?: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'DELETE'
  headers?: Record<string, string>
  body?: string | Buffer
  /** `Accept` sent. Default: any. */
  accept?: string
  /** Refuse a body whose media type does not match, before it is read. */
  types?: RegExp
  /** Decoded bytes kept; what is beyond is dropped and flagged. Default 5 MiB, at most 20. */
  maxBytes?: number
  /** Redirects followed, each checked as the first address was. Default 5, at most 10. */
  maxRedirects?: number
  /** Milliseconds for the whole call. Default 12,000. */
  deadlineMs?: number
  /** Ask the site itself now: no kept answer, and none that another caller is waiting for. */
  fresh?: boolean
  /** Milliseconds between two requests to one origin, for callers that ask it many times. At most 2,000. */
  gapMs?: number
  /** Default: the caller. A redirect to another host is the page's. */
  namedBy?: NamedBy
  signal?: AbortSignal
}

/** One answer on the way. `headers` by lower-case name, every line of a repeated one; `ip` is who answered, null for a kept answer. */
export type Hop = {
  url: string
  status: number
  ms: number
  location?: string
  headers: Readonly<Record<string, readonly string[]>>
  ip: string | null
}

export type Fetched = {
  /** Target of the last redirect. */
  url: string
  status: number
  hops: Hop[]
  /** Lower-case names; repeated headers joined with ", ". */
  headers: Record<string, string>
  body: Buffer
  /** More was sent than `maxBytes`, or the body broke off. */
  truncated: boolean
  /** The body in the charset that BOM, header, markup or the bytes themselves tell. */
  text(): { text: string; charset: string; charsetSource: string }
}

/** The one way out to the web: public addresses only, pinned to the checked address, bounded in size and time. */
export type Fetch = ((url: string, options?: FetchOptions) => Promise<Fetched>) & {
  /** Throws what a call would throw for an address by every rule that needs no look-up: `invalid_input`. */
  check?(url: string): void
  /** The same on behalf of one call: its client has a share of the requests under way. */
  forCall?(turn: Partial<Turn>): Fetch
}

/** A connection that is kept open. */
export type KeptSocket = {
  /** True when it is open now. */
  isOpen(): boolean
  /** Ends it for good. */
  close(): void
}

/** WebSockets to addresses of the operator's; callers never name one. */
export type Sockets = {
  /**
   * Keeps a connection open until it is closed: opens it anew, with growing pauses, when it breaks or says nothing for `silenceMs`.
   * `onOpen` says hello each time; `send` reaches the connection that called.
   */
  keep(
    url: string,
    on: {
      onOpen(send: (text: string) => void): void
      onMessage(text: string, send: (text: string) => void): void
      silenceMs?: number
    },
  ): KeptSocket
}

/** A certificate that a server shows. `raw` and `publicKey` are DER; `keyBits` is of RSA, `curve` of elliptic keys. */
export type PeerCertificate = {
  subject: string | null
  issuer: string | null
  names: string[]
  validFrom: Date
  validTo: Date
  serialNumber: string
  fingerprint256: string
  keyType: string
  keyBits: number | null
  curve: string | null
  raw: Buffer
  publicKey: Buffer
}

/** Terms a server agreed on. `problem` is why its certificate is not good for its name, a code of Node or OpenSSL. */
export type TlsAnswer =
  | { offered: false; address: string }
  | {
      offered: true
      address: string
      protocol: string
      cipher: string
      problem: string | null
      certificate: PeerCertificate
      /** The certificates above it, as far as they are known. */
      chain: PeerCertificate[]
    }

/** Looks at the TLS of servers that strangers name: public addresses only, bounded in size and time. */
export type Tls = {
  /**
   * Connects, on port 25 by STARTTLS, and says what is agreed on; nothing is refused for being weak. Throws `upstream` when
   * the server cannot be reached or asked: then nobody knows.
   */
  inspect(host: string, port: 25 | 443 | 8443, options?: { signal?: AbortSignal }): Promise<TlsAnswer>
  /** True when browsers know a host, or the domain above it, as https only. */
  preload(host: string, options?: { signal?: AbortSignal }): Promise<PreloadStatus>
  /** The same on behalf of one call, in whose name requests are sent. */
  forCall?(turn: Partial<Turn>): Tls
}

/** On the HSTS preload list of browsers, on its way there, or neither; null when nobody answers. */
export type PreloadStatus = 'preloaded' | 'pending' | 'not_listed' | null

/** Reply of VIES on a VAT number; null where the country tells nothing. */
export type ViesAnswer = {
  valid: boolean
  name: string | null
  address: string | null
  requestDate: string | null
  consultationNumber: string | null
}

/** The EU's registry of VAT numbers. */
export type Vies = {
  /**
   * Asks about a number without its prefix, such as `BE` and `0403170701`. Throws `upstream` whenever there is no verdict,
   * retryable unless VIES cannot read the number. `source` is the address that was asked. With a `requester`, who asks, the
   * answer has a consultation number; VIES refusing it is `invalid_input` on the field `requester`.
   */
  check(
    country: string,
    number: string,
    options?: { signal?: AbortSignal; requester?: { country: string; number: string } },
  ): Promise<ViesAnswer & { source: string }>
  /** The same on behalf of one call, in whose name requests are sent. */
  forCall?(turn: Partial<Turn>): Vies
}

/** Answers that are kept for a while, and work that is shared by those who ask for the same at once. One per replica. */
export type Cache = {
  /**
   * What is kept under `key`, else what `make` gives, kept for `seconds`. A failure is kept by nobody. Who brings a signal
   * leaves when it aborts; the one that `make` is given aborts when the last one has left.
   */
  take<T>(
    key: string,
    make: (signal: AbortSignal) => Promise<{ value: T; seconds: number }>,
    waiter?: { readonly signal: AbortSignal },
  ): Promise<{ value: T; cached: boolean; ageSec: number }>
}

/** Threads for work that would stall the server or may never end. A handler's are shared out fairly between clients. */
export type Workers = {
  /**
   * Runs an exported function of a module (its `import.meta.url`) on plain data. Throws `upstream` when it takes more than
   * `ms` of processor time (3,000) or too much memory, `too_many_requests` when too much of this client is
   * waiting, `unavailable` when too much of others is, `timeout` when the call was abandoned, else what the function throws.
   */
  run<T>(module: string, name: string, input: unknown, ms?: number): Promise<T>
  /** Loads a module in a thread before it is needed, once. */
  warm(module: string): void
  /** The same threads on behalf of one call: what waits leaves the queue when its signal aborts. */
  forCall(turn: Turn): Workers
}

/** Keys that are shown once: made here, kept as an HMAC only. */
export type Keys = {
  /** A new key such as `brk_…` with 256 bits of randomness. */
  make(prefix: string): string
  /** HMAC-SHA256 with the pepper, base64url: what a store may hold. */
  hash(key: string): string
  /** Makes a key for a holder, the id of a caller at the service whose keys have this prefix. Nobody can show it again. */
  issue(tx: Tx, holder: KeyHolder & { now: Date }): Promise<NewKey>
  /**
   * The key that a credential is, which counts as used today; undefined where it is nobody's, was replaced, or has ended.
   */
  find(at: { store: Tx; clock: Clock }, prefix: string, key: string): Promise<ApiKey | undefined>
  /** The keys of a holder, the newest first. */
  list(tx: Tx, holder: KeyHolder): Promise<ApiKey[]>
  /** Replaces the keys of a holder; they end at once, or after some minutes. Throws `too_many_requests` past ten times within 24 hours. */
  rotate(tx: Tx, holder: KeyHolder & { now: Date; overlapMinutes?: number }): Promise<NewKey>
  /** Keys that were made until then and never used, the oldest first. */
  listUnused(
    tx: Tx,
    query: { prefix: string; until: string; limit: number; after?: string },
  ): Promise<{ rows: ApiKey[]; next: string | undefined }>
  /** Ends the keys of a holder. */
  revoke(tx: Tx, holder: KeyHolder): Promise<void>
  /** Whom a signed-in person is at a service: the holder that is theirs there, or one that is made now. Of two first calls one makes it. */
  ensureProfile(
    store: Store,
    person: { prefix: string; person: string },
    holders: { has(tx: Tx, holder: string): Promise<boolean>; create(tx: Tx): Promise<string> },
  ): Promise<string>
  /**
   * Makes the holder of a key somebody of a person's. Where they have none at its service, signed-in clients act as it from now on.
   * Throws `not_found` for nobody's key, `conflict` for one of another person's.
   */
  claim(tx: Tx, claim: { key: string; person: string; now: Date }): Promise<Claimed>
  /** Keys of a person at all services, and whom they are there. */
  listOf(tx: Tx, person: string): Promise<{ keys: ApiKey[]; profiles: KeyHolder[] }>
  /** Forgets whose a person's holders are; their keys go on working. */
  release(tx: Tx, person: string): Promise<void>
}

/** `acts` is true where signed-in clients act as the holder; `isNew` false where it was the person's before. */
export type Claimed = KeyHolder & { preview: string; acts: boolean; isNew: boolean }

export type KeyHolder = { prefix: string; holder: string }

/** A key as its owner sees it once. */
export type NewKey = { api_key: string; key_preview: string }

/** Stored facts of a key. `id` is its hash. */
export type ApiKey = KeyHolder & {
  id: string
  /** Its first characters, to recognise it by. */
  preview: string
  created_at: string
  /** UTC day of its last use; null for one that was never used. */
  used_on: string | null
  /** Until when it works beside the one that replaced it; null without an end. */
  ends_at: string | null
  /** The person who has claimed it. */
  person?: string
}

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

/** Signatures of this installation. */
export type Sign = {
  /** Ed25519 signature over the UTF-8 bytes of a text, base64url. */
  ed25519(payload: string): string
  /** Compact JWS (EdDSA) over the claims as JSON; `kid` and `typ` in its header. */
  jws(claims: Readonly<Record<string, unknown>>, typ: string): string
  /** Checks one of our own compact JWS and reads its claims. */
  open(jws: string): Record<string, unknown> | undefined
  /** Key id of the Ed25519 key, an RFC 7638 thumbprint. */
  readonly ed25519Kid: string
  /** The Ed25519 public key, base64url. */
  readonly ed25519PublicKey: string
  /** The x-only secp256k1 key that Nostr events are signed with, and BIP-340 signatures over 32 bytes; all in hexadecimal. */
  bip340(): Promise<{ readonly publicKey: string; sign(digest: string): string }>
  /** Detached JWS entries (ES256) over a canonical JSON text. `jku` is where the public key is published. */
  es256(payload: string, jku: string): Promise<{ protected: string; signature: string }>
  /** The public keys, as a JWK set. */
  jwks(): Promise<{ keys: object[] }>
}

/** Direct payments that a buyer broadcasts: USDC on Base by transferWithAuthorization (EIP-3009), no facilitator. */
export type Purchases = {
  /** Why direct payments cannot be taken; empty when they can. Throws never. */
  blocking(): Promise<string[]>
  /** Returns where and in what to pay. Throws `unavailable` while something is blocking. */
  offer(): Promise<DirectOffer>
  /** Keeps a nonce for a purchase: a transfer under it pays nothing else. */
  expect(tx: Pick<Tx, 'collection'>, offer: DirectOffer, nonce: string): Promise<void>
  /** The block of a transaction and its time. Throws `upstream` when the chain does not answer. */
  minedAt(transaction: string): Promise<{ block: string; at: string }>
}

export type DirectOffer = {
  /** CAIP-2 network, `eip155:8453`. */
  network: string
  chainId: number
  asset: string
  assetName: string
  assetVersion: string
  payTo: string
  devnet: boolean
}

/** The Solana cluster that payments are taken on. */
export type Solana = {
  title: string
  /** It is on this machine and only claims to be this cluster. */
  local: boolean
  /** Address of its JSON-RPC; it may hold a key. A local one starts with its first use. */
  rpc(): Promise<string>
  /** Secret key, base58, of a wallet that pays fees on a local cluster. Throws where the cluster is real. */
  localKey(): Promise<string>
}

/** Everything a handler may touch outside its own arithmetic. A port that is not configured is absent. */
export type Ports = {
  store: Store
  clock: Clock
  dns: Dns
  fetch: Fetch
  sockets: Sockets
  tls: Tls
  vies: Vies
  rdap: Rdap
  geo: Geo
  /** The language model of the operator. */
  llm: Llm
  /** Sandboxes for strangers' code. */
  sandboxes: Sandboxes
  browsers: Browsers
  /** Shares out the four above, and the threads, between clients. */
  scheduler: Scheduler
  cache: Cache
  workers: Workers
  evm: Evm
  /** Files that callers send, by their hash. */
  files: Files
  chains: Chains
  solana: Solana
  keys: Keys
  /** Double-entry accounts, written in the transaction of whoever moves the money. */
  ledger: Ledger
  /** Holdings of accounts in it. */
  books: Books
  /** Stated rates between dollars and the units of prices. */
  rates: Rates
  /** The processor of payments by card; absent where none is configured. */
  card: Card
  sign: Sign
  transfers: Transfers
  purchases: Purchases
  payouts: Payouts
  /** Pays invoices; absent where no Lightning node is configured. */
  lightning: Lightning
}

/** The names of all ports, which settings and ports of services may not take. */
export const portNames = Object.keys({
  books: true,
  browsers: true,
  cache: true,
  card: true,
  chains: true,
  clock: true,
  dns: true,
  evm: true,
  fetch: true,
  files: true,
  geo: true,
  keys: true,
  ledger: true,
  lightning: true,
  llm: true,
  payouts: true,
  purchases: true,
  rates: true,
  rdap: true,
  sandboxes: true,
  scheduler: true,
  sign: true,
  sockets: true,
  solana: true,
  store: true,
  tls: true,
  transfers: true,
  vies: true,
  workers: true,
} satisfies Record<keyof Ports, true>)
