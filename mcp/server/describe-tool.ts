import { z } from 'zod'
import { echo } from '../kernel/echo.ts'
import { ToolError } from '../kernel/error.ts'
import { type AnyTool, free, isFree, tool } from '../kernel/tool.ts'
import type { Catalogue } from './catalogue.ts'
import type { Entry } from './compile.ts'

/** The list price as people read it. */
export const priceText = ({ price, quote }: AnyTool): string => {
  if (isFree(price)) return quote ? 'depends on the call' : 'free'
  const text = `${price.amount} ${price.unit}${price.network ? ` on ${price.network}` : ''}`
  // Terms of a call say how it is paid, not how much.
  return quote && !price.terms ? `from ${text}` : text
}

/** The named tool. Throws `not_found` with the way to the right name. */
export const findEntry = (entries: ReadonlyMap<string, Entry>, name: string): Entry => {
  const entry = entries.get(name)
  if (entry) return entry
  throw new ToolError('not_found', `name: there is no tool "${echo(name)}".`, {
    issues: [{ path: 'name', message: 'there is no such tool' }],
    hint: 'Use find_tool and send a name as it stands there.',
  })
}

export const toolName = z.string().max(100).describe('Name of the tool, as find_tool tells it')

/** Tells all about one tool: the second of the bundle's three. */
export const describeTool = ({ entries }: Catalogue) => {
  const byName = new Map(entries.map(entry => [entry.listed.name, entry]))
  return tool({
    name: 'describe_tool',
    title: 'Describe a tool',
    description:
      'Tells the input schema of a tool, its price and an example of its arguments; with output_schema true also the schema of its answer. Use it before call_tool. Free.',
    input: z.object({
      name: toolName,
      output_schema: z
        .boolean()
        .default(false)
        .describe('Also tell the schema of the answer, which may be long'),
    }),
    output: z.object({
      name: z.string().describe('Name for call_tool'),
      service: z.string().describe('Slug of its service'),
      title: z.string().describe('Title for people'),
      description: z.string().describe('What it does, when to use it, what it costs'),
      inputSchema: z.looseObject({}).describe('JSON Schema of the arguments'),
      outputSchema: z.looseObject({}).optional().describe('JSON Schema of the answer; there when asked for'),
      annotations: z.record(z.string(), z.boolean()).describe('MCP hints'),
      price: z.string().describe('List price of one call, or "free"'),
      example: z.looseObject({}).describe('Arguments that work'),
    }),
    needs: [],
    price: free,
    hints: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
    examples: [{ name: entries[0]?.listed.name ?? '' }],
  }).run(async (_, { name, output_schema }) => {
    const { listed: definition, service, tool: target } = findEntry(byName, name)
    const { outputSchema, ...facts } = definition
    return {
      ...facts,
      ...(output_schema && { outputSchema }),
      service: service.slug,
      price: priceText(target),
      example: target.examples[0],
    }
  })
}
