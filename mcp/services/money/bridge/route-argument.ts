import { encodeAbiParameters, type Hex, slice, toFunctionSelector, zeroAddress } from 'viem'
import type { Collector } from '../../../kernel/tool.ts'

/** `Route` of the lane contract. */
export type RouteArgument = {
  amount: bigint
  maxFee: bigint
  minFinality: number
  hookData: Hex
  signedQuote: Hex
  referrer: Hex
  referral: bigint
}

/** Asks Circle's forwarder to mint: "cctp-forward", version 0, no data. */
export const forwardHook: Hex = '0x636374702d666f72776172640000000000000000000000000000000000000000'

export const routeFields = [
  { name: 'amount', type: 'uint256' },
  { name: 'maxFee', type: 'uint256' },
  { name: 'minFinality', type: 'uint32' },
  { name: 'hookData', type: 'bytes' },
  { name: 'signedQuote', type: 'bytes' },
  { name: 'referrer', type: 'address' },
  { name: 'referral', type: 'uint256' },
] as const

const selector = toFunctionSelector(
  'bridge((address,uint256,uint256,uint256,bytes32,bytes),(uint256,uint256,uint32,bytes,bytes,address,uint256))',
)

/** How the lane collects a payment: `bridge(Payment, Route)`. */
export const toCollector = (route: RouteArgument): Collector => ({
  selector,
  // The first word is the offset that a lone struct has.
  argument: slice(encodeAbiParameters([{ type: 'tuple', components: routeFields }], [route]), 32),
})

/** The route of a transfer that nobody earns from but the bridge. */
export const withoutReferrer = { referrer: zeroAddress, referral: 0n } as const
