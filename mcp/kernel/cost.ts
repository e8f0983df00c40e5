import { type AnyTool, type Channel, type FreeTier, isFree, isPriced, type Price } from './tool.ts'

const units: Record<Price['unit'], string> = { usd: 'USD', sat: 'sat', credit: 'credits' }

/** A unit of money as people write it. */
export const unitText = (unit: Price['unit']): string => units[unit]

/** `0.10 USD on base`, `100 sat`: a network is named for dollars only, where sats are an amount that is converted. */
export const priceText = ({ amount, unit, network }: Price): string =>
  `${amount} ${units[unit]}${network === undefined || unit !== 'usd' ? '' : ` on ${network}`}`

/** Lists ways to call for nothing: over one channel only that it is free there, else how on each. */
const freeWays = ({ channels = [], flag }: FreeTier, channel: Channel | undefined): string[] => {
  if (channel !== undefined && channels.includes(channel)) return ['']
  if (channel === 'rest' && flag) return [' with free=1']
  if (channel !== undefined) return []
  const names = channels.map(name => name.toUpperCase()).join(' and ')
  return [...(names ? [` over ${names}`] : []), ...(flag ? [' over REST with free=1'] : [])]
}

const freeText = (tier: FreeTier, channel: Channel | undefined): string | undefined => {
  const ways = freeWays(tier, channel)
  const daily = tier.keyed === undefined ? '' : `${tier.keyed} a day with an ally key`
  if (ways.length === 0) return daily === '' ? undefined : `free (${daily})`
  const limit = `${tier.perMinute} a minute${ways.join(' and')}`
  if (channel !== undefined) return `free (${limit})`
  return `free (${[limit, daily].filter(Boolean).join('; ')})`
}

type CostOptions = {
  /** Tells what it costs there only. Default: everywhere. */
  channel?: Channel
  /** False where no way to pay is configured: what is free is all that can be had then. */
  payable?: boolean
}

/** A tool's price in words: `free`, `0.10 USD on base`, or both if both hold: `free (60 a minute); else 0.002 USD`. */
export const costText = (tool: AnyTool, { channel, payable = true }: CostOptions = {}): string => {
  if (!isPriced(tool)) return 'free'
  // Terms of a call say how it is paid, not how much.
  const price = isFree(tool.price) ? 'priced by quote' : priceText(tool.price)
  const quoted =
    tool.quote && !isFree(tool.price) && !tool.price.terms ? `${price} (the quote of a call decides)` : price
  const free = tool.free && freeText(tool.free, channel)
  if (free === undefined) return quoted
  return payable ? `${free}; else ${quoted}` : free
}
