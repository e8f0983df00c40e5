import type { World } from '../../mcp/kernel/call.ts'
import { toolFor } from '../../mcp/kernel/call-endpoint.ts'
import { isPlanned, type Service } from '../../mcp/kernel/service.ts'
import { isPriced, skillId } from '../../mcp/kernel/tool.ts'
import { connectText, takesKey } from '../connect.ts'
import { curlCommand, messageCurlCommand } from '../curl.ts'
import { rangeText } from '../price.ts'
import type { DiscoveryDocument, Place } from './place.ts'
import { messageUrl } from './service-text.ts'

const cell = (text: string): string => text.replaceAll('|', '\\|').replace(/\s+/g, ' ')

const row = (world: World, service: Service): string => {
  const { name, description, tools, endpoints = [] } = service
  const priced = [...tools, ...endpoints.map(toolFor)]
  const [count, price] = isPlanned(service) ? ['', 'planned'] : [tools.length, rangeText(priced)]
  return `| [${cell(name)}](${world.base(service)}/) | ${cell(description)} | ${count} | ${price} |`
}

/** The tool that shows best what a call looks like: a free one with a route of its own, else the first. */
const findExampleTool = (services: readonly Service[]) => {
  const all = services.flatMap(service => service.tools.map(tool => ({ service, tool })))
  const free = all.filter(({ tool }) => !isPriced(tool) && skillId(tool) !== undefined)
  return free.find(({ tool }) => tool.name !== 'help' && tool.rest) ?? free[0] ?? all[0]
}

const tryIt = (world: World, services: readonly Service[]): string => {
  const example = findExampleTool(services)
  if (!example) return ''
  const { service, tool } = example
  const base = world.base(service)
  return `## Try it

The same tool over REST:

\`\`\`sh
${curlCommand(base, service, tool)}
\`\`\`

And over A2A:

\`\`\`sh
${messageCurlCommand(messageUrl(base, service), tool)}
\`\`\`

`
}

const connectOne = (world: World, services: readonly Service[]): string =>
  services
    .filter(service => !isPlanned(service))
    .map(service => `claude mcp add --transport http ${service.slug} ${world.base(service)}/mcp`)
    .join('\n')

/** How an installation is connected to, and what it says to programs. */
export const connectSection = (
  { world, services }: Place,
  documents: readonly DiscoveryDocument[],
): string => {
  const { url } = world.site
  return `${tryIt(world, services)}## Connect over MCP

All services behind four tools, \`find_tool\`, \`describe_tool\`, \`read_tool\` and \`call_tool\`:

${connectText('octagent', `${url}/mcp`, services.some(takesKey))}
Or the tools of one service:

\`\`\`sh
${connectOne(world, services)}
\`\`\`

## For programs

${documents.map(({ path, title, purpose }) => `- ${title}: ${purpose}, \`${url}${path}\``).join('\n')}
- Each service has its own llms.txt, agent card, \`openapi.json\` and x402 manifest
- [Problems](${url}/problems): every way a call can fail, in one shape everywhere
- [Status](${url}/status): whether all is well, and what is switched off; \`${url}/readyz\` for probes
`
}

/** The whole installation on one page of Markdown. `documents` are those by which it is found. */
export const siteText = (place: Place, documents: readonly DiscoveryDocument[]): string => {
  const { world, services } = place
  return `# Octagent

> ${services.length} agent services. Every tool answers over MCP, A2A and REST, with the same price, the same error and the same receipt.

## Services

| service | what it does | tools | price |
|---|---|---|---|
${services.map(service => row(world, service)).join('\n')}

${connectSection(place, documents)}`
}
