import { services } from '../app/services.ts'
import { costText } from '../mcp/kernel/cost.ts'
import { isPlanned } from '../mcp/kernel/service.ts'
import { findService, readArguments } from './arguments.ts'
import { toTable } from './table.ts'

/** `octagent list [service] [--json]`: every tool with what it costs over REST, and its title. */
export const list = async (args: string[]): Promise<number> => {
  const { values, positionals } = readArguments(args, {})
  const [slug] = positionals
  const selection = slug === undefined ? services : [findService(services, slug)]
  const tools = selection.flatMap(service =>
    service.tools.map(tool => ({
      name: `${service.slug}.${tool.name}`,
      cost: isPlanned(service) ? 'planned' : costText(tool, { channel: 'rest' }),
      title: tool.title,
    })),
  )
  if (values.json) console.log(JSON.stringify(tools, null, 2))
  else console.log(toTable(tools.map(({ name, cost, title }) => [name, cost, title])))
  return 0
}
