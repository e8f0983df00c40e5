import { encodeDeployData, encodeFunctionData } from 'viem'
import { z } from 'zod'
import { stablecoinBridge } from '../../../../contracts/stablecoin-bridge.ts'
import { addressOf } from '../../../lib/contract.ts'
import { deployment, parameterAddress } from '../../../lib/deployment.ts'
import { withOwner } from '../owners.ts'
import { AmountInput, toAtomic, toText } from './amount.ts'
import {
  messengerAddress,
  messengerWithFeesAddress,
  requireRoute,
  routes,
  type Source,
  sources,
  transmitterAddress,
} from './chains.ts'
import { laneArguments, laneCost } from './lane-arguments.ts'
import { bridgeSettings } from './settings.ts'

const { abi } = stablecoinBridge

/** The lanes of the bridge that start on a network, one contract for each route. */
export const bridgeDeployment = deployment({
  networks: sources,
  parameters: z.strictObject({
    to: z
      .array(z.string())
      .min(1)
      .describe('Destinations; a lane is deployed for each. Delete those that you do not offer.'),
    owner: parameterAddress.describe(
      'Who lets relayers call the lanes, takes their fees and returns what got stuck. Best a hardware wallet; the sender can let the relayer in at once where it is the owner.',
    ),
    relayer: parameterAddress.describe('The account of OCTAGENT_RELAYER_KEY, which calls the lanes.'),
    costBps: z
      .number()
      .int()
      .min(0)
      .max(1_000)
      .describe(
        'What a transfer may cost beyond its amount at most, in hundredths of a percent: it bounds what a stolen relayer key takes.',
      ),
    costFloor: AmountInput.describe(
      'What it may cost in addition, in USDC. It must hold what Circle takes for forwarding, which is more where gas is dear, as on Ethereum.',
    ),
  }),
  defaults: ({ network, sender }) => ({
    to: routes.filter(({ from }) => from.name === network).map(({ to }) => to.name),
    owner: sender,
    relayer: sender,
    costBps: Number(laneCost.bps),
    costFloor: toText(laneCost.floor),
  }),
  plan: ({ to, owner, relayer, costBps, costFloor }, { network, config }) => {
    const cost = { bps: BigInt(costBps), floor: toAtomic(costFloor) }
    const lanes = [...new Set(to)].map(name => {
      const route = requireRoute(network as Source, name)
      const initCode = encodeDeployData({ ...stablecoinBridge, args: laneArguments(owner, route, cost) })
      return { route, initCode, address: addressOf(initCode) }
    })
    const { variable } = bridgeSettings.bridgeLanes
    const configured = config[variable] as Readonly<Record<string, string>> | undefined
    // What was deployed before keeps its bound.
    const isFirst = Object.keys(configured ?? {}).length === 0
    const bound = (setting: { variable: string }, own: bigint) => {
      const before = BigInt((config[setting.variable] as number | bigint | undefined) ?? 0)
      return isFirst || before < own ? own : before
    }
    return {
      needs: [
        ["Circle's TokenMessenger", messengerAddress],
        ["Circle's MessageTransmitter", transmitterAddress],
        ...(network === 'base'
          ? [["Circle's TokenMessengerWithFees", messengerWithFeesAddress] as const]
          : []),
      ],
      steps: lanes.flatMap(({ route, initCode, address }) => [
        { title: `lane ${route.name}`, code: stablecoinBridge, initCode },
        {
          title: `relayer of ${route.name}`,
          by: owner,
          read: async (reader, isNew) => {
            const isIn =
              !isNew &&
              (await reader.readContract({ address, abi, functionName: 'relayers', args: [relayer] }))
            const args = [relayer, true] as const
            const data = encodeFunctionData({ abi, functionName: 'setRelayer', args })
            return isIn ? undefined : { to: address, data }
          },
        },
      ]),
      settings: {
        [variable]: JSON.stringify({
          ...configured,
          ...Object.fromEntries(lanes.map(({ route, address }) => [route.name, address])),
        }),
        ...withOwner(config, owner),
        [bridgeSettings.bridgeCostBps.variable]: String(bound(bridgeSettings.bridgeCostBps, cost.bps)),
        [bridgeSettings.bridgeCostFloor.variable]: toText(bound(bridgeSettings.bridgeCostFloor, cost.floor)),
      },
    }
  },
})
