import { z } from 'zod'
import { ToolError } from '../../mcp/kernel/error.ts'
import { listSkills } from '../../mcp/kernel/help.ts'
import type { Request, Route } from '../../mcp/kernel/http.ts'
import type { Service } from '../../mcp/kernel/service.ts'
import { canonicalAddress } from '../../mcp/lib/chain-address.ts'
import { asRecord } from '../../mcp/lib/json.ts'
import { keepFor } from '../page-route.ts'
import { json, send } from '../send.ts'
import { type Place, placeUrl } from './place.ts'
import { serverJson } from './server-json.ts'
import { type CatalogueItem, catalogueItems } from './x402.ts'

const size = (max: number, preset: number) => z.coerce.number().int().min(1).max(max).default(preset)
const offset = z.coerce.number().int().min(0).default(0)
const words = z.string().max(400).default('')

/** How catalogues may be asked for resources; what is not named here is ignored, as their own do. */
const filters = {
  type: z.string().optional(),
  payTo: z.string().optional(),
  scheme: z.string().optional(),
  network: z.string().optional(),
  extensions: z.string().optional(),
}

/** Parses the query of a request. Throws `invalid_input` with every parameter that does not fit. */
const parseQuery = <shape extends z.ZodRawShape>(req: Request, shape: shape) => {
  const at = req.url.indexOf('?')
  const params = Object.fromEntries(new URLSearchParams(at < 0 ? '' : req.url.slice(at)))
  const parsed = z.object(shape).safeParse(params)
  if (parsed.success) return parsed.data
  const issues = parsed.error.issues.map(({ path, message }) => ({ path: path.join('.'), message }))
  throw new ToolError('invalid_input', issues.map(({ path, message }) => `${path}: ${message}`).join('; '), {
    issues,
  })
}

/** Searched texts, and what a search finds. */
type Entry<found> = { texts: readonly string[]; found: found }

/** A text as it is searched: case, and what stands between words, make no difference. */
const toSearched = (text: string): string => text.toLowerCase().replace(/[\s_]+/g, '-')

/**
 * Entries that have a question in one of their texts, else those with the most of its words, the best first; all of them for no
 * question at all.
 */
const search = <found>(question: string, entries: readonly Entry<found>[]): found[] => {
  const phrase = toSearched(question.trim())
  if (phrase === '') return entries.map(({ found }) => found)
  const lowered = entries.map(({ texts, found }) => ({ text: texts.map(toSearched).join('\n'), found }))
  const whole = lowered.filter(({ text }) => text.includes(phrase))
  if (whole.length > 0) return whole.map(({ found }) => found)
  const phraseWords = [...new Set(phrase.match(/[\p{L}\p{N}]{3,}/gu))]
  const scored = lowered.map(({ text, found }) => {
    const ownWords = new Set(text.match(/[\p{L}\p{N}]{3,}/gu))
    return { found, score: phraseWords.filter(word => ownWords.has(word)).length }
  })
  const best = Math.max(0, ...scored.map(({ score }) => score))
  return best === 0
    ? []
    : scored
        .filter(({ score }) => score * 2 > best)
        .sort((one, other) => other.score - one.score)
        .map(({ found }) => found)
}

const textsOf = ({ name, description, tools }: Service): string[] => [
  name,
  description,
  ...tools.flatMap(tool => [tool.title, tool.description, ...(tool.a2a?.tags ?? [])]),
]

/** A service as registries of A2A agents list it. */
const agentEntry = (place: Place, service: Service, isHealthy: boolean) => {
  const { world } = place
  const base = world.base(service)
  const [main] = service.interfaces
  return {
    id: service.slug,
    name: service.name,
    description: service.description,
    version: service.version,
    provider: { organization: world.site.organization, url: world.site.url },
    url: base + main.path,
    protocolVersion: main.version ?? '1.0',
    wellKnownURI: `${base}${service.card.path}`,
    is_healthy: isHealthy,
    skills: listSkills(service).map(({ id, group, tools }) => ({
      id,
      name: group?.name ?? tools[0]?.title ?? id,
      tags: group?.tags ?? tools[0]?.a2a?.tags ?? [id],
    })),
  }
}

