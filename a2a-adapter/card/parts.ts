import type { SecurityScheme } from '../../mcp/kernel/service.ts'
import type { CardFacts, SkillFacts } from './facts.ts'

const mapSchemes = <to>(
  from: CardFacts['schemes'],
  change: (scheme: SecurityScheme) => to,
): Record<string, to> =>
  Object.fromEntries(Object.entries(from).map(([name, scheme]) => [name, change(scheme)]))

const pickDescription = ({ description }: SecurityScheme) => ({
  ...(description !== undefined && { description }),
})

/** A security scheme as A2A 0.3 (OpenAPI) writes it. */
const scheme03 = (scheme: SecurityScheme) =>
  scheme.kind === 'api_key'
    ? { type: 'apiKey', in: 'header', name: scheme.header, ...pickDescription(scheme) }
    : { type: 'http', scheme: scheme.scheme, ...pickDescription(scheme) }

/** A security scheme as A2A 1.0 writes it. */
const scheme10 = (scheme: SecurityScheme) =>
  scheme.kind === 'api_key'
    ? { apiKeySecurityScheme: { location: 'header', name: scheme.header, ...pickDescription(scheme) } }
    : { httpAuthSecurityScheme: { scheme: scheme.scheme, ...pickDescription(scheme) } }

export const schemes03 = ({ schemes }: CardFacts) => mapSchemes(schemes, scheme03)
export const schemes10 = ({ schemes }: CardFacts) => mapSchemes(schemes, scheme10)

/** Schemes that parsers of both versions read: no key of one has another meaning in the other. */
export const schemesOfBoth = ({ schemes }: CardFacts) =>
  mapSchemes(schemes, scheme => ({ ...scheme03(scheme), ...scheme10(scheme) }))

export const requirements10 = ({ requirements }: CardFacts) =>
  requirements.map(requirement => ({
    schemes: Object.fromEntries(Object.entries(requirement).map(([name, list]) => [name, { list }])),
  }))

const jsonRpc = ({ interfaces }: CardFacts) => interfaces.filter(({ binding }) => binding === 'JSONRPC')

const official = (version: string | null): string => (version?.startsWith('1.') ? '1.0' : '0.3')

/** `supportedInterfaces` of 1.0: each JSONRPC interface in its own version, and those of 1.0 in 0.3 as well. */
export const supportedInterfaces = (facts: CardFacts) => {
  const interfaces = jsonRpc(facts).map(({ url, version }) => ({
    url,
    protocolBinding: 'JSONRPC',
    protocolVersion: official(version),
  }))
  const mirrors = interfaces
    .filter(({ protocolVersion }) => protocolVersion === '1.0')
    .map(entry => ({ ...entry, protocolVersion: '0.3' }))
  return [...interfaces, ...mirrors]
}

/** `url` and `additionalInterfaces` of 0.3. */
export const interfaces03 = (facts: CardFacts) => {
  const all = jsonRpc(facts).map(({ url }) => ({ url, transport: 'JSONRPC' }))
  return { url: all[0]?.url ?? '', preferredTransport: 'JSONRPC', additionalInterfaces: all }
}

/** A skill as both official versions spell it. */
export const officialSkill = ({
  id,
  name,
  description,
  tags,
  examples,
  inputModes,
  outputModes,
}: SkillFacts) => ({
  id,
  name,
  description,
  tags,
  examples,
  ...(inputModes && { inputModes }),
  ...(outputModes && { outputModes }),
})

/** `value` under `name` unless it is empty. */
export const unlessEmpty = (name: string, value: object): Record<string, object> =>
  Object.keys(value).length > 0 ? { [name]: value } : {}
