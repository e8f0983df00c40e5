import type { Ports } from '../../ports/ports.ts'
import { priceText } from '../cost.ts'
import { ToolError } from '../error.ts'
import { callName, type Service } from '../service.ts'
import {
  type AnyTool,
  type Call,
  type Caller,
  type FreeTier,
  free,
  isFree,
  type Price,
  type Quota,
} from '../tool.ts'
import { takeDaily } from './daily.ts'
import { takeFirst } from './first-calls.ts'
import { clientNames, type Limits, overLimit, type RateLimitStatus, takeAll } from './limits.ts'

type PricedCall = {
  tool: AnyTool
  service: Service
  channel: Call['channel']
  free: boolean
  /** Network address. */
  address: string
  caller: Caller | undefined
  input: object
  /** It brings no payment of its own. */
  isUnpaid: boolean
}

/**
 * What one call costs. `quota` is the free tier that covers it; `giveBack` returns what a failed call took of it, `replayed` what one
 * took that turned out to be answered already.
 */
export type Terms = {
  price: Price
  quota?: Quota
  giveBack?: () => Promise<void>
  replayed?: () => Promise<void>
}

const computeWeight = ({ tool, input }: PricedCall): number => tool.free?.weight?.(input as never) ?? 1

/** The windows of the free minute that a call counts in: one network address has one, whatever keys it has. */
const freeWindows = (pricedCall: PricedCall, tier: FreeTier) =>
  clientNames({ address: pricedCall.address, caller: pricedCall.caller?.id }).map(name => ({
    key: `free:${pricedCall.service.slug}:${name}`,
    quota: tier.perMinute,
    uses: computeWeight(pricedCall),
  }))

type ByTheMinute = { covering?: RateLimitStatus; used?: RateLimitStatus; giveBack?: () => Promise<void> }

/** The declared free tier that covers this call by the minute; `used` tells of one that would but is used up. */
const takeMinuteQuota = async (limits: Limits, pricedCall: PricedCall): Promise<ByTheMinute> => {
  const { tool, channel, free: flag } = pricedCall
  const tier = tool.free
  if (!tier || !(tier.channels?.includes(channel) || (tier.flag && flag))) return {}
  const windows = freeWindows(pricedCall, tier)
  const standing = await takeAll(limits, windows)
  if (!standing?.ok) return standing ? { used: standing } : {}
  const giveBack = async () => {
    for (const { key, uses } of windows) limits.giveBack(key, uses)
  }
  return { covering: standing, giveBack }
}

const toQuota = ({ quota: limit, remaining, resetSeconds }: RateLimitStatus): Quota => ({
  tier: 'free',
  limit,
  remaining,
  resetAt: new Date(Date.now() + resetSeconds * 1000).toISOString(),
})

/** The daily quota of a known caller, which may be used up (`ok`); undefined when it has none. */
const takeDailyQuota = async ({ store, clock }: Partial<Ports>, pricedCall: PricedCall) => {
  const { tool, service, caller } = pricedCall
  const limit = tool.free?.keyed
  if (limit === undefined || !caller || !store || !clock) return undefined
  return takeDaily(store, clock, `${service.slug}:${caller.id}`, { limit, uses: computeWeight(pricedCall) })
}

/** A free first call of the caller's key; undefined where it has none, or none are left. */
const takeFirstCall = async ({ store, clock }: Partial<Ports>, pricedCall: PricedCall) => {
  const { tool, service, caller, address, isUnpaid } = pricedCall
  const { freeCalls = 0 } = service.prepaid ?? {}
  if (freeCalls === 0 || tool.prepaid === false || !isUnpaid || !caller?.balance || !store || !clock)
    return undefined
  return takeFirst(store, clock, { slug: service.slug, caller: caller.id, address, calls: freeCalls })
}

/** Names for a call and its refusal: the tool's as in the caller's transport. */
type Named = Pick<PricedCall, 'tool' | 'service' | 'channel'>