const agents = async (place: Place, req: Request) => {
  const {
    search: question,
    limit,
    offset: skipped,
  } = parseQuery(req, { search: words, limit: size(100, 20), offset })
  const health = await place.world.ports.store?.health()
  const all = place.services.map(service => {
    const found = agentEntry(place, service, health?.ok ?? true)
    return { found, texts: [...textsOf(service), found.url, found.wellKnownURI] }
  })
  const matches = search(question, all)
  return { agents: matches.slice(skipped, skipped + limit), total: matches.length, limit, offset: skipped }
}

const official = 'io.modelcontextprotocol.registry/official'

const servers = (place: Place, req: Request) => {
  const {
    search: question,
    limit,
    cursor,
  } = parseQuery(req, { search: words, limit: size(100, 30), cursor: offset })
  const places = [{ ...place, service: undefined }, ...place.services.map(service => ({ ...place, service }))]
  const all = places.map(each => {
    const server = serverJson(each)
    const services = each.service ? [each.service] : []
    return {
      found: { server, _meta: { [official]: { status: 'active', isLatest: true } } },
      texts: [server.name, server.description, placeUrl(each), ...services.flatMap(textsOf)],
    }
  })
  const matches = search(question, all)
  const page = matches.slice(cursor, cursor + limit)
  const next = cursor + page.length
  return {
    servers: page,
    metadata: { count: page.length, ...(next < matches.length && { nextCursor: String(next) }) },
  }
}

const isListed = (
  item: CatalogueItem,
  { type, payTo, scheme, network, extensions }: { [name in keyof typeof filters]?: string | undefined },
): boolean =>
  (type === undefined || item.type === type) &&
  (extensions === undefined || Object.hasOwn(item.extensions, extensions)) &&
  item.accepts
    .map(asRecord)
    .some(
      offer =>
        (payTo === undefined || canonicalAddress(String(offer.payTo)) === canonicalAddress(payTo)) &&
        (scheme === undefined || offer.scheme === scheme) &&
        (network === undefined || offer.network === network),
    )

const resources = (items: readonly CatalogueItem[], req: Request) => {
  const { limit, offset: skipped, ...wanted } = parseQuery(req, { ...filters, limit: size(100, 20), offset })
  const matches = items.filter(item => isListed(item, wanted))
  return {
    x402Version: 2,
    items: matches.slice(skipped, skipped + limit),
    pagination: { limit, offset: skipped, total: matches.length },
  }
}

const searchResources = (items: readonly CatalogueItem[], req: Request) => {
  const { query, limit, cursor, ...wanted } = parseQuery(req, {
    ...filters,
    query: words,
    limit: size(100, 20),
    cursor: offset,
  })
  const listed = items.filter(item => isListed(item, wanted))
  const entries = listed.map(item => ({
    found: item,
    texts: [item.resource, item.description, item.serviceName, ...item.tags],
  }))
  const matches = search(query, entries)
  const page = matches.slice(cursor, cursor + limit)
  const next = cursor + page.length
  return {
    x402Version: 2,
    resources: page,
    partialResults: next < matches.length,
    pagination: { limit: page.length, cursor: next < matches.length ? String(next) : null },
  }
}

const catalogueSeconds = 300

/**
 * This installation as a registry of what it has itself, under `/discovery`, in the forms that registries are read in: agents (A2A),
 * servers (the generic registry API of MCP, v0.1) and paid resources (bazaar extension of x402).
 */
export const registryRoutes = (place: Place): Route[] => {
  const items = keepFor(
    catalogueSeconds,
    () => placeUrl(place),
    () => catalogueItems(place),
  )
  const route = (path: string, answer: (req: Request) => object | Promise<object>): Route => ({
    method: 'GET',
    path: `/discovery/${path}`,
    async handle(req, res) {
      send(res, 200, json, JSON.stringify(await answer(req)), { 'Cache-Control': 'public, max-age=60' })
    },
  })
  return [
    route('agents', req => agents(place, req)),
    route('v0.1/servers', req => servers(place, req)),
    route('resources', async req => resources(await items(), req)),
    route('search', async req => searchResources(await items(), req)),
  ]
}
