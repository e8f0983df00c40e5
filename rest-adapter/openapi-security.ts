import type { SecurityScheme, Service } from '../mcp/kernel/service.ts'
import type { AnyTool, Auth } from '../mcp/kernel/tool.ts'

type Kind = Exclude<Auth, 'public'>
type Scheme = { type: 'http'; scheme: string } | { type: 'apiKey'; in: 'header'; name: string }
type Described = Scheme & { description?: string }

const standard: Record<Kind, Described> = {
  bearer: { type: 'http', scheme: 'bearer' },
  apiKey: { type: 'apiKey', in: 'header', name: 'X-API-Key' },
  erc8128: { type: 'http', scheme: 'erc8128', description: 'Signature and Signature-Input (ERC-8128)' },
  l402: { type: 'apiKey', in: 'header', name: 'Authorization', description: 'L402 <macaroon>:<preimage>' },
}

const shown = (declared: SecurityScheme): Described => {
  const description = declared.description === undefined ? {} : { description: declared.description }
  if (declared.kind === 'api_key')
    return { type: 'apiKey', in: 'header', name: declared.header, ...description }
  return { type: 'http', scheme: declared.scheme, ...description }
}

const same = (one: Described, other: Described): boolean => {
  if (one.type === 'http') return other.type === 'http' && one.scheme === other.scheme
  return other.type === 'apiKey' && one.name.toLowerCase() === other.name.toLowerCase()
}

const declaredSchemes = ({ card }: Service): [string, Described][] =>
  Object.entries(card.schemes ?? {}).map(([name, scheme]) => [name, shown(scheme)])

/** The name of the scheme that stands for a way to prove who is calling: the card's, where it has one. */
const schemeFor = (service: Service, kind: Kind): string =>
  declaredSchemes(service).find(([, scheme]) => same(scheme, standard[kind]))?.[0] ?? kind

/** The OpenAPI security of a tool: alternatives, of which `{}` asks for nothing. */
export const securityOf = (service: Service, tool: AnyTool): Record<string, string[]>[] =>
  (tool.auth ?? service.auth).map(kind => (kind === 'public' ? {} : { [schemeFor(service, kind)]: [] }))

/** Every scheme that the card declares or a tool accepts. */
export const securitySchemesOf = (service: Service): Record<string, Described> => {
  const asked = [...service.tools, ...(service.endpoints ?? [])]
  const kinds = asked.flatMap(({ auth }) => auth ?? service.auth).filter(kind => kind !== 'public')
  return {
    ...Object.fromEntries(kinds.map(kind => [schemeFor(service, kind), standard[kind]])),
    ...Object.fromEntries(declaredSchemes(service)),
  }
}
