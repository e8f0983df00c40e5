import { toolFor } from '../../mcp/kernel/call-endpoint.ts'
import type { Route } from '../../mcp/kernel/http.ts'
import { isPriced } from '../../mcp/kernel/tool.ts'
import { buildOpenApi } from '../openapi.ts'
import { textRoute } from '../page-route.ts'
import { agentRegistration } from './agent-registration.ts'
import { apiCatalog, catalogPath, catalogType } from './api-catalog.ts'
import { llmsText } from './llms-text.ts'
import { type DiscoveryDocument, type Place, placeUrl, servicesOf } from './place.ts'
import { registryFacts } from './registry.ts'
import { serverJson } from './server-json.ts'
import { serviceText } from './service-text.ts'
import { connectSection, siteText } from './site-text.ts'
import { sitemap } from './sitemap.ts'
import { x402Manifest, x402Path } from './x402.ts'

const json = 'application/json; charset=utf-8'
const text = 'text/plain; charset=utf-8'

const sells = (place: Place): boolean =>
  servicesOf(place).some(({ tools, endpoints = [] }) => [...tools, ...endpoints.map(toolFor)].some(isPriced))

/** Documents of an installation and each of its services, each about itself. */
const common: readonly DiscoveryDocument[] = [
  {
    path: '/llms.txt',
    title: 'llms.txt',
    purpose: 'An index for language models',
    type: text,
    rel: 'service-doc',
    write: place => llmsText(place, documentsOf(place)),
  },
  {
    path: '/llms-full.txt',
    title: 'llms-full.txt',
    purpose: 'The whole page as text',
    type: text,
    rel: 'service-doc',
    write: place => pageText(place),
  },
  {
    path: '/sitemap.xml',
    title: 'Sitemap',
    purpose: 'Every page for people',
    type: 'application/xml; charset=utf-8',
    rel: 'service-doc',
    write: sitemap,
  },
  {
    path: x402Path,
    title: 'x402 manifest',
    purpose: 'Every address that asks for payment, with what it takes',
    type: json,
    rel: 'service-meta',
    maxAge: 300,
    isNeeded: sells,
    write: async place => JSON.stringify(await x402Manifest(place)),
  },
  {
    path: '/server.json',
    title: 'MCP server.json',
    purpose: 'The entry for registries of MCP servers',
    type: json,
    rel: 'service-meta',
    write: place => JSON.stringify(serverJson(place)),
  },
  {
    path: '/.well-known/agent-registration.json',
    title: 'Agent registration',
    purpose: 'The registration file of ERC-8004, and the proof of the domain',
    type: json,
    rel: 'service-meta',
    write: place => JSON.stringify(agentRegistration(place)),
  },
]

const ofSite: readonly DiscoveryDocument[] = [
  {
    path: '/registry.json',
    title: 'registry.json',
    purpose: 'Every tool with its schemas, prices, routes, skills and examples',
    type: json,
    rel: 'service-desc',
    write: ({ world, services }) => JSON.stringify(registryFacts(world, services)),
  },
  {
    path: catalogPath,
    title: 'API catalogue',
    purpose: 'Links to the documents of every service',
    type: catalogType,
    rel: 'service-meta',
    headers: place => ({ Link: `<${placeUrl(place)}${catalogPath}>; rel="api-catalog"` }),
    write: place => JSON.stringify(apiCatalog(place, documentsOf)),
  },
  {
    path: '/discovery/resources',
    title: 'x402 resources',
    purpose: 'What is sold, in the list format of x402 catalogues; /discovery/search searches it',
    type: json,
    rel: 'service-meta',
  },
]

const ofService: readonly DiscoveryDocument[] = [
  {
    path: '/openapi.json',
    title: 'OpenAPI',
    purpose: 'Every route with schemas, examples, failures and prices',
    type: json,
    rel: 'service-desc',
    write: ({ world, service }) => (service ? JSON.stringify(buildOpenApi(world, service)) : ''),
  },
]

const everyDocument = ({ service }: Place): DiscoveryDocument[] =>
  service
    ? [
        ...ofService,
        {
          path: service.card.path,
          title: 'Agent card',
          purpose: 'Skills and interfaces, for A2A',
          type: 'application/json',
          rel: 'service-desc',
        },
        ...common,
      ]
    : [...ofSite, ...common]

/**
 * The documents by which a place is found, from the one registry of what it has. What links to documents (pages, llms.txt, the
 * catalogue) reads this list, and so does what serves them.
 */
const documentsOf = (place: Place): DiscoveryDocument[] =>
  everyDocument(place).filter(({ isNeeded }) => isNeeded?.(place) ?? true)

/** A place on one page of Markdown. */
export const pageText = (place: Place): string =>
  place.service ? serviceText(placeUrl(place), place.service) : siteText(place, documentsOf(place))

/** Text of a place's page below its tools, as Markdown. */
export const placeText = (place: Place): string => connectSection(place, documentsOf(place))

/** Serves the documents of a place. */
export const documentRoutes = (place: Place): Route[] =>
  everyDocument(place).flatMap(({ path, type, maxAge, headers, write }) =>
    write
      ? [
          textRoute(
            path,
            type,
            () => placeUrl(place),
            () => write(place),
            {
              maxAge,
              headers: () => headers?.(place),
            },
          ),
        ]
      : [],
  )
