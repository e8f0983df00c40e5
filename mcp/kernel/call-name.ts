import type { Service } from './service.ts'
import { type Channel, skillId } from './tool.ts'

/** How a caller of a transport names a tool: its name over MCP, its skill over A2A, its first route over REST. */
export const callName = ({ slug, tools }: Service, name: string, channel: Channel): string => {
  const tool = tools.find(tool => tool.name === name)
  if (!tool) throw new Error(`${slug} has no tool ${name}`)
  if (channel === 'mcp') return name
  if (channel === 'a2a') return skillId(tool) ?? name
  return (tool.rest?.routes[0] ?? `POST /tools/${name}`).replace(/:(\w+)/g, '{$1}')
}
