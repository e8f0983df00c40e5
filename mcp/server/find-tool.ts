import { z } from 'zod'
import { free, tool } from '../kernel/tool.ts'
import type { Catalogue } from './catalogue.ts'
import type { Entry } from './compile.ts'
import { priceText } from './describe-tool.ts'
import { ranking } from './ranking.ts'

const ToolMatch = z.object({
  name: z.string().describe('Name for describe_tool and call_tool'),
  title: z.string().describe('Title for people'),
  description: z.string().describe('What it does, when to use it, what it costs'),
  price: z.string().describe('List price of one call, or "free"'),
})

const searchFields = ({ service, tool: { name, title, description, a2a, input } }: Entry) => [
  { text: name.replaceAll('_', ' '), weight: 5 },
  { text: title, weight: 4 },
  { text: (a2a?.tags ?? []).join(' '), weight: 3 },
  { text: `${service.slug} ${service.name}`, weight: 2 },
  { text: description, weight: 2 },
  { text: Object.keys(input.shape).join(' ').replaceAll('_', ' '), weight: 1 },
]

const toMatch = ({ listed: definition, tool }: Entry) => ({
  name: definition.name,
  title: definition.title,
  description: definition.description,
  price: priceText(tool),
})

/** Finds tools by what they do: the first of the bundle's three. */
export const findTool = ({ services, entries }: Catalogue) => {
  const slugs = services.map(({ slug }) => slug)
  let index: ((query: string) => Entry[]) | undefined
  const rank = (query: string) => {
    index ??= ranking(entries, searchFields)
    return index(query)
  }
  return tool({
    name: 'find_tool',
    title: 'Find a tool',
    description:
      'Finds tools by what they should do, best match first. Use it before describe_tool and call_tool. An empty query lists what the services are. Free.',
    input: z.object({
      query: z.string().max(300).describe('A few words: what the tool should do'),
      service: z.enum(slugs).optional().describe('Search in this service only'),
      limit: z.int().min(1).max(30).default(8).describe('Tools in the answer, 1 to 30'),
    }),
    output: z.object({
      tools: z.array(ToolMatch).describe('Best match first'),
      matches: z.int().describe('How many tools match in all'),
      services: z
        .array(
          z.object({
            slug: z.string().describe('Name for the input field service'),
            description: z.string().describe('What the service is'),
            tools: z.int().describe('How many tools it has'),
          }),
        )
        .optional()
        .describe('All services; there when no tool matches'),
    }),
    needs: [],
    price: free,
    hints: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
    examples: [{ query: 'look up DNS records' }],
  }).run(async (_, { query, service, limit }) => {
    const matches = rank(query).filter(entry => !service || entry.service.slug === service)
    const answer = { tools: matches.slice(0, limit).map(toMatch), matches: matches.length }
    if (matches.length > 0) return answer
    const all = services.map(({ slug, description }) => ({
      slug,
      description,
      tools: entries.filter(entry => entry.service.slug === slug).length,
    }))
    return { ...answer, services: all }
  })
}
