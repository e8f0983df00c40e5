import type { Hex, PublicClient } from 'viem'
import { stablecoinBridge } from '../../../../contracts/stablecoin-bridge.ts'
import type { Bridge, Lane, LaneState } from './bridge.ts'
import { type BridgeRoute, messengerAddress, messengerWithFeesAddress } from './chains.ts'
import { purseOf, withoutReferrer } from './route-argument.ts'

const same = (one: string, other: string): boolean => one.toLowerCase() === other.toLowerCase()

const { abi } = stablecoinBridge

/** The most that a transfer may cost beyond its amount. */
export const maxCost = ({ costBps, costFloor }: Lane, amount: bigint): bigint =>
  (amount * costBps) / 10_000n + costFloor

const anyTerms = { minAmount: 0n, ...withoutReferrer }

const readFacts = async (reader: PublicClient, address: Hex, relayer: Hex) => {
  const lane = { address, abi } as const
  const [stablecoin, messenger, messengerWithFees, domain, costBps, costFloor, isRelayer, purse] =
    await Promise.all([
      reader.readContract({ ...lane, functionName: 'stablecoin' }),
      reader.readContract({ ...lane, functionName: 'messenger' }),
      reader.readContract({ ...lane, functionName: 'messengerWithFees' }),
      reader.readContract({ ...lane, functionName: 'domain' }),
      reader.readContract({ ...lane, functionName: 'costBps' }),
      reader.readContract({ ...lane, functionName: 'costFloor' }),
      reader.readContract({ ...lane, functionName: 'relayers', args: [relayer] }),
      reader.readContract({ ...lane, functionName: 'purseOf', args: [anyTerms] }),
    ])
  return { stablecoin, messenger, messengerWithFees, domain, costBps, costFloor, isRelayer, purse }
}

/** Looks whether the contract at an address is the lane of a route, and takes calls of our relayer. */
export const lookAtLane = async (bridge: Bridge, route: BridgeRoute, address: Hex): Promise<LaneState> => {
  const { from, to } = route
  const off = (reason: string): LaneState => ({ state: 'off', reason })
  const reader = await bridge.source(from.name).reader()
  const relayer = await bridge.relayer(from).catch(() => undefined)
  if (!relayer) return off('No relayer is configured (OCTAGENT_RELAYER_KEY).')
  if (((await reader.getCode({ address })) ?? '0x') === '0x')
    return off(`There is no contract at ${address} on ${from.title}.`)
  const facts = await readFacts(reader, address, relayer.address).catch((error: unknown) => {
    if (error instanceof Error && error.name === 'ContractFunctionExecutionError') return undefined
    throw error
  })
  if (!facts) return off(`What stands at ${address} on ${from.title} is no lane.`)
  if (facts.domain !== to.domain)
    return off(`The lane at ${address} leads to another chain than ${to.title}.`)
  if (!same(facts.stablecoin, from.usdc) || !same(facts.messenger, messengerAddress))
    return off(`The lane at ${address} was made for other contracts than those of Circle on ${from.title}.`)
  // What is paid to an address that the contract does not open would be lost.
  if (!same(facts.purse, purseOf(address, facts.stablecoin, anyTerms)))
    return off(`The lane at ${address} takes payments elsewhere: it is another version. Deploy it anew.`)
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
