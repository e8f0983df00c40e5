import { type Hex, type PublicClient, zeroAddress } from 'viem'
import { stablecoinBridge } from '../../../../contracts/stablecoin-bridge.ts'
import { isCodeOf } from '../../../lib/contract.ts'
import { isPermittedOwner } from '../owners.ts'
import { toText } from './amount.ts'
import type { Bridge, Lane, LaneState } from './bridge.ts'
import { type BridgeRoute, messengerAddress, messengerWithFeesAddress } from './chains.ts'

const same = (one: string, other: string): boolean => one.toLowerCase() === other.toLowerCase()

const { abi } = stablecoinBridge

/** The most that a transfer may cost beyond its amount. */
export const maxCost = ({ costBps, costFloor }: Lane, amount: bigint): bigint =>
  (amount * costBps) / 10_000n + costFloor

const readFacts = async (reader: PublicClient, address: Hex, relayer: Hex) => {
  const lane = { address, abi } as const
  const [owner, stablecoin, messenger, messengerWithFees, domain, costBps, costFloor, isRelayer] =
    await Promise.all([
      reader.readContract({ ...lane, functionName: 'owner' }),
      reader.readContract({ ...lane, functionName: 'stablecoin' }),
      reader.readContract({ ...lane, functionName: 'messenger' }),
      reader.readContract({ ...lane, functionName: 'messengerWithFees' }),
      reader.readContract({ ...lane, functionName: 'domain' }),
      reader.readContract({ ...lane, functionName: 'costBps' }),
      reader.readContract({ ...lane, functionName: 'costFloor' }),
      reader.readContract({ ...lane, functionName: 'relayers', args: [relayer] }),
    ])
  return { owner, stablecoin, messenger, messengerWithFees, domain, costBps, costFloor, isRelayer }
}

/** Looks whether the contract at an address is the lane of a route, and takes calls of our relayer. */
export const lookAtLane = async (bridge: Bridge, route: BridgeRoute, address: Hex): Promise<LaneState> => {
  const { from, to } = route
  const off = (reason: string): LaneState => ({ state: 'off', reason })
  const reader = await bridge.source(from.name).reader()
  const relayer = await bridge.relayer(from).catch(() => undefined)
  if (!relayer) return off('No relayer is configured (OCTAGENT_RELAYER_KEY).')
  const code = await reader.getCode({ address })
  if (code === undefined)
    return off(`There is no contract at ${address} on ${from.title} (MONEY_BRIDGE_LANES).`)
  // What is paid to an address that another version does not open would be lost.
  if (!isCodeOf(stablecoinBridge, code))
    return off(
      `What stands at ${address} on ${from.title} is no StablecoinBridge of this version (MONEY_BRIDGE_LANES). Deploy it anew.`,
    )
  const facts = await readFacts(reader, address, relayer.address)
  if (facts.domain !== to.domain)
    return off(`The lane at ${address} leads to another chain than ${to.title} (MONEY_BRIDGE_LANES).`)
  const isCircles =
    same(facts.stablecoin, from.usdc) &&
    same(facts.messenger, messengerAddress) &&
    [zeroAddress, messengerWithFeesAddress].some(address => same(facts.messengerWithFees, address))
  if (!isCircles)
    return off(
      `The lane at ${address} was made for other contracts than those of Circle on ${from.title} (MONEY_BRIDGE_LANES).`,
    )
  const { owners, costBps, costFloor } = bridge.terms
  if (!bridge.local && !isPermittedOwner(owners, facts.owner))
    return off(
      `The lane at ${address} belongs to ${facts.owner}, who is not among the owners that are named (MONEY_CONTRACT_OWNERS).`,
    )
  if (facts.costBps > BigInt(costBps) || facts.costFloor > costFloor)
    return off(
      `The lane at ${address} permits costs of ${facts.costBps} hundredths of a percent and ${toText(facts.costFloor)} USDC, more than MONEY_BRIDGE_COST_BPS and MONEY_BRIDGE_COST_FLOOR.`,
    )
  if (!facts.isRelayer) return off('The lane takes no calls of the relayer that is configured here.')
  return {
    state: 'on',
    lane: {
      address,
      costBps: facts.costBps,
      costFloor: facts.costFloor,
      takesQuotes: same(facts.messengerWithFees, messengerWithFeesAddress),
    },
  }
}
