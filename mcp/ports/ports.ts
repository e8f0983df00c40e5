import type { Books } from './books/port.ts'
import type { Browsers } from './browser/port.ts'
import type { Cache } from './cache/port.ts'
import type { Card } from './card/port.ts'
import type { Chains } from './chain/port.ts'
import type { Clock } from './clock/port.ts'
import type { Dns } from './dns/port.ts'
import type { Evm } from './evm/port.ts'
import type { Fetch } from './fetch/port.ts'
import type { Files } from './files/port.ts'
import type { Geo } from './geo/port.ts'
import type { Keys } from './keys/port.ts'
import type { Lightning } from './lightning/port.ts'
import type { Llm } from './llm/port.ts'
import type { Ledger, Rates } from './payment/port.ts'
import type { Payouts } from './payouts/port.ts'
import type { Purchases } from './purchases/port.ts'
import type { Rdap } from './rdap/port.ts'
import type { Sandboxes } from './sandbox/port.ts'
import type { Scheduler } from './scheduler/port.ts'
import type { Sign } from './sign/port.ts'
import type { Sockets } from './sockets/port.ts'
import type { Solana } from './solana/port.ts'
import type { Store } from './store/port.ts'
import type { Tls } from './tls/port.ts'
import type { Transfers } from './transfers/port.ts'
import type { Vies } from './vies/port.ts'
import type { Workers } from './workers/port.ts'

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
