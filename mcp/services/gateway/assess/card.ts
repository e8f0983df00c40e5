import { getDomain } from 'tldts'
import { asList, asRecord, type JsonRecord } from '../../../lib/json.ts'
import { clean } from '../../../lib/text/clean.ts'
import { parseUrl } from '../source/fields.ts'

/** What a card says that checks need. */
export type CardFacts = {
  name: string
  version: string | null
  interfaces: { url: string; binding: string }[]
  /** Names of security schemes it asks for; empty when anybody may call. */
  requires: string[]
  payTo: string | null
  license: string | null
  termsUrl: string | null
}

const readInterfaces = (card: JsonRecord): CardFacts['interfaces'] => {
  const listedInterfaces = [
    ...asList(card.supportedInterfaces),
    ...asList(card.additionalInterfaces),
    ...asList(card.interfaces),
  ]
  const main = { url: card.url, protocolBinding: card.preferredTransport ?? 'JSONRPC' }
  const interfaces = [main, ...listedInterfaces].flatMap(entry => {
    const { url, protocolBinding, transport, binding } = asRecord(entry)
    const address = parseUrl(url)
    return address === null
      ? []
      : [{ url: address, binding: String(protocolBinding ?? transport ?? binding ?? 'JSONRPC') }]
  })
  return [...new Map(interfaces.map(one => [`${one.binding} ${one.url}`, one])).values()].slice(0, 16)
}

const readRequirements = (card: JsonRecord): string[] =>
  asList(card.securityRequirements ?? card.security).flatMap(entry => {
    const { schemes } = asRecord(entry)
    return Object.keys(schemes === undefined ? asRecord(entry) : asRecord(schemes))
  })

/** The payee that an extension of the card names. */
const readPayee = (card: JsonRecord): string | null => {
  for (const extension of asList(asRecord(card.capabilities).extensions)) {
    const { payTo } = asRecord(asRecord(extension).params)
    const payee = clean(payTo, 120)
    if (payee !== null) return payee
  }
  return clean(card.payTo, 120)
}

const text = (value: unknown): string | null => clean(value, 200)

/** Reads an agent card; a string says why it is none. */
export const readCard = (card: JsonRecord | undefined, at: string): CardFacts | string => {
  if (!card) return 'it is no JSON object'
  const name = text(card.name)
  if (name === null) return 'it has no name'
  const interfaces = readInterfaces(card)
  if (interfaces.length === 0) return 'it names no interface with an http address'
  const home = getDomain(new URL(at).hostname, { allowPrivateDomains: true }) ?? new URL(at).hostname
  const foreign = interfaces.find(({ url }) => {
    const { hostname } = new URL(url)
    return (getDomain(hostname, { allowPrivateDomains: true }) ?? hostname) !== home
  })
  if (foreign) return `an interface lies on another domain, ${new URL(foreign.url).hostname}`
  return {
    name,
    version: text(card.version),
    interfaces,
    requires: readRequirements(card),
    payTo: readPayee(card),
    license: text(card.license),
    termsUrl: parseUrl(card.termsOfService ?? card.termsUrl),
  }
}
