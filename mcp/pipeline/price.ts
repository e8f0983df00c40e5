import { ToolError } from '../error.ts'
import { type AnyTool, type Call, free, isFree, type Price } from '../tool.ts'
import type { Limits } from './limits.ts'
import { overLimit } from './limits.ts'

type Asked = { tool: AnyTool; slug: string; channel: Call['channel']; free: boolean; client: string }

/** True when the declared free tier covers this call; `used` tells of one that would but is used up. */
const freeTier = (limits: Limits, { tool, slug, channel, free: flag, client }: Asked) => {
  const tier = tool.free
  if (!tier) return { covered: false, used: undefined }
  if (!(tier.channels?.includes(channel) || (tier.flag && flag))) return { covered: false, used: undefined }
  const standing = limits.take(`free:${slug}:${client}`, tier.perMinute)
  return standing.ok ? { covered: true, used: undefined } : { covered: false, used: standing }
}

const howToCallFree = ({ free: tier }: AnyTool): string | undefined => {
  const ways = [
    ...(tier?.channels ?? []).map(channel => `over ${channel.toUpperCase()}`),
    tier?.flag && 'with free=1 over REST',
  ]
  const offered = ways.filter(way => way)
  return offered.length > 0 ? `It is free ${offered.join(', ')}.` : undefined
}

/**
 * The price of one call: free within the free tier, otherwise quoted or the list price. Without a payment rail a call
 * that costs something is `unavailable`, or `too_many_requests` when it only ran past the free tier.
 */
export const priceOf = async (
  limits: Limits,
  asked: Asked,
  payable: boolean,
  quote: () => Price | Promise<Price>,
): Promise<Price> => {
  const { tool } = asked
  if (isFree(tool.price) && !tool.quote) return free
  const { covered, used } = freeTier(limits, asked)
  if (covered) return free
  if (!payable && used) throw overLimit(`The free tier of ${tool.name}`, used)
  if (!payable)
    throw new ToolError(
      'unavailable',
      `${tool.name} costs ${tool.price.amount} ${tool.price.unit}, and no payment rail is configured here.`,
      {
        hint: howToCallFree(tool),
      },
    )
  return quote()
}
