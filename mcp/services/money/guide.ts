import { z } from 'zod'
import type { CapabilityState } from '../../kernel/capability.ts'
import { free, tool } from '../../kernel/tool.ts'
import { bridge } from './bridge/port.ts'
import { bridgeCapability, gasCapability, priceCapability, vaultCapability } from './capabilities.ts'
import { sponsorChains } from './gas/sponsor-chains.ts'
import { guideText, topics } from './guide-text.ts'
import { localMarket, openingPrices, twaps } from './market/twaps.ts'
import { vaultNeeds, vaultWants } from './vault/needs.ts'

type Capability = { state: 'on' | 'off'; reason: string | null; simulated: boolean }

/** A part's word on itself; one that cannot say it is off. */
const look = async (
  describe: () => CapabilityState | Promise<CapabilityState>,
  simulated = false,
): Promise<Capability> => {
  try {
    const { state, reason = null } = await describe()
    return { state, reason: state === 'on' ? null : reason, simulated: simulated && state === 'on' }
  } catch {
    return { state: 'off', reason: 'Its chain does not answer.', simulated: false }
  }
}

const Capability = z.object({
  state: z.enum(['on', 'off']).describe('Whether it can be used here now'),
  reason: z.string().nullable().describe('Why not'),
  simulated: z.boolean().describe('True on local chains, which start with the first use: no real money'),
})

export default tool({
  name: 'guide',
  title: 'Guide to the money tools',
  description:
    'Explains the bridge, sponsored gas, stock vaults, prices to beat and the tools for payments that do not work, with commands; and says which of them are on here, and why others are not. Read it first. Free.',
  keywords: ['help', 'documentation', 'start', 'overview', 'introduction'],
  input: z.object({
    topic: z.enum(topics).default('overview').describe('The part to read'),
  }),
  output: z.object({
    topic: z.enum(topics).describe('The part'),
    topics: z.array(z.enum(topics)).describe('All parts'),
    text: z.string().describe('The part, Markdown'),
    capabilities: z
      .object({
        bridge: Capability.describe('Bridge of USDC'),
        gas: Capability.describe('Sponsored gas'),
        stocks: Capability.describe('Vaults of stocks'),
        prices: Capability.describe('Prices to beat of windows that run'),
      })
      .describe('What works on this server'),
  }),
  needs: ['chains', bridge, sponsorChains, ...vaultNeeds],
  wants: [twaps, openingPrices, localMarket, ...vaultWants],
  price: free,
  limits: [{ perMinute: 30, per: 'client' }],
  hints: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
  a2a: { text: ['guide'], tags: ['guide', 'free'] },
  rest: { routes: ['GET /v1/guide'] },
  examples: [{}, { topic: 'bridge' }],
  summary: ({ topic, topics: all }) => `${topic}; there are ${all.join(', ')}.`,
}).run(async (ctx, { topic }) => {
  const { base, chains } = ctx
  const [bridgeNow, gasNow, stocks, prices] = await Promise.all([
    look(() => bridgeCapability.look(ctx), chains.local),
    look(() => gasCapability.look(ctx), chains.local),
    look(() => vaultCapability.look(ctx), chains.local),
    look(() => priceCapability.look(ctx), chains.local && !ctx.twaps && !ctx.openingPrices),
  ])
  return {
    topic,
    topics: [...topics],
    text: guideText(topic, base),
    capabilities: { bridge: bridgeNow, gas: gasNow, stocks, prices },
  }
})
