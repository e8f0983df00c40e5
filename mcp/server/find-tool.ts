import { z } from 'zod'
import { costText } from '../kernel/cost.ts'
import { free, tool } from '../kernel/tool.ts'
import type { Catalogue } from './catalogue.ts'
import type { Entry } from './listed.ts'

const ToolMatch = z.object({
  name: z.string().describe('Name for describe_tool, read_tool and call_tool'),
  title: z.string().describe('Title for people'),
  description: z.string().describe('What it does, when to use it, what it costs'),
  price: z.string().describe('What one call costs: free (60 a minute); else 0.002 USD'),
  readOnly: z.boolean().describe('True for read_tool, which only reads; else use call_tool'),
})

const toMatch = ({ listed: definition, tool }: Entry, payable: boolean) => ({
  name: definition.name,
  title: definition.title,
  description: definition.description,
  price: costText(tool, { channel: 'mcp', payable }),
  readOnly: tool.hints.readOnly,
})

/** Finds tools by what they do. */
export const findTool = (
  { services, entries }: Catalogue,
  search: (question: string) => readonly Entry[],
  payable: boolean,
) => {
  const slugs = services.map(({ slug }) => slug)
  return tool({
    name: 'find_tool',
    title: 'Find a tool',
    description:
      'Finds tools by what they should do, best match first. Use it before describe_tool, read_tool and call_tool. An empty query lists what the services are. Free.',
    input: z.object({
      query: z.string().max(300).describe('What the tool should do, in a few words or a question'),
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
    const matches = search(query).filter(entry => !service || entry.service.slug === service)
    const answer = {
      tools: matches.slice(0, limit).map(entry => toMatch(entry, payable)),
      matches: matches.length,
    }
    if (matches.length > 0) return answer
    const all = services.map(({ slug, description }) => ({
      slug,
      description,
      tools: entries.filter(entry => entry.service.slug === slug).length,
    }))
    return { ...answer, services: all }
  })
}
