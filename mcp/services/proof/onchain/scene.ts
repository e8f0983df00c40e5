import type { Address, Hex, SigningAction, TypedData } from './action.ts'
import type { ChainState } from './state/chain-state.ts'

/** How a thing comes about: by the transaction itself, or later by whoever holds the signature. */
export type By = 'transaction' | 'signature'

/** A call that would be made, however it is wrapped. `from` is who makes it. */
export type Call = {
  to: Address
  data: Hex
  value: bigint
  from: Address | undefined
  depth: number
  path: string
  /** Function and arguments, where its selector is known. */
  name: string | undefined
  args: Readonly<Record<string, string>>
}

/** Leave to move what belongs to the signer. */
export type Grant = {
  kind: 'token' | 'nft' | 'collection'
  by: By
  via: string
  token: Address | undefined
  spender: Address
  amount: bigint
  /** The amount that stands for no limit. */
  unlimitedFrom: bigint
  expires: bigint | undefined
  path: string
}

/** A move of coins or tokens to somebody. */
export type ScenePayment = {
  by: By
  /** Undefined for the coin of the chain. */
  token: Address | undefined
  from: Address | undefined
  to: Address
  amount: bigint
  isNft: boolean
  path: string
}

/** An exchange with its bounds. */
export type Trade = {
  tokenIn: Address | undefined
  tokenOut: Address | undefined
  amountIn: bigint | undefined
  /** Minimum out; undefined where the function has no such bound. */
  minOut: bigint | undefined
  /** Maximum in, where the amount out is exact. */
  maxIn: bigint | undefined
  recipient: Address | undefined
  /** Its contract keeps what comes out for a later step of the same batch. */
  isKept: boolean
  deadline: bigint | undefined
  /** Tokens from first to last, where the function says them. */
  route: readonly Address[]
  /** The router, and how it is called. */
  router: Address
  style: 'v2' | 'v3' | 'other'
  path: string
}

/** A step that pays out what earlier steps of a batch left in the contract. */
export type Sweep = { token: Address | undefined; minimum: bigint; recipient: Address; path: string }

/** An order that others may fill. */
export type Order = {
  venue: string
  offers: number
  /** The signer's share of it, in units of the largest part. */
  toSigner: bigint
  toOthers: bigint
  path: string
}

/** A change of who controls a contract or an account. */
export type Control = { what: string; to: Address | undefined; path: string }

/** An account that takes on foreign code (EIP-7702). */
export type CodeDelegation = { chainId: bigint; address: Address; path: string }

/** An address that matters, as it was written where that is known. */
export type Mention = { address: Address; text: string; role: string; path: string }

export type UnknownCalldata = {
  what: string
  selector: string
  to: Address | undefined
  path: string
  isTop: boolean
}

/** An action, read once in every way that rules look at it. */
export type Scene = {
  action: SigningAction
  /** Seconds since 1970. */
  now: bigint
  signer: Address | undefined
  chainId: number | undefined
  calls: Call[]
  grants: Grant[]
  payments: ScenePayment[]
  trades: Trade[]
  sweeps: Sweep[]
  orders: Order[]
  controls: Control[]
  delegations: CodeDelegation[]
  mentions: Mention[]
  unknowns: UnknownCalldata[]
  /** Functions that are named as those of drainers are. */
  lures: { name: string; value: bigint; path: string }[]
  typedData: TypedData | undefined
  /** A signed message without structure, as a person would read it. */
  message: string | undefined
  isBlindHash: boolean
  /** A signed transaction that names no chain. */
  isReplayable: boolean
  /** The one who has signed already, of a raw transaction. */
  recovered: Address | undefined
  isCreation: boolean
  gas: { limit: bigint | undefined; feePerGas: bigint | undefined; priorityFee: bigint | undefined }
  /** Coins that the outermost call sends along. */
  value: bigint
  /** Unreadable parts. */
  problems: string[]
  /** Things that were understood. */
  understood: number
  chain: ChainState
}

export const lower = (address: string): Address => address.toLowerCase() as Address

export const isSame = (one: string | undefined, other: string | undefined): boolean =>
  one !== undefined && other !== undefined && one.toLowerCase() === other.toLowerCase()
