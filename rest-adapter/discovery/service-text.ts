import { toolFor } from '../../mcp/kernel/call-endpoint.ts'
import { costText } from '../../mcp/kernel/cost.ts'
import type { AnyEndpoint } from '../../mcp/kernel/endpoint.ts'
import { exampleText } from '../../mcp/kernel/help.ts'
import { type Interface, isPlanned, type Service } from '../../mcp/kernel/service.ts'
import { type AnyTool, isPriced, skillId } from '../../mcp/kernel/tool.ts'
import { connectText, takesKey } from '../connect.ts'
import { curlCommand, messageCurlCommand } from '../curl.ts'
import { shortCost } from '../price.ts'

/** URL of the first A2A interface of a service. */
export const messageUrl = (base: string, { interfaces }: Service): string =>
  `${base}${interfaces.find(({ binding }) => binding === 'JSONRPC')?.path ?? '/'}`

const bindings: Record<Interface['binding'], string> = {
  JSONRPC: 'A2A, JSON-RPC',
  STREAMABLE_HTTP: 'MCP, streamable HTTP',
  'HTTP+JSON': 'REST',
}

const interfaceLines = (base: string, { interfaces, card, tools, endpoints = [] }: Service): string =>
  [
    `- Agent card: \`${base}${card.path}\``,
    ...interfaces.map(
      ({ binding, path, version }) =>
        `- ${bindings[binding]}${version === null ? '' : ` ${version}`}: \`${base}${path}\``,
    ),
    ...(interfaces.some(({ path }) => path === '/mcp') ? [] : [`- MCP, streamable HTTP: \`${base}/mcp\``]),
    `- REST: \`${base}/openapi.json\`, and for people its [reference](${base}/reference)`,
    ...([...tools, ...endpoints.map(toolFor)].some(isPriced)
      ? [`- Prices, x402 manifest: \`${base}/.well-known/x402\``]
      : []),
  ].join('\n')

const toolHead = (base: string, { name, title }: AnyTool, cost: string): string =>
  `### ${name}\n\n[**${title}**](${base}/tools/${name}), ${cost}.`

const toolText = (base: string, service: Service, tool: AnyTool): string => {
  const message = skillId(tool) === undefined ? [] : [`A2A message: \`${exampleText(tool)}\``]
  return [
    toolHead(base, tool, costText(tool)),
    tool.description,
    `\`\`\`sh\n${curlCommand(base, service, tool)}\n\`\`\``,
    ...message,
  ].join('\n\n')
}

/** The pages that a person would rather look at than read: live ones, without parameters, for anybody. */
const pageLines = (base: string, { endpoints = [], documents = [], auth: own }: Service): string =>
  [
    ...endpoints.filter(
      ({ method, answers, auth = own }) =>
        method === 'GET' && answers?.[0] === 'text/html' && auth.includes('public'),
    ),
    ...documents.filter(({ needs }) => needs !== undefined),
  ]
    .filter(({ path }) => !path.includes(':'))
    .map(({ title, path }) => `[${title.replace(/, for people$/, '')}](${base}${path})`)
    .join(' · ')

const endpointText = (base: string, endpoint: AnyEndpoint): string =>
  [
    `### ${endpoint.name}`,
    `**${endpoint.title}**, ${costText(toolFor(endpoint))}.`,
    endpoint.description,
    `\`${endpoint.method} ${base}${endpoint.path.replace(/:(\w+)/g, '{$1}')}\`${listTypes(', takes', endpoint.accepts)}${listTypes(', answers', endpoint.answers)}`,
  ].join('\n\n')

const listTypes = (verb: string, types: readonly string[] = []): string =>
  types.length > 0 ? `${verb} ${types.join(', ')}` : ''

const endpointsIn = (base: string, { endpoints = [] }: Service): string =>
  endpoints.length > 0
    ? `\n## Endpoints\n\n${endpoints.map(endpoint => endpointText(base, endpoint)).join('\n\n')}\n`
    : ''

const documentLines = (base: string, { documents = [] }: Service): string =>
  documents
    .map(({ path, title, description }) =>
      path.includes(':')
        ? `- ${title}: \`${base}${path.replace(/:(\w+)/g, '{$1}')}\`: ${description}`
        : `- [${title}](${base}${path}): ${description}`,
    )
    .join('\n')

const exampleCall = (base: string, service: Service): string => {
  const tool = service.tools.find(other => skillId(other) !== undefined)
  if (!tool) return ''
  return `\n## Ask over A2A

\`\`\`sh
${messageCurlCommand(messageUrl(base, service), tool)}
\`\`\`
`
}

const plannedLine = (service: Service): string =>
  isPlanned(service)
    ? '\n**Planned.** This service is not built yet: it answers `help` on every interface, and nothing else.\n'
    : ''

const lookText = (base: string, service: Service): string => {
  const pages = pageLines(base, service)
  return pages === '' ? '' : `Look: ${pages}\n\n`
}

const title = (service: Service): string => `# ${service.name}

> ${service.description}
${plannedLine(service)}`

const waysIn = (
  base: string,
  service: Service,
): string => `Every tool also answers at \`POST ${base}/tools/{name}\` with its input as JSON.

## Connect over MCP

${connectText(service.slug, `${base}/mcp`, takesKey(service))}${exampleCall(base, service)}
## Interfaces

${interfaceLines(base, service)}
`

const documentsIn = (base: string, service: Service): string =>
  service.documents?.length ? `\n## Documents\n\n${documentLines(base, service)}\n` : ''

/** A service on one page of Markdown: its page for programs, and its llms.txt. */
export const serviceText = (base: string, service: Service): string => `${title(service)}
${lookText(base, service)}Version ${service.version}. ${waysIn(base, service)}
## Tools

${service.tools.map(tool => toolText(base, service, tool)).join('\n\n')}
${endpointsIn(base, service)}${documentsIn(base, service)}`

const firstSentence = (text: string): string => /^.+?[.!?](?=\s|$)/s.exec(text)?.[0] ?? text

/** The same for people: the tools first, with what they do; how each is called stands on its own page, and every route in the reference. */
export const serviceBrief = (base: string, service: Service, site: string): string => `${title(service)}
${lookText(base, service)}Version ${service.version}. [Search its ${service.tools.length} tools](${site}/?service=${service.slug}).

## Tools

${service.tools.map(tool => `${toolHead(base, tool, shortCost(tool))} ${firstSentence(tool.description)}`).join('\n\n')}

## From a program

${waysIn(base, service)}${documentsIn(base, service)}`
