import { type Hex, zeroAddress } from 'viem'
import { type BridgeRoute, messengerAddress, messengerWithFeesAddress } from './chains.ts'

/** Permitted cost of a lane, where nothing else is said: 3 %, and 0.10 USDC. */
export const laneCost = { bps: 300n, floor: 100_000n }

/** Circle's contract that takes fees at once: it is not on Arc. */
const messengerWithFees = ({ from }: BridgeRoute): Hex =>
  from.name === 'base' ? messengerWithFeesAddress : zeroAddress

/** The arguments that a lane is deployed with. */
export const laneArguments = (owner: Hex, route: BridgeRoute, cost: typeof laneCost) =>
  [
    owner,
    route.from.usdc,
    messengerAddress,
    messengerWithFees(route),
    route.to.domain,
    cost.bps,
    cost.floor,
  ] as const
