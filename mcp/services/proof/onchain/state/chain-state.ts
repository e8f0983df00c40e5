import type { Address } from '../action.ts'

/** Facts of an address at the newest block. */
export type AccountFacts = {
  address: Address
  codeBytes: number
  /** Code of somebody else that an ordinary account took on (EIP-7702). */
  delegate: Address | undefined
  proxy: { kind: 'eip1967' | 'beacon' | 'minimal'; implementation: Address; hasCode: boolean } | undefined
}

export type AllowanceFacts = { token: Address; spender: Address; amount: bigint }

/** Change for the signer in the dry run. `token` is undefined for the coin of the chain. */
export type Change = { token: Address | undefined; delta: bigint }

export type SimulationFacts = {
  method: 'eth_simulateV1' | 'eth_call'
  ok: boolean
  reason: string | undefined
  changes: readonly Change[]
  /** Leave that the signer gave in the dry run. Undefined where the method shows no events. */
  approvals: readonly { token: Address; spender: Address; amount: bigint }[] | undefined
  /** Payments as they arrived, in the order of the scene. */
  arrivals: readonly { token: Address; to: Address; expected: bigint; arrived: bigint }[]
}

/** True when a token that is bought can be passed on and sold again. */
export type SaleFacts = {
  token: Address
  canTransfer: boolean
  /** Basis points that a transfer loses. */
  feeBps: number
  /** Null where no router is known to sell it on. */
  canSell: boolean | null
}

/** Facts read, or why not. */
export type StatePart<facts> = { facts: facts } | { missing: string }

/** Nodes' replies on the chain, in parts that are read or missing as a whole. */
export type ChainState = {
  code: StatePart<readonly AccountFacts[]>
  /** Addresses that have had code for less than three days. */
  age: StatePart<readonly Address[]>
  allowance: StatePart<readonly AllowanceFacts[]>
  simulation: StatePart<SimulationFacts>
  sale: StatePart<readonly SaleFacts[]>
  /** The answering node, and the block. */
  source: { endpoint: string; block: string } | undefined
  /** A node was asked and did not answer, or answered something impossible. */
  isFailed: boolean
}

/** Nothing was read, for one reason. */
export const unreadChain = (reason: string, isFailed = false): ChainState => {
  const missing = { missing: reason }
  return {
    code: missing,
    age: missing,
    allowance: missing,
    simulation: missing,
    sale: missing,
    source: undefined,
    isFailed,
  }
}
