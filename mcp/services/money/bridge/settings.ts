import { z } from 'zod'
import { settings } from '../../../kernel/setting.ts'
import { absoluteUrl, flag, jsonText, wholeNumber } from '../../../lib/setting-texts.ts'
import { AmountInput, toAtomic } from './amount.ts'
import { routeNamed } from './chains.ts'

const routeName = z.string().refine(name => routeNamed(name) !== undefined, 'a route such as base-arc')

const address = z
  .string()
  .regex(/^0x[0-9a-fA-F]{40}$/, 'an EVM address')
  .transform(text => text as `0x${string}`)

const usdc = AmountInput.transform(toAtomic)

/** Settings of the bridge. */
export const bridgeSettings = settings({
  bridgeLanes: {
    variable: 'MONEY_BRIDGE_LANES',
    schema: jsonText(z.record(routeName, address)),
    description:
      'Contracts of the bridge (StablecoinBridge), JSON by route: {"base-arc":"0x…"}. A route without one is off. Local chains have their own.',
    default: '{}',
    example: '{"base-arc":"0x5FbDB2315678afecb367f032d93F642f64180aa3"}',
  },
  bridgeOff: {
    variable: 'MONEY_BRIDGE_OFF',
    schema: jsonText(z.record(routeName, z.string().min(1).max(200))),
    description: 'Routes that are switched off, JSON by route, with the reason that callers are told.',
    default: '{}',
    example: '{"base-ethereum":"Ethereum is congested."}',
  },
  attestations: {
    variable: 'MONEY_BRIDGE_ATTESTATIONS',
    schema: absoluteUrl,
    description: "Circle's attestation service, which also tells the fees.",
    default: 'https://iris-api.circle.com',
  },
  bridgeCostBps: {
    variable: 'MONEY_BRIDGE_COST_BPS',
    schema: wholeNumber(0, 1_000),
    description:
      'What a lane may permit a transfer to cost beyond its amount, in hundredths of a percent; one that permits more is off. `octagent deploy bridge` prints that of its lanes.',
    default: '1000',
  },
  bridgeCostFloor: {
    variable: 'MONEY_BRIDGE_COST_FLOOR',
    schema: usdc,
    description: 'What it may permit in addition, in USDC.',
    default: '100',
  },
  bridgeMargin: {
    variable: 'MONEY_BRIDGE_MARGIN_BPS',
    schema: wholeNumber(0, 1_000),
    description: 'What the bridge earns of an amount, in hundredths of a percent; 0.01 USDC at least.',
    default: '100',
  },
  bridgeGas: {
    variable: 'MONEY_BRIDGE_GAS',
    schema: usdc,
    description: 'What a transfer is charged for the gas of its burn, in USDC.',
    default: '0.005',
  },
  bridgeReferral: {
    variable: 'MONEY_BRIDGE_REFERRAL_BPS',
    schema: wholeNumber(0, 5_000),
    description: 'What a referrer gets of the margin, in hundredths of a percent; half of it at most.',
    default: '2500',
  },
  bridgeMax: {
    variable: 'MONEY_BRIDGE_MAX',
    schema: usdc,
    description: 'What one transfer may bring at most, in USDC. Circle burns 10,000,000 at once at most.',
    default: '10000000',
  },
  bridgeUpfront: {
    variable: 'MONEY_BRIDGE_UPFRONT',
    schema: flag,
    description:
      "Whether Circle's fees are paid at once by a quote that it signs, where it gives one: then exactly the amount arrives. Else, and with false, they are taken from what is minted, and the amount arrives at least.",
    default: 'true',
  },
})
