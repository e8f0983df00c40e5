import {
  encodeAbiParameters,
  encodeDeployData,
  getCreate2Address,
  type Hex,
  keccak256,
  slice,
  toFunctionSelector,
  zeroAddress,
} from 'viem'
import { taskEscrowPurse } from '../../../../contracts/task-escrow-purse.ts'
import type { Collector } from '../../../kernel/tool.ts'

/** `Terms` of the lane contract: what the payer agrees to by the address that it pays. */
export type LaneTerms = { minAmount: bigint; referrer: Hex; referral: bigint }

/** `Route` of the lane contract. */
export type RouteArgument = {
  terms: LaneTerms
  amount: bigint
  maxFee: bigint
  minFinality: number
  hookData: Hex
  signedQuote: Hex
}

/** Asks Circle's forwarder to mint: "cctp-forward", version 0, no data. */
export const forwardHook: Hex = '0x636374702d666f72776172640000000000000000000000000000000000000000'

const termsFields = [
  { name: 'minAmount', type: 'uint256' },
  { name: 'referrer', type: 'address' },
  { name: 'referral', type: 'uint256' },
] as const

export const routeFields = [
  { name: 'terms', type: 'tuple', components: termsFields },
  { name: 'amount', type: 'uint256' },
  { name: 'maxFee', type: 'uint256' },
  { name: 'minFinality', type: 'uint32' },
  { name: 'hookData', type: 'bytes' },
  { name: 'signedQuote', type: 'bytes' },
] as const

const selector = toFunctionSelector(
  'bridge((address,uint256,uint256,uint256,bytes32,bytes),((uint256,address,uint256),uint256,uint256,uint32,bytes,bytes))',
)

/** How the lane collects a payment: `bridge(Payment, Route)`. */
export const toCollector = (contract: Hex, route: RouteArgument): Collector => ({
  contract,
  selector,
  // The first word is the offset that a lone struct has.
  argument: slice(encodeAbiParameters([{ type: 'tuple', components: routeFields }], [route]), 32),
})

/** Where the lane takes payments with these terms (CREATE2, `purseOf` of the contract). */
export const purseOf = (lane: Hex, stablecoin: Hex, terms: LaneTerms): Hex =>
  getCreate2Address({
    from: lane,
    salt: keccak256(encodeAbiParameters([{ type: 'tuple', components: termsFields }], [terms])),
    bytecode: encodeDeployData({ ...taskEscrowPurse, args: [stablecoin] }),
  })

/** The terms of a transfer that nobody earns from but the bridge. */
export const withoutReferrer = { referrer: zeroAddress, referral: 0n } as const
