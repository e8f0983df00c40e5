import {
  completable,
  fromJsonSchema,
  McpServer,
  ResourceTemplate,
  type ServerNotifier,
} from '@modelcontextprotocol/server'
import { z } from 'zod'
import { addAskingTools, codec, inputPrompt } from './asking-tools.ts'
import {
  cities,
  logLines,
  nap,
  progressSteps,
  prompts,
  resources,
  still,
  templateResource,
  text,
} from './content.ts'

const about = (name: string) => ({ title: name, description: `Diagnostic ${name}` })
const simple = (name: string) => ({ ...about(name), inputSchema: z.object({}) })

const addStillTools = (server: McpServer) => {
  for (const [name, answer] of Object.entries(still))
    server.registerTool(name, simple(name), async () => answer)
  server.registerTool('test_error_handling', simple('test_error_handling'), async () => {
    throw new Error('This tool intentionally returns an error for testing')
  })
}

const addTalkingTools = (server: McpServer, notify: ServerNotifier) => {
  server.registerTool('test_tool_with_progress', simple('test_tool_with_progress'), async (_, { mcpReq }) => {
    const progressToken = mcpReq._meta?.progressToken
    for (const progress of progressSteps) {
      if (progressToken !== undefined)
        await mcpReq.notify({
          method: 'notifications/progress',
          params: { progressToken, progress, total: 100 },
        })
      await nap()
    }
    return text('progress done')
  })
  for (const name of ['test_tool_with_logging', 'test_logging_tool'])
    server.registerTool(name, simple(name), async (_, { mcpReq }) => {
      for (const line of logLines) await mcpReq.log('info', line)
      return text('logged')
    })
  server.registerTool('test_trigger_tool_change', simple('test_trigger_tool_change'), async () => {
    notify.toolsChanged()
    return text('ok')
  })
  server.registerTool('test_trigger_prompt_change', simple('test_trigger_prompt_change'), async () => {
    notify.promptsChanged()
    return text('ok')
  })
}

const addressFields = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  type: 'object',
  $defs: {
    address: {
      $anchor: 'addressDef',
      type: 'object',
      properties: { street: { type: 'string' }, city: { type: 'string' } },
    },
  },
  properties: {
    name: { type: 'string' },
    address: { $ref: '#/$defs/address' },
    contactMethod: { type: 'string', enum: ['phone', 'email'] },
    phone: { type: 'string' },
    email: { type: 'string' },
  },
  allOf: [{ anyOf: [{ required: ['phone'] }, { required: ['email'] }] }],
  if: { properties: { contactMethod: { const: 'phone' } }, required: ['contactMethod'] },
  // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
  then: { required: ['phone'] },
  else: { required: ['email'] },
  additionalProperties: false,
} as const

const region = {
  type: 'object',
  properties: { region: { type: 'string', 'x-mcp-header': 'Region' } },
} as const

const addSchemaTools = (server: McpServer) => {
  for (const [name, schema] of [
    ['json_schema_2020_12_tool', addressFields],
    ['test_custom_header', region],
  ] as const)
    server.registerTool(name, { ...about(name), inputSchema: fromJsonSchema(schema as never) }, async args =>
      text(JSON.stringify(args)),
    )
}

const addResources = (server: McpServer) => {
  for (const { name, ...content } of resources)
    server.registerResource(name, content.uri, { mimeType: content.mimeType }, async () => ({
      contents: [content],
    }))
  const template = new ResourceTemplate('test://template/{id}/data', { list: undefined })
  server.registerResource('template', template, { mimeType: 'application/json' }, async (uri, { id }) =>
    templateResource(uri.href, String(id)),
  )
}

const addPrompts = (server: McpServer) => {
  const fixture = { description: 'Diagnostic' }
  server.registerPrompt('test_simple_prompt', fixture, async () => prompts.simple)
  server.registerPrompt('test_prompt_with_image', fixture, async () => prompts.image)
  const two = z.object({ arg1: completable(z.string(), cities), arg2: z.string() })
  server.registerPrompt(
    'test_prompt_with_arguments',
    { ...fixture, argsSchema: two },
    async ({ arg1, arg2 }) => prompts.withArguments(arg1, arg2),
  )
  const one = z.object({ resourceUri: z.string() })
  server.registerPrompt('test_prompt_with_embedded_resource', { ...fixture, argsSchema: one }, async args =>
    prompts.withResource(args.resourceUri),
  )
  server.registerPrompt('test_input_required_result_prompt', fixture, async ctx => inputPrompt(ctx) as never)
}

/** Builds the 2026-07-28 server the suite needs. */
export const server2026 = async (notify: ServerNotifier): Promise<McpServer> => {
  const cacheHint = { ttlMs: 60_000, cacheScope: 'public' } as const
  const server = new McpServer(
    { name: 'octagent-conformance', version: '1.0.0' },
    {
      capabilities: {
        logging: {},
        resources: { subscribe: true, listChanged: true },
        tools: { listChanged: true },
        prompts: { listChanged: true },
      },
      requestState: { verify: codec.verify },
      cacheHints: { 'tools/list': cacheHint },
    },
  )
  addStillTools(server)
  addTalkingTools(server, notify)
  addSchemaTools(server)
  addAskingTools(server)
  addResources(server)
  addPrompts(server)
  return server
}
