import { isFree, type Price } from '../mcp/kernel/tool.ts'
import { services } from '../services.ts'
import { findService, readArguments } from './arguments.ts'

const priceText = (price: Price): string => (isFree(price) ? 'free' : `${price.amount} ${price.unit}`)

/** `octagent list [service]`: every tool with its price and title. */
export const list = async (args: string[]): Promise<number> => {
  const { positionals } = readArguments(args, {})
  const [slug] = positionals
  const selection = slug === undefined ? services : [findService(services, slug)]
  const rows = selection.flatMap(service =>
    service.tools.map(tool => [`${service.slug}.${tool.name}`, priceText(tool.price), tool.title] as const),
  )
  const widths = [0, 1].map(column => Math.max(...rows.map(row => row[column]?.length ?? 0)))
  for (const [name, price, title] of rows)
    console.log(`${name.padEnd(widths[0] ?? 0)}  ${price.padEnd(widths[1] ?? 0)}  ${title}`)
  return 0
}
