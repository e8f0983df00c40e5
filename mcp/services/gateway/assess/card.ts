import { getDomain } from 'tldts'
import { asList, asRecord, type JsonRecord } from '../../../lib/json.ts'
import { clean } from '../../../lib/text/clean.ts'
import { findInjection } from '../../../lib/text/injection.ts'
import { parseUrl, readWords } from '../source/fields.ts'

type CardSkill = { id: string; name: string; description: string; tags: string[] }

/** Facts of a card that checks need. */
export type CandidateCardFacts = {
  name: string
  description: string | null
  version: string | null
  skills: CardSkill[]
  interfaces: { url: string; binding: string; version: string | null }[]
  /** Names of security schemes it asks for; empty when anybody may call. */
  requires: string[]
  payTo: string | null
  /** True for a card that declares payments. */
  asksPayment: boolean
  license: string | null
  termsUrl: string | null
  /** Why its texts are no description of it; null when they are. */
  injection: string | null
}

const readInterfaces = (card: JsonRecord): CandidateCardFacts['interfaces'] => {
  const listedInterfaces = [
    ...asList(card.supportedInterfaces),
    ...asList(card.additionalInterfaces),
    ...asList(card.interfaces),
  ]
  const main = {
    url: card.url,
    protocolBinding: card.preferredTransport ?? 'JSONRPC',
    protocolVersion: card.protocolVersion,
  }
  const interfaces = [main, ...listedInterfaces].flatMap(entry => {
    const { url, protocolBinding, transport, binding, protocolVersion } = asRecord(entry)
    const address = parseUrl(url)
    const version = clean(protocolVersion, 20)
    const bindingName = clean(protocolBinding ?? transport ?? binding, 40) ?? 'JSONRPC'
    return address === null ? [] : [{ url: address, binding: bindingName, version }]
  })
  return [...new Map(interfaces.map(one => [`${one.binding} ${one.url}`, one])).values()].slice(0, 16)
}

const readRequirements = (card: JsonRecord): string[] =>
  asList(card.securityRequirements ?? card.security)
    .flatMap(entry => {
      const { schemes } = asRecord(entry)
      return Object.keys(schemes === undefined ? asRecord(entry) : asRecord(schemes))
    })
    .slice(0, 16)
    .map(name => clean(name, 60) ?? 'a scheme without a name')

const listExtensions = (card: JsonRecord) => asList(asRecord(card.capabilities).extensions).map(asRecord)

/** The payee that an extension of the card names. */
const readPayee = (card: JsonRecord): string | null => {
  for (const { params } of listExtensions(card)) {
    const payee = clean(asRecord(params).payTo, 120)
    if (payee !== null) return payee
  }
  return clean(card.payTo, 120)
}

const text = (value: unknown): string | null => clean(value, 200)

const maxSkills = 64

const readSkills = (card: JsonRecord): CardSkill[] =>
  asList(card.skills)
    .slice(0, maxSkills)
    .map(asRecord)
    .map(({ id, name, description, tags }) => ({
      id: clean(id, 128) ?? '',
      name: clean(name, 128) ?? clean(id, 128) ?? '',
      description: clean(description, 500) ?? '',
      tags: readWords(tags),
    }))
    .filter(({ name }) => name !== '')

/** The first text of a card that steers its reader; as it was written, for what is cleaned hides nothing. */
const findInjectionIn = (card: JsonRecord): string | null => {
  const texts = [
    card.name,
    card.description,
    ...asList(card.skills)
      .map(asRecord)
      .flatMap(({ name, description, tags, examples }) => [
        name,
        description,
        ...asList(tags),
        ...asList(examples),
      ]),
  ]
  for (const one of texts) {
    const injection = typeof one === 'string' ? findInjection(one) : null
    if (injection !== null) return injection
  }
  return null
}

/** Home of a host: its registrable domain, else itself. */
export const toHome = (url: string): string => {
  const { hostname } = new URL(url)
  return getDomain(hostname, { allowPrivateDomains: true }) ?? hostname
}

/** Reads an agent card; a string says why it is none. */
export const readAgentCard = (card: JsonRecord | undefined, at: string): CandidateCardFacts | string => {
  if (!card) return 'it is no JSON object'
  const name = text(card.name)
  if (name === null) return 'it has no name'
  const interfaces = readInterfaces(card)
  if (interfaces.length === 0) return 'it names no interface with an http address'
  const foreign = interfaces.find(({ url }) => toHome(url) !== toHome(at))
  if (foreign) return `an interface lies on another domain, ${new URL(foreign.url).hostname}`
  const payTo = readPayee(card)
  return {
    name,
    description: clean(card.description, 500),
    version: text(card.version),
    skills: readSkills(card),
    interfaces,
    requires: readRequirements(card),
    payTo,
    asksPayment:
      payTo !== null || listExtensions(card).some(({ uri }) => /x402|ap2|payment/i.test(String(uri))),
    license: text(card.license),
    termsUrl: parseUrl(card.termsOfService ?? card.termsUrl),
    injection: findInjectionIn(card),
  }
}
