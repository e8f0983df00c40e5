import { z } from 'zod'
import type { AnyTool } from '../../../kernel/tool.ts'
import type { Charge } from '../../charge.ts'

type Fields = Readonly<Record<string, unknown>>

const text = { type: 'string' }
const queryMethods = ['GET', 'HEAD', 'DELETE']
const schemas = new WeakMap<AnyTool, Fields>()

const inputSchema = (tool: AnyTool): Fields => {
  const before = schemas.get(tool)
  if (before) return before
  const { $schema: _, ...schema } = z.toJSONSchema(tool.input, { io: 'input', unrepresentable: 'any' })
  schemas.set(tool, schema)
  return schema
}

const toInfoSchema = (info: Fields, properties: Fields, required: readonly string[]) => ({
  info,
  schema: {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    type: 'object',
    properties: { input: { type: 'object', properties, required, additionalProperties: false } },
    required: ['input'],
  },
})

const overMcp = (tool: AnyTool, schema: Fields) =>
  toInfoSchema(
    {
      input: {
        type: 'mcp',
        toolName: tool.name,
        description: tool.description,
        transport: 'streamable-http',
        inputSchema: schema,
        example: tool.examples[0],
      },
    },
    {
      type: { type: 'string', const: 'mcp' },
      toolName: text,
      description: text,
      transport: { type: 'string', enum: ['streamable-http', 'sse'] },
      inputSchema: { type: 'object' },
      example: { type: 'object' },
    },
    ['type', 'toolName', 'inputSchema'],
  )

const overHttp = (tool: AnyTool, schema: Fields, method: string) => {
  const type = { type: 'string', const: 'http' }
  const example = tool.examples[0]
  if (queryMethods.includes(method))
    return toInfoSchema(
      { input: { type: 'http', method, queryParams: example } },
      { type, method: { type: 'string', enum: queryMethods }, queryParams: schema },
      ['type', 'method'],
    )
  return toInfoSchema(
    { input: { type: 'http', method, bodyType: 'json', body: example } },
    {
      type,
      method: { type: 'string', enum: ['POST', 'PUT', 'PATCH'] },
      bodyType: { type: 'string', enum: ['json'] },
      body: schema,
    },
    ['type', 'method', 'bodyType', 'body'],
  )
}

/** The x402 discovery extension of a tool as it is called over HTTP. */
export const bazaarOverHttp = (tool: AnyTool, method: string): Fields =>
  overHttp(tool, inputSchema(tool), method)

/** The x402 discovery extension of a call: its input schema and an example that works. A2A calls are shown as REST. */
export const bazaarExtension = ({ tool, channel, method }: Charge): Fields => {
  const schema = inputSchema(tool)
  if (channel === 'mcp') return overMcp(tool, schema)
  return overHttp(tool, schema, channel === 'rest' ? method.toUpperCase() : 'POST')
}
