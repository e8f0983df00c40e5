import { asList, asRecord, type JsonRecord } from '../../../lib/json.ts'
import { clean } from '../../../lib/text/clean.ts'
import { findUsdToken, toCaip2, toUsdMicros } from '../../../lib/usd-tokens.ts'
import { dollars } from '../assess/extras.ts'
import type { Candidate } from '../candidate/candidate.ts'
import type { RegistryAnswer } from './fetch-registry.ts'
import { parseUrl, readWords } from './fields.ts'

/** The address that asks an x402 bazaar for resources. */
export const bazaarUrl = (base: string, capability: string, limit: number): string =>
  `${base}/search?${new URLSearchParams({ query: capability, limit: String(limit) })}`

/** An offer in a known USD token as a decimal price; other assets have no price that could be compared. */
const parsePrice = ({ amount, maxAmountRequired, network, asset }: JsonRecord): Candidate['price'] => {
  const atomic = String(amount ?? maxAmountRequired ?? '')
  const [chain, contract] = [clean(network, 64) ?? '', clean(asset, 120) ?? '']
  const token = findUsdToken(chain, contract)
  const micros = /^\d{1,30}$/.test(atomic) ? toUsdMicros(chain, contract, atomic) : undefined
  if (!token || micros === undefined) return null
  return { amount: dollars(micros), currency: token.symbol, network: toCaip2(chain) }
}

/** The resources in a bazaar's answer, at their first offer. */
export const fromBazaar = ({ body, ...provenance }: RegistryAnswer): Candidate[] =>
  asList(asRecord(body).items ?? asRecord(body).resources).flatMap(entry => {
    const item = asRecord(entry)
    const interaction_url = parseUrl(item.resource)
    if (interaction_url === null) return []
    const [offer] = asList(item.accepts)
    const accepted = asRecord(offer)
    const { description } = asRecord(item.metadata)
    return [
      {
        identifier: interaction_url,
        source: 'x402_bazaar' as const,
        name: clean(item.serviceName, 120) ?? new URL(interaction_url).hostname,
        external_id: null,
        description: clean(item.description ?? description ?? accepted.description, 500),
        agent_card_url: null,
        interaction_url,
        protocol: 'x402' as const,
        protocol_version: item.x402Version === undefined ? null : clean(String(item.x402Version), 8),
        capabilities: readWords(item.tags),
        membership: false,
        state: 'active' as const,
        pay_to: clean(accepted.payTo, 120),
        price: parsePrice(accepted),
        terms_url: parseUrl(item.termsUrl),
        provenance,
      },
    ]
  })
