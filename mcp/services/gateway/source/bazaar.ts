import { asList, asRecord, type JsonRecord } from '../../../lib/json.ts'
import { clean } from '../../../lib/text/clean.ts'
import { isUsdc } from '../../../lib/x402-wire.ts'
import type { Candidate } from '../candidate/candidate.ts'
import type { RegistryAnswer } from './fetch-registry.ts'
import { parseUrl, readWords } from './fields.ts'

/** The address that asks an x402 bazaar for resources. */
export const bazaarUrl = (base: string, capability: string, limit: number): string =>
  `${base}/search?${new URLSearchParams({ query: capability, limit: String(limit) })}`

/** An offer in USDC as a decimal price; other assets have no price that could be compared. */
const parsePrice = ({ amount, maxAmountRequired, network, asset, extra }: JsonRecord): Candidate['price'] => {
  const atomic = String(amount ?? maxAmountRequired ?? '')
  const token = { asset: clean(asset, 120) ?? '', assetName: clean(asRecord(extra).name, 40) }
  if (!/^\d{1,30}$/.test(atomic) || !isUsdc(token)) return null
  const digits = atomic.padStart(7, '0')
  const fraction = digits.slice(-6).replace(/0+$/, '')
  const whole = digits.slice(0, -6).replace(/^0+(?=\d)/, '')
  return {
    amount: fraction === '' ? whole : `${whole}.${fraction}`,
    currency: 'USDC',
    network: clean(network, 64),
  }
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
