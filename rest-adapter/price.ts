import { unitText } from '../mcp/kernel/cost.ts'
import { type AnyTool, isFree, isPriced, type Price } from '../mcp/kernel/tool.ts'

/** The payment protocols that a price in a unit can be paid over, preferred first; credits are spent without one. */
export const protocols: Record<Price['unit'], readonly ('x402' | 'l402')[]> = {
  usd: ['x402'],
  sat: ['l402', 'x402'],
  credit: [],
}

/** The prices of several tools in one phrase: `free`, `free to 0.10 USD`. */
export const rangeText = (tools: readonly AnyTool[]): string => {
  const priced = tools.filter(tool => !isFree(tool.price)).map(({ price }) => price)
  const units_ = [...new Set(priced.map(({ unit }) => unit))]
  const ranges = units_.map(unit => {
    const amounts = priced.filter(price => price.unit === unit).map(({ amount }) => amount)
    const sorted = [...new Set(amounts)].sort((one, other) => Number(one) - Number(other))
    const [minPrice, maxPrice] = [sorted[0], sorted.at(-1)]
    return `${minPrice === maxPrice ? minPrice : `${minPrice} to ${maxPrice}`} ${unitText(unit)}`
  })
  const free = tools.some(tool => !isPriced(tool)) ? ['free'] : []
  return [...free, ...ranges].join(', ') || 'priced by quote'
}
