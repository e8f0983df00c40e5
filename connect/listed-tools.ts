import { asList, asRecord, isRecord, type JsonRecord } from '../mcp/lib/json.ts'
import { parseUsd } from '../mcp/lib/usd.ts'
import { toHeaderText } from './headers.ts'
import type { RpcMessage } from './message.ts'

type ListedTool = {
  /** The most that a call costs as the list has it, in millionths of a USD; undefined where it does not say. */
  price: bigint | undefined
  /** Arguments that the stateless era mirrors in headers: name of the argument, name of the header. */
  headers: readonly (readonly [argument: string, header: string])[]
}

/** Facts of tools as the server listed them. */
export type ListedTools = {
  /** Reads an answer to `tools/list`. */
  read(message: RpcMessage): void
  price(tool: string): bigint | undefined
  headers(tool: string, input: unknown): Record<string, string>
}

const maxTools = 10_000
const maxNameLength = 256
const maxDescriptionLength = 8192

const toMicros = (value: unknown): bigint | undefined => {
  if (typeof value === 'number' && Number.isFinite(value) && value >= 0) return parseUsd(value.toFixed(6))
  return typeof value === 'string' ? parseUsd(value.replace(/^\$/, '')) : undefined
}

/** `Costs 0.10 USDC`, `costs $0.001`, `Costs 3 (quick) or 10 (standard) USDC`: up to the currency, within a sentence. */
const costs =
  /\bcosts\s+((?:(?!\.\s)[^\n]){0,100}?\d[\d.]{0,20}[^\n.]{0,60}?)(?:\s*(?:test\s+)?USDC?\b|$|\.(?:\s|$))/i
const openEnded = /\b(from|at least|more than|starting|times|plus|or more)\b/i
const perUnit = /^[\s)]*(?:per|\/|an?|each|for (?:each|every))\s*(?!call\b|request\b|page\b|use\b)\w/i

/** The price in the words of a description; undefined where they give none, or one that grows with what is asked for. */
export const readCosts = (description: unknown): bigint | undefined => {
  if (typeof description !== 'string') return undefined
  const text = description.slice(0, maxDescriptionLength)
  const match = costs.exec(text)
  if (!match?.[1] || !/USD|\$/.test(match[0]) || openEnded.test(match[1])) return undefined
  if (perUnit.test(text.slice(match.index + match[0].length))) return undefined
  const amounts = [...match[1].matchAll(/\d+(?:\.\d+)?/g)].flatMap(([text]) => parseUsd(text) ?? [])
  return amounts.reduce<bigint | undefined>(
    (most, one) => (most === undefined || one > most ? one : most),
    undefined,
  )
}

/** The price of a tool: where programs state it, else in its description. */
const readPrice = ({ _meta, annotations, description }: JsonRecord): bigint | undefined =>
  toMicros(asRecord(_meta)['agents-x402/priceUSD']) ??
  toMicros(asRecord(annotations).paymentPriceUSD) ??
  readCosts(description)

const readHeaders = ({ inputSchema }: JsonRecord): ListedTool['headers'] =>
  Object.entries(asRecord(asRecord(inputSchema).properties)).flatMap(([argument, schema]) => {
    const header = asRecord(schema)['x-mcp-header']
    return typeof header === 'string' && /^[\w-]{1,64}$/.test(header) ? [[argument, header] as const] : []
  })

const toText = (value: unknown): string | undefined =>
  ['string', 'number', 'boolean'].includes(typeof value) ? String(value) : undefined

export const openListedTools = (): ListedTools => {
  const tools = new Map<string, ListedTool>()
  return {
    read({ result }) {
      for (const tool of asList(asRecord(result).tools).filter(isRecord)) {
        if (typeof tool.name !== 'string' || tool.name.length > maxNameLength) continue
        if (tools.size >= maxTools && !tools.has(tool.name)) continue
        tools.set(tool.name, { price: readPrice(tool), headers: readHeaders(tool) })
      }
    },
    price: tool => tools.get(tool)?.price,
    headers(tool, input) {
      const values = asRecord(input)
      return Object.fromEntries(
        (tools.get(tool)?.headers ?? []).flatMap(([argument, header]) => {
          const text = toText(values[argument])
          return text === undefined ? [] : [[`mcp-param-${header.toLowerCase()}`, toHeaderText(text)]]
        }),
      )
    },
  }
}
