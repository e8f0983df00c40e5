import type { RouteConfig, x402ResourceServer } from '@x402/core/server'
import type { PaymentRequired, PaymentRequirements } from '@x402/core/types'
import { z } from 'zod'
import type { Service } from '../../mcp/kernel/service.ts'
import { type AnyTool, tool, usd } from '../../mcp/kernel/tool.ts'
import type { Offer } from '../../mcp/payment/method.ts'
import { tokenAmount } from '../../mcp/payment/token-terms.ts'
import type { MatchedRoute } from './matched-route.ts'

/** The routes of a seller, as records and receipts name their service. */
export const routesService: Service = {
  label: 'X',
  slug: 'express',
  name: 'Express routes',
  description: 'Routes of an Express application.',
  version: '1.0.0',
  interfaces: [{ binding: 'HTTP+JSON', path: '/', version: null }],
  card: { path: '/.well-known/agent-card.json', inputModes: [], outputModes: [] },
  auth: ['public'],
  tools: [],
  fallback: 'help',
}

const RequestName = z.object({
  method: z.string().describe('HTTP method'),
  target: z.string().describe('Path and query'),
  length: z.string().describe('Content-Length'),
  digest: z.string().describe('SHA-256 of the body'),
})

/** Describes the resource of a quote as the stock server does. */
export const toFacts = (
  { resource, description = '', mimeType = '', serviceName, tags, iconUrl }: RouteConfig,
  { adapter }: MatchedRoute['context'],
) => ({
  url: resource ?? adapter.getUrl(),
  description,
  mimeType,
  ...(serviceName !== undefined && { serviceName }),
  ...(tags !== undefined && { tags }),
  ...(iconUrl !== undefined && { iconUrl }),
})

const tools = new WeakMap<RouteConfig, Map<string, AnyTool>>()

/** The route as the gate takes a call: its name, and when it is settled. */
export const toRouteTool = ({ config, context }: MatchedRoute, settle: 'before' | 'after'): AnyTool => {
  const own = tools.get(config) ?? new Map<string, AnyTool>()
  tools.set(config, own)
  const name = `${context.method} ${context.routePattern}`
  const key = `${name} ${settle}`
  const before = own.get(key)
  if (before) return before
  const routeTool: AnyTool = tool({
    name,
    title: name,
    description: config.description ?? '',
    input: RequestName,
    output: z.looseObject({}),
    needs: [],
    price: usd('0'),
    settle,
    hints: { readOnly: settle === 'after', destructive: false, idempotent: false, openWorld: true },
    examples: [{ method: context.method ?? 'GET', target: context.routePattern, length: '', digest: '' }],
  }).run(() => Promise.reject(new Error('a route runs in its application')))
  own.set(key, routeTool)
  return routeTool
}

/** Kind of signature: by these words dialects frame offers, and methods find theirs. */
export const toKind = (network: string): string => (network.startsWith('solana:') ? 'svm-exact' : 'eip3009')

const titles: Readonly<Record<string, string>> = {
  'eip155:1': 'Ethereum',
  'eip155:10': 'Optimism',
  'eip155:137': 'Polygon',
  'eip155:8453': 'Base',
  'eip155:42161': 'Arbitrum One',
  'eip155:43114': 'Avalanche',
  'eip155:84532': 'Base Sepolia',
  'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp': 'Solana',
  'solana:EtWTRABZaYq6iMfeYKouRu166VU2xqa1': 'Solana Devnet',
}

/** A network as people call it; its CAIP-2 name where it has none here. */
export const networkTitle = (network: string): string => titles[network] ?? network

const readSymbol = ({ extra }: PaymentRequirements): string => {
  const name = extra?.name
  if (name === 'USD Coin' || name === 'USDC') return 'USDC'
  return typeof name === 'string' ? name : 'tokens'
}

/** Terms of the seller's server, as offers of the gate. `upfront` tells clients that money moves before the work. */
export const toOffers = (
  server: x402ResourceServer,
  { accepts }: PaymentRequired,
  settle: 'before' | 'after',
): Offer[] =>
  accepts.map(requirements => {
    const { network, asset, payTo, amount, maxTimeoutSeconds, extra } = requirements
    const decimals = server.getAssetDecimalsForRequirements(requirements)
    return {
      method: 'x402-server',
      kind: toKind(network),
      network,
      asset,
      payTo,
      amount,
      words: `${decimals > 0 ? tokenAmount(amount, decimals) : amount} ${readSymbol(requirements)} on ${networkTitle(network)}`,
      maxTimeoutSeconds,
      extra: { ...extra, ...(settle === 'before' && { paymentFlow: 'upfront' }) },
    }
  })

/** When money moves: before, where the route says so or streams, or where the request does more than read. */
export const settleFor = (
  { config, context }: MatchedRoute,
  { accepts }: PaymentRequired,
  chosen: 'before' | 'after' | undefined,
): 'before' | 'after' => {
  const isUpfront = accepts.some(({ extra }) => extra?.paymentFlow === 'upfront')
  const streams = [config.mimeType, context.adapter.getAcceptHeader()].some(type =>
    type?.startsWith('text/event-stream'),
  )
  if (isUpfront || streams) return 'before'
  return chosen ?? (context.method === 'GET' ? 'after' : 'before')
}
