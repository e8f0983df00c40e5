import { parse } from 'tldts'
import type { Ports } from '../../../ports/ports.ts'
import type { Tx } from '../../../ports/store/port.ts'
import type { RegistrySettings } from '../config.ts'
import { asCandidate } from '../member/as-candidate.ts'
import { declaredIn, membersIn, normalizeCapability } from '../member/member.ts'
import { discoverCandidates } from '../source/discover.ts'
import { fromDocument, isDiscoveryDocument } from '../source/document.ts'
import { fetchRegistry } from '../source/fetch-registry.ts'
import { mcpUrl, namedInMcpRegistry } from '../source/mcp-registry.ts'
import type { Candidate } from './candidate.ts'

/** Candidates that are assessed at once. */
export const maxCandidates = 5

const host = /^(?=.{1,253}(?::|\/|$))(?:[a-z0-9_-]{1,63}\.)+[a-z0-9-]{2,63}(?::\d{1,5})?(?:\/.*)?$/i
const literal = /^(?:\[[0-9a-f:.]+\]|\d{1,3}(?:\.\d{1,3}){3}|localhost)(?::\d{1,5})?(?:\/.*)?$/i

/** The address that an identifier is, with https where it has no scheme; undefined for an id. */
const toAddress = (identifier: string): string | undefined => {
  if (/^https?:\/\//i.test(identifier)) return URL.canParse(identifier) ? new URL(identifier).href : undefined
  const isAddress = host.test(identifier) || literal.test(identifier)
  return isAddress && URL.canParse(`https://${identifier}`)
    ? new URL(`https://${identifier}`).href
    : undefined
}

/** Key that limits per target count by: the host of an address, else the identifier. */
export const toTarget = (identifier: string): string => {
  const url = toAddress(identifier)
  return url === undefined ? identifier : new URL(url).hostname
}

const isCard = (path: string): boolean => path.endsWith('.json')

const atAddress = (url: string, now: Date): Candidate => {
  const { pathname, hostname } = new URL(url)
  return {
    identifier: url,
    source: 'address',
    name: hostname,
    external_id: null,
    description: null,
    agent_card_url: isCard(pathname) ? url : null,
    interaction_url: pathname === '/' || isCard(pathname) ? null : url,
    protocol: null,
    protocol_version: null,
    capabilities: [],
    membership: false,
    state: 'active',
    pay_to: null,
    price: null,
    terms_url: null,
    provenance: { url, observed_at: now.toISOString(), digest: null },
  }
}

const findMember = async (tx: Tx, identifier: string) => {
  const byId = await membersIn(tx).get(identifier)
  if (byId) return byId
  return (await membersIn(tx).find({ index: 'external', where: { external_id: identifier }, limit: 1 }))
    .rows[0]
}

type ResolvePorts = Pick<Ports, 'fetch' | 'cache' | 'clock' | 'store'> & RegistrySettings & { base: string }

/** How many words of a need a candidate names. */
const countWords = (words: readonly string[], { name, description, identifier }: Candidate): number => {
  const text = `${name} ${description ?? ''} ${identifier}`.toLowerCase()
  return words.filter(word => text.includes(word)).length
}

/** Whom the document at an address names, those first that name most words of the need; the address itself where it names nobody. */
const inDocument = async (
  { fetch, clock }: ResolvePorts,
  url: string,
  need: string,
): Promise<readonly Candidate[]> => {
  const now = clock.now()
  try {
    const named = fromDocument(await fetchRegistry(fetch, url, AbortSignal.timeout(4000), now, 'caller'))
    const words = need.toLowerCase().match(/\p{L}{3,}/gu) ?? []
    const ranked = named.toSorted((one, other) => countWords(words, other) - countWords(words, one))
    if (ranked.length > 0) return ranked.slice(0, maxCandidates)
  } catch {
    // What cannot be read is judged as an address, with the reason.
  }
  return [atAddress(url, now)]
}

/**
 * The candidates that an identifier names: an address, or whom the document there names, else a member. An address goes first, since
 * anybody may join under the name of somebody else's host. None when it is neither.
 */
const resolve = async (
  ports: ResolvePorts,
  identifier: string,
  need: string,
  base: string,
): Promise<readonly Candidate[]> => {
  const { store, clock } = ports
  const url = toAddress(identifier)
  if (url !== undefined)
    return isDiscoveryDocument(new URL(url).pathname)
      ? inDocument(ports, url, need)
      : [atAddress(url, clock.now())]
  const member = await findMember(store, identifier)
  return member ? [asCandidate(member, base)] : []
}

export type Supply = { candidates: Candidate[]; partial: boolean }

/**
 * True for a name of the MCP registry, such as `io.github.acme/translate`: a host the other way round, and a name. What is an address as
 * it stands, is one.
 */
const isRegistryName = (identifier: string): boolean => {
  const [, host = ''] = /^((?:[a-z0-9-]+\.)+[a-z0-9-]+)\/[\w.-]+$/i.exec(identifier) ?? []
  return host !== '' && !parse(host).isIcann && parse(host.split('.').reverse().join('.')).isIcann === true
}

/** The addresses that the MCP registry has under a name, so that the verdict is that of the address. */
const byRegistryName = async ({ fetch, clock, mcpRegistry }: ResolvePorts, name: string): Promise<Supply> => {
  const now = clock.now()
  try {
    const answer = await fetchRegistry(fetch, mcpUrl(mcpRegistry, name, 10), AbortSignal.timeout(4000), now)
    const addresses = namedInMcpRegistry(answer, name).map(({ identifier }) => atAddress(identifier, now))
    return { candidates: addresses.slice(0, maxCandidates), partial: false }
  } catch {
    return { candidates: [], partial: true }
  }
}

/** Whom the members and the registries name for a need: at most 5, members first. */
const supply = async (ports: ResolvePorts, need: string, base: string): Promise<Supply> => {
  const { store } = ports
  const where = { capability: normalizeCapability(need) }
  const { rows } = await declaredIn(store).find({ index: 'capability', where, limit: maxCandidates })
  const members = await Promise.all(rows.map(({ member }) => membersIn(store).get(member)))
  const ownCandidates = members.flatMap(member => (member?.agent_card_url ? [asCandidate(member, base)] : []))
  if (ownCandidates.length >= maxCandidates) return { candidates: ownCandidates, partial: false }
  try {
    const { value } = await discoverCandidates(ports, normalizeCapability(need))
    const all = [...ownCandidates, ...value.candidates].slice(0, maxCandidates)
    return { candidates: all, partial: value.states.some(({ ok }) => !ok) }
  } catch {
    return { candidates: ownCandidates, partial: true }
  }
}

/** Whom a request is about: the candidate it names, if there is such a one, else whom members and registries name. */
export const candidatesFor = async (
  ports: ResolvePorts,
  { need, identifier }: { need: string; identifier: string | undefined },
  base: string,
): Promise<Supply> => {
  if (identifier === undefined) return supply(ports, need, base)
  if (isRegistryName(identifier)) return byRegistryName(ports, identifier)
  return { candidates: [...(await resolve(ports, identifier, need, base))], partial: false }
}
