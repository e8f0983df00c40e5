import { z } from 'zod'
import { costText } from '../kernel/cost.ts'
import { free, tool } from '../kernel/tool.ts'
import type { Catalogue } from './catalogue.ts'
import { type FindEntry, toolName } from './tool-names.ts'

/** Tells all about one tool. */
export const describeTool = ({ entries }: Catalogue, findEntry: FindEntry, payable: boolean) =>
  tool({
    name: 'describe_tool',
    title: 'Describe a tool',
    description:
      'Tells the input schema of a tool, its price and an example of its arguments; with output_schema true also the schema of its answer. Use it before read_tool or call_tool. Free.',
    input: z.object({
      name: toolName,
      output_schema: z
        .boolean()
        .default(false)
        .describe('Also tell the schema of the answer, which may be long'),
    }),
    output: z.object({
      name: z.string().describe('Name for read_tool and call_tool'),
      service: z.string().describe('Slug of its service'),
      title: z.string().describe('Title for people'),
      description: z.string().describe('What it does, when to use it, what it costs'),
      inputSchema: z.looseObject({}).describe('JSON Schema of the arguments'),
      outputSchema: z.looseObject({}).optional().describe('JSON Schema of the answer; there when asked for'),
      annotations: z.record(z.string(), z.boolean()).describe('MCP hints'),
      price: z.string().describe('What one call costs: free (60 a minute); else 0.002 USD'),
      example: z.looseObject({}).describe('Arguments that work'),
    }),
    needs: [],
    price: free,
    hints: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
    examples: [{ name: entries[0]?.listed.name ?? '' }],
  }).run(async (_, { name, output_schema }) => {
    const { listed: definition, service, tool: target } = findEntry(name)
    const { outputSchema, ...facts } = definition
    return {
      ...facts,
      ...(output_schema && { outputSchema }),
      service: service.slug,
      price: costText(target, { channel: 'mcp', payable }),
      example: target.examples[0],
    }
  })
