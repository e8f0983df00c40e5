import { completable } from '@modelcontextprotocol/sdk/server/completable.js'
import { McpServer, ResourceTemplate } from '@modelcontextprotocol/sdk/server/mcp.js'
import {
  CreateMessageResultSchema,
  ElicitResultSchema,
  SubscribeRequestSchema,
  UnsubscribeRequestSchema,
} from '@modelcontextprotocol/sdk/types.js'
import { z } from 'zod'
import {
  cities,
  enumForm,
  formWithDefaults,
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

const addStillTools = (server: McpServer) => {
  for (const [name, answer] of Object.entries(still))
    server.registerTool(name, about(name), async () => answer)
  server.registerTool('test_error_handling', about('test_error_handling'), async () => {
    throw new Error('This tool intentionally returns an error for testing')
  })
}

const addTalkingTools = (server: McpServer) => {
  server.registerTool('test_tool_with_progress', about('test_tool_with_progress'), async extra => {
    const progressToken = extra._meta?.progressToken
    for (const progress of progressSteps) {
      if (progressToken !== undefined)
        await extra.sendNotification({
          method: 'notifications/progress',
          params: { progressToken, progress, total: 100 },
        })
      await nap()
    }
    return text('progress done')
  })
  server.registerTool('test_tool_with_logging', about('test_tool_with_logging'), async extra => {
    for (const data of logLines) {
      await extra.sendNotification({ method: 'notifications/message', params: { level: 'info', data } })
      await nap()
    }
    return text('logged')
  })
}

const elicitations = {
  test_elicitation_sep1034_defaults: formWithDefaults,
  test_elicitation_sep1330_enums: enumForm,
}

/** Tools that ask the client something while they answer. */
const addAskingTools = (server: McpServer) => {
  server.registerTool(
    'test_sampling',
    { ...about('test_sampling'), inputSchema: { prompt: z.string() } },
    async ({ prompt }, extra) => {
      const messages = [{ role: 'user' as const, content: { type: 'text' as const, text: prompt } }]
      const { content } = await extra.sendRequest(
        { method: 'sampling/createMessage', params: { messages, maxTokens: 100 } },
        CreateMessageResultSchema,
      )
      return text(`LLM response: ${'text' in content ? content.text : content.type}`)
    },
  )
  server.registerTool(
    'test_elicitation',
    { ...about('test_elicitation'), inputSchema: { message: z.string() } },
    async ({ message }, extra) => {
      const properties = { username: { type: 'string' as const }, email: { type: 'string' as const } }
      const requestedSchema = { type: 'object' as const, properties, required: ['username', 'email'] }
      const { action, content } = await extra.sendRequest(
        { method: 'elicitation/create', params: { message, requestedSchema } },
        ElicitResultSchema,
      )
      return text(`User response: action=${action}, content=${JSON.stringify(content)}`)
    },
  )
  for (const [name, properties] of Object.entries(elicitations))
    server.registerTool(name, about(name), async extra => {
      const requestedSchema = { type: 'object' as const, properties, required: [] }
      const { action, content } = await extra.sendRequest(
        { method: 'elicitation/create', params: { message: 'Please fill in', requestedSchema } } as never,
        ElicitResultSchema,
      )
      return text(`Elicitation completed: action=${action}, content=${JSON.stringify(content)}`)
    })
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
  server.server.setRequestHandler(SubscribeRequestSchema, () => ({}))
  server.server.setRequestHandler(UnsubscribeRequestSchema, () => ({}))
}

const addPrompts = (server: McpServer) => {
  const fixture = { description: 'Diagnostic' }
  server.registerPrompt('test_simple_prompt', fixture, async () => prompts.simple)
  server.registerPrompt('test_prompt_with_image', fixture, async () => prompts.image)
  const two = { arg1: completable(z.string(), cities), arg2: z.string() }
  server.registerPrompt(
    'test_prompt_with_arguments',
    { ...fixture, argsSchema: two },
    async ({ arg1, arg2 }) => prompts.withArguments(arg1, arg2),
  )
  const one = { resourceUri: z.string() }
  server.registerPrompt('test_prompt_with_embedded_resource', { ...fixture, argsSchema: one }, async args =>
    prompts.withResource(args.resourceUri),
  )
}

/** Builds the 2025-11-25 server the suite needs. */
export const server2025 = async (): Promise<McpServer> => {
  const server = new McpServer(
    { name: 'octagent-conformance', version: '1.0.0' },
    { capabilities: { logging: {}, resources: { subscribe: true } } },
  )
  addStillTools(server)
  addTalkingTools(server)
  addAskingTools(server)
  addResources(server)
  addPrompts(server)
  return server
}