const firstCallsText = ({ tool, service, channel }: Named): string | undefined => {
  const { prepaid } = service
  if (!prepaid || prepaid.freeCalls === 0 || tool.prepaid === false) return undefined
  return `the first ${prepaid.freeCalls} times with a new key (${callName(service, prepaid.register, channel)})`
}

/** How a tool can be called for nothing; undefined where it cannot. */
const howToCallFree = (named: Named): string | undefined => {
  const { free: tier } = named.tool
  const ways = [
    ...(tier?.channels ?? []).map(channel => `over ${channel.toUpperCase()}`),
    tier?.flag && 'with free=1 over REST',
  ].filter(way => way)
  const freeWays = [
    ways.length > 0 && `${ways.join(', ')}, ${tier?.perMinute} calls a minute`,
    tier?.keyed && `${tier.keyed} times a day with an ally key`,
    firstCallsText(named),
  ].filter(way => way)
  return freeWays.length > 0 ? `It is free ${freeWays.join('; and ')}.` : undefined
}

/** Free tiers that would cover a call and are used up: of the minute, and of the caller's day. */
type UsedUp = { minute?: RateLimitStatus | undefined; day?: Quota | undefined }

/** Says what is used up, and when the first of it is there again. */
const describeUsedUp = ({ minute, day }: UsedUp): { text: string; freeAgainAt: string } | undefined => {
  const daily = day && `The ${day.limit} free calls of this key are used up until ${day.resetAt}.`
  if (!minute) return day && daily ? { text: daily, freeAgainAt: day.resetAt } : undefined
  const minutely = `The free calls of this minute are used up; it is free again in ${minute.resetSeconds} s.`
  return { text: [minutely, daily].filter(part => part).join(' '), freeAgainAt: toQuota(minute).resetAt }
}

/** The price with what its refusal says of the free tier: how to have it, and when it is there again once it is used up. */
export const withFreeTier = (price: Price, named: Named, used: UsedUp = {}): Price => {
  const how = howToCallFree(named)
  if (how === undefined || isFree(price)) return price
  const usedUp = describeUsedUp(used)
  const hint = [price.note?.hint, usedUp?.text, how].filter(part => part).join(' ')
  const params = { ...price.note?.params, ...(usedUp && { freeAgainAt: usedUp.freeAgainAt }) }
  return { ...price, note: { hint, ...(Object.keys(params).length > 0 && { params }) } }
}

/**
 * What one call costs: nothing within a free tier, otherwise the quote or the list price. Without a way to pay a call
 * that costs something is `unavailable`, or `too_many_requests` when it only ran past the free tier.
 */
export const decideTerms = async (
  limits: Limits,
  ports: Partial<Ports>,
  pricedCall: PricedCall,
  payable: boolean,
  quote: () => Price | Promise<Price>,
): Promise<Terms> => {
  const { tool } = pricedCall
  if (isFree(tool.price) && !tool.quote) return { price: free }
  const { covering, used, giveBack } = await takeMinuteQuota(limits, pricedCall)
  if (covering && giveBack) return { price: free, quota: toQuota(covering), replayed: giveBack }
  const day = await takeDailyQuota(ports, pricedCall)
  if (day?.ok) return { price: free, quota: day.quota, giveBack: day.giveBack, replayed: day.giveBack }
  const first = await takeFirstCall(ports, pricedCall)
  if (first) return { price: free, giveBack: first, replayed: first }
  const quoted = await quote()
  if (payable || isFree(quoted))
    return { price: withFreeTier(quoted, pricedCall, { minute: used, day: day?.quota }) }
  if (used) throw overLimit(`The free tier of ${tool.name}`, used)
  throw new ToolError(
    'unavailable',
    `${tool.name} costs ${priceText(tool.price)}, and no way to pay is configured here.`,
    {
      hint: [describeUsedUp({ day: day?.quota })?.text, howToCallFree(pricedCall)]
        .filter(part => part)
        .join(' '),
    },
  )
}
