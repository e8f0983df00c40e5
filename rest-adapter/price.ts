import { type AnyTool, type FreeTier, isFree, type Price } from '../mcp/kernel/tool.ts'

/** False for a tool that never costs anything. */
export const isPriced = ({ price, quote }: AnyTool): boolean => quote !== undefined || !isFree(price)

const units: Record<Price['unit'], string> = { usd: 'USD', sat: 'sat', credit: 'credits' }

const protocols: Record<Price['unit'], readonly ('x402' | 'l402')[]> = {
  usd: ['x402'],
  sat: ['l402', 'x402'],
  credit: [],
}

/**
 * What can be paid over, preferred first; credits are spent without a protocol. A price on terms of its own is paid in their way alone,
 * such as a transfer that the buyer broadcasts.
 */
export const listProtocols = ({ unit, terms }: Price): readonly string[] =>
  terms?.kind === undefined ? protocols[unit] : [terms.kind]

/** Whether the list price is what a call costs. Terms of a call say how it is paid, not how much. */
export const priceMode = ({ price, quote }: AnyTool): 'fixed' | 'dynamic' =>
  quote && !price.terms ? 'dynamic' : 'fixed'

/** `0.10 USD on base`, `100 sat`. */
export const priceText = ({ amount, unit, network }: Price): string =>
  `${amount} ${units[unit]}${network === undefined ? '' : ` on ${network}`}`

const freeText = ({ channels = [], flag, perMinute, keyed }: FreeTier): string => {
  const ways = [
    ...channels.map(channel => `over ${channel.toUpperCase()}`),
    ...(flag ? ['over REST with free=1'] : []),
  ]
  const daily = keyed === undefined ? '' : `; ${keyed} a day with an ally key`
  return `free ${ways.join(' and ')}, ${perMinute} calls a minute${daily}`
}

/** What a tool costs, in words: `free`, or its price and its free tier. */
export const costText = (tool: AnyTool): string => {
  if (!isPriced(tool)) return 'free'
  const price = isFree(tool.price) ? 'priced by quote' : priceText(tool.price)
  const isQuoted = !isFree(tool.price) && priceMode(tool) === 'dynamic'
  const quoted = isQuoted ? `${price} (the quote of a call decides)` : price
  return tool.free ? `${quoted}; ${freeText(tool.free)}` : quoted
}

/** The prices of several tools in one phrase: `free`, `free to 0.10 USD`. */
export const rangeText = (tools: readonly AnyTool[]): string => {
  const priced = tools.filter(tool => !isFree(tool.price)).map(({ price }) => price)
  const units_ = [...new Set(priced.map(({ unit }) => unit))]
  const ranges = units_.map(unit => {
    const amounts = priced.filter(price => price.unit === unit).map(({ amount }) => amount)
    const sorted = [...new Set(amounts)].sort((one, other) => Number(one) - Number(other))
    const [minPrice, maxPrice] = [sorted[0], sorted.at(-1)]
    return `${minPrice === maxPrice ? minPrice : `${minPrice} to ${maxPrice}`} ${units[unit]}`
  })
  const free = tools.some(tool => !isPriced(tool)) ? ['free'] : []
  return [...free, ...ranges].join(', ') || 'priced by quote'
}
