import type { Hash, Hex, PublicClient, SignedAuthorization, TransactionReceipt } from 'viem'
import type { GasFees } from './fees.ts'

/** Names that prices use. */
export type NetworkName = 'base-sepolia' | 'base' | 'arbitrum' | 'arc'

/** Networks that are paid on, and those on which this program only sends transactions. */
export type ChainName = NetworkName | 'polygon'

/** An EVM network that payments are taken on, with its canonical USDC as EIP-712 knows it. */
export type Network = {
  name: ChainName
  title: string
  chainId: number
  /** CAIP-2. */
  id: `eip155:${number}`
  token: { address: `0x${string}`; name: string; version: string; decimals: 6 }
  /** Coin that gas is paid in, of 18 decimals. */
  coin: 'ETH' | 'POL' | 'USDC'
  /** Milliseconds between blocks, about. */
  blockMs: number
  /** Offered for prices that name it, not for those that leave the network open: few wallets know its token. */
  isNamedOnly?: true
}

export type WalletCall = {
  to: Hex
  data: Hex
  /** Coins of the chain that go along. */
  value?: bigint
  gas?: bigint
  /** The contract carries it out once, however often it comes: it may be sent again under another number. */
  idempotent?: boolean
  /** Its fees for gas; default: what a transaction of now should pay. One that is too low then is refused. */
  fees?: GasFees
  /** Code that accounts of others delegate to with it (EIP-7702). */
  authorizationList?: readonly SignedAuthorization[]
  /** Told of each transaction after it is signed and before anybody has it; what it throws stops it. */
  onSigned?(transaction: SignedTransaction): Promise<void>
}

/** A transaction that is ready to be broadcast. */
export type SignedTransaction = { hash: Hash; serialized: Hex; nonce: number }

/** An account that sends transactions on one chain, each in its turn. */
export type Wallet = {
  address: Hex
  /**
   * Signs and sends one call. Throws when the chain refuses it; when it is not known whether the chain got it, resolves
   * to the hash all the same, which a receipt then decides.
   */
  send(call: WalletCall): Promise<Hash>
  /**
   * Sends an idempotent call and waits for its receipt, and sends it again when another transaction of this account took
   * its place. No receipt: it was not mined in time.
   */
  carry(call: WalletCall, timeoutMs: number): Promise<{ hash: Hash; receipt: TransactionReceipt | undefined }>
}

/** A network and the way to it. Nothing is loaded or connected before the first use. */
export type Chain = {
  network: Network
  /** A local chain that only claims to be this network. */
  devnet: boolean
  reader(): Promise<PublicClient>
  /** Waits for the receipt of a transaction; undefined when the time is over. */
  confirm(hash: Hash, timeoutMs: number): Promise<TransactionReceipt | undefined>
  /** The wallet of a private key: the same one for the same key, so that all who send share its queue. */
  wallet(key: Hex): Promise<Wallet>
}

/** Chains that this program sends transactions on, with keys of its own. */
export type Chains = {
  /** They are on this machine and only claim to be these networks. */
  local: boolean
  /** A chain by its name; a local one starts with its first use. Throws `unavailable` where it has no node. */
  open(name: ChainName): Chain
  /**
   * The wallet that calls contracts which collect payments themselves, on a chain. Throws `unavailable` where it has no key or the
   * chain no node.
   */
  relayer(name: ChainName): Promise<Wallet>
  /**
   * A private key of this data folder for a role on local chains, the same each time. It is derived from one that was made here,
   * so nobody else has it. Throws where chains are real.
   */
  localKey(role: string): Promise<`0x${string}`>
}
