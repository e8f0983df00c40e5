import type { Ports } from '../../ports/index.ts'
import { ToolError } from '../error.ts'
import { type AnyTool, type Call, type Caller, free, isFree, type Price, type Quota } from '../tool.ts'
import { takeDaily } from './daily.ts'
import { type Limits, overLimit, type Standing } from './limits.ts'

type Asked = {
  tool: AnyTool
  slug: string
  channel: Call['channel']
  free: boolean
  client: string
  caller: Caller | undefined
  input: object
}

/** What one call costs. `quota` is the free tier that covers it; `giveBack` returns what a failed call took of it. */
export type Terms = { price: Price; quota?: Quota; giveBack?: () => Promise<void> }

const weightOf = ({ tool, input }: Asked): number => tool.free?.weight?.(input as never) ?? 1

/** The declared free tier that covers this call by the minute; `used` tells of one that would but is used up. */
const byTheMinute = (limits: Limits, asked: Asked) => {
  const { tool, slug, channel, free: flag, client } = asked
  const tier = tool.free
  if (!tier || !(tier.channels?.includes(channel) || (tier.flag && flag))) return {}
  const standing = limits.take(`free:${slug}:${client}`, tier.perMinute, weightOf(asked))
  return standing.ok ? { covering: standing } : { used: standing }
}

const quotaOf = ({ quota: limit, remaining, resetSeconds }: Standing): Quota => ({
  tier: 'free',
  limit,
  remaining,
  resetAt: new Date(Date.now() + resetSeconds * 1000).toISOString(),
})

/** The daily quota of a known caller; undefined when it has none, or none left. */
const byTheDay = async ({ store, clock }: Partial<Ports>, asked: Asked) => {
  const { tool, slug, caller } = asked
  const limit = tool.free?.keyed
  if (limit === undefined || !caller || !store || !clock) return undefined
  const taken = await takeDaily(store, clock, `${slug}:${caller.id}`, { limit, uses: weightOf(asked) })
  return taken.ok ? taken : undefined
}

const howToCallFree = ({ free: tier }: AnyTool): string | undefined => {
  const ways = [
    ...(tier?.channels ?? []).map(channel => `over ${channel.toUpperCase()}`),
    tier?.flag && 'with free=1 over REST',
    tier?.keyed && `${tier.keyed} times a day with an ally key`,
  ]
  const offered = ways.filter(way => way)
  return offered.length > 0 ? `It is free ${offered.join(', ')}.` : undefined
}

/**
 * What one call costs: nothing within a free tier, otherwise the quote or the list price. Without a way to pay a call
 * that costs something is `unavailable`, or `too_many_requests` when it only ran past the free tier.
 */
export const termsOf = async (
  limits: Limits,
  ports: Partial<Ports>,
  asked: Asked,
  payable: boolean,
  quote: () => Price | Promise<Price>,
): Promise<Terms> => {
  const { tool } = asked
  if (isFree(tool.price) && !tool.quote) return { price: free }
  const { covering, used } = byTheMinute(limits, asked)
  if (covering) return { price: free, quota: quotaOf(covering) }
  const day = await byTheDay(ports, asked)
  if (day) return { price: free, quota: day.quota, giveBack: day.giveBack }
  // Credits are spent by the service itself, and what is listed as free may be priced by its quote: both ask that first.
  const quoted = tool.price.unit === 'credit' || isFree(tool.price) ? await quote() : undefined
  if (quoted && (payable || isFree(quoted))) return { price: quoted }
  if (!payable && used) throw overLimit(`The free tier of ${tool.name}`, used)
  if (!payable)
    throw new ToolError(
      'unavailable',
      `${tool.name} costs ${tool.price.amount} ${tool.price.unit}, and no way to pay is configured here.`,
      {
        hint: howToCallFree(tool),
      },
    )
  return { price: await quote() }
}
