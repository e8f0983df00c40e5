import { unitText } from '../mcp/kernel/cost.ts'
import { type AnyTool, isFree, isPriced, type Price } from '../mcp/kernel/tool.ts'

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

/** True when the list price is what a call costs. Terms of a call say how it is paid, not how much. */
export const priceMode = ({ price, quote }: AnyTool): 'fixed' | 'dynamic' =>
  quote && !price.terms ? 'dynamic' : 'fixed'

/** A price as a label has room for: the quote of a call may say another, and the page of the tool says all. */
export const shortCost = (tool: AnyTool): string => {
  if (!isPriced(tool)) return 'free'
  const price = isFree(tool.price) ? 'priced by quote' : `${tool.price.amount} ${unitText(tool.price.unit)}`
  return tool.free ? `free at first, then ${price}` : price
}

/** The prices of several tools in one phrase: `free, 0.10 USD`; `or as quoted` where a call may cost more than any list price. */
export const rangeText = (tools: readonly AnyTool[]): string => {
  const priced = tools.filter(tool => !isFree(tool.price)).map(({ price }) => price)
  const isQuoted = (unit: Price['unit']): boolean =>
    unit !== 'credit' &&
    tools.some(tool => tool.price.unit === unit && !isFree(tool.price) && priceMode(tool) === 'dynamic')
  const units_ = [...new Set(priced.map(({ unit }) => unit))]
  const ranges = units_.map(unit => {
    const amounts = priced.filter(price => price.unit === unit).map(({ amount }) => amount)
    const sorted = [...new Set(amounts)].sort((one, other) => Number(one) - Number(other))
    const [minPrice, maxPrice] = [sorted[0], sorted.at(-1)]
    const range = minPrice === maxPrice ? minPrice : `${minPrice} to ${maxPrice}`
    return `${range} ${unitText(unit)}${isQuoted(unit) ? ' or as quoted' : ''}`
  })
  const free = tools.some(tool => !isPriced(tool)) ? ['free'] : []
  return [...free, ...ranges].join(', ') || 'priced by quote'
}
