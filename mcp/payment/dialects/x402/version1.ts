import { toNameV1 } from '../../../lib/x402-networks.ts'
import type { QuoteFacts } from '../../charge.ts'
import type { Offer } from '../../method.ts'

/** An entry of `accepts` as clients of version 1 read it. */
type RequirementsV1 = {
  scheme: 'exact'
  network: string
  maxAmountRequired: string
  resource: string
  description: string
  mimeType: string
  payTo: string
  maxTimeoutSeconds: number
  asset: string
  extra: Readonly<Record<string, unknown>>
}

export type QuoteV1 = { x402Version: 1; error: string; accepts: readonly RequirementsV1[] }

/** USDC on Base comes first: some clients take the first entry without looking at it. */
const isUsualFirst = (one: RequirementsV1, other: RequirementsV1): number =>
  Number(other.network.startsWith('base')) - Number(one.network.startsWith('base'))

/** The quote of version 1; undefined where none of the offers can be made in it. */
export const quoteV1 = (offers: readonly Offer[], facts: QuoteFacts, error: string): QuoteV1 | undefined => {
  const { url, description: words = '', mimeType: type = 'application/json' } = facts.resource
  const [resource, description, mimeType] = [String(url), String(words), String(type)]
  if (!URL.canParse(resource)) return undefined
  const accepts = offers.flatMap(({ network: id, amount, payTo, maxTimeoutSeconds, asset, extra }) => {
    const network = toNameV1(id)
    if (network === undefined) return []
    const { quote: _, ...rest } = extra
    const terms = { scheme: 'exact', network, maxAmountRequired: amount, resource, description } as const
    return [{ ...terms, mimeType, payTo, maxTimeoutSeconds, asset, extra: rest }]
  })
  return accepts.length > 0 ? { x402Version: 1, error, accepts: accepts.sort(isUsualFirst) } : undefined
}
