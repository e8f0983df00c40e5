import type { SecurityScheme, Service } from '../mcp/kernel/service.ts'
import type { AnyTool, Auth } from '../mcp/kernel/tool.ts'

type Kind = Exclude<Auth, 'public'>
type Scheme = { type: 'http'; scheme: string } | { type: 'apiKey'; in: 'header'; name: string }
type DescribedScheme = Scheme & { description?: string }

const standard: Record<Kind, DescribedScheme> = {
  bearer: { type: 'http', scheme: 'bearer' },
  apiKey: { type: 'apiKey', in: 'header', name: 'X-API-Key' },
  erc8128: { type: 'http', scheme: 'erc8128', description: 'Signature and Signature-Input (ERC-8128)' },
  l402: { type: 'apiKey', in: 'header', name: 'Authorization', description: 'L402 <macaroon>:<preimage>' },
}

const toOpenApiScheme = (scheme: SecurityScheme): DescribedScheme => {
  const description = scheme.description === undefined ? {} : { description: scheme.description }
  if (scheme.kind === 'api_key') return { type: 'apiKey', in: 'header', name: scheme.header, ...description }
  return { type: 'http', scheme: scheme.scheme, ...description }
}

const same = (one: DescribedScheme, other: DescribedScheme): boolean => {
  if (one.type === 'http') return other.type === 'http' && one.scheme === other.scheme
  return other.type === 'apiKey' && one.name.toLowerCase() === other.name.toLowerCase()
}

const declaredSchemes = ({ card }: Service): [string, DescribedScheme][] =>
  Object.entries(card.schemes ?? {}).map(([name, scheme]) => [name, toOpenApiScheme(scheme)])

/** The name of the scheme that stands for a way to prove who is calling: the card's, where it has one. */
const schemeFor = (service: Service, kind: Kind): string =>
  declaredSchemes(service).find(([, scheme]) => same(scheme, standard[kind]))?.[0] ?? kind

/** The OpenAPI security of a tool: alternatives, of which `{}` asks for nothing. */
export const buildSecurity = (service: Service, tool: AnyTool): Record<string, string[]>[] =>
  (tool.auth ?? service.auth).map(kind => (kind === 'public' ? {} : { [schemeFor(service, kind)]: [] }))

/** Every scheme that the card declares or a tool accepts. */
export const buildSecuritySchemes = (service: Service): Record<string, DescribedScheme> => {
  const operations = [...service.tools, ...(service.endpoints ?? [])]
  const kinds = operations.flatMap(({ auth }) => auth ?? service.auth).filter(kind => kind !== 'public')
  return {
    ...Object.fromEntries(kinds.map(kind => [schemeFor(service, kind), standard[kind]])),
    ...Object.fromEntries(declaredSchemes(service)),
  }
}
