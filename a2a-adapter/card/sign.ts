import canonicalize from 'canonicalize'
import { isRecord } from '../../mcp/lib/json.ts'
import type { Ports } from '../../mcp/ports/ports.ts'
import type { CardFacts } from './facts.ts'
import { schemesOfBoth } from './parts.ts'
import { type AgentCard, card03, card10, supersetCard } from './views.ts'

const stripEmptyFields = (value: unknown): unknown => {
  if (value === '' || value === null) return undefined
  if (Array.isArray(value)) {
    const items = value.map(stripEmptyFields).filter(item => item !== undefined)
    return items.length > 0 ? items : undefined
  }
  if (!isRecord(value)) return value
  const entries = Object.entries(value)
    .filter(([name, inner]) => !(name === 'required' && inner === false))
    .map(([name, inner]): [string, unknown] => [name, stripEmptyFields(inner)])
    .filter(([, inner]) => inner !== undefined)
  return entries.length > 0 ? Object.fromEntries(entries) : undefined
}

/** The bytes that A2A 1.0 (8.4.1) signs: the official fields without proto default values, as canonical JSON (RFC 8785). */
export const canonicalCard = (card: AgentCard): string => canonicalize(stripEmptyFields(card)) ?? ''

/** Canonical JSON with all but ASCII escaped, as some verifiers write it. */
const escapeNonAscii = (json: string): string =>
  json.replace(/[^\x20-\x7e]/g, unit => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)

/** The signed views: each carries signatures over what verifiers make of it. */
export const signedCards = async (facts: CardFacts, sign: Ports['sign'], jku: string) => {
  const signed = async (card: AgentCard, official: AgentCard | undefined): Promise<AgentCard> => {
    const documents = [...(official ? [canonicalCard(official)] : []), canonicalize(card) ?? '']
    // Verifiers want one signature that holds for what they make of the card, and disagree on how to write what is not ASCII.
    const payloads = new Set(documents.flatMap(document => [document, escapeNonAscii(document)]))
    const signatures = await Promise.all(Array.from(payloads, payload => sign.es256(payload, jku)))
    return {
      ...card,
      signatures: signatures.map(({ protected: header, signature }) => ({ protected: header, signature })),
    }
  }
  const [superset, v1, v03] = await Promise.all([
    signed(supersetCard(facts), card10({ ...facts, payment: [] })),
    signed(card10(facts, schemesOfBoth(facts)), card10(facts)),
    signed(card03(facts), undefined),
  ])
  return { superset, v1, v03 }
}
