import { randomUUID } from 'node:crypto'
import { createServer } from 'node:http'
import { AgentEvent, type AgentExecutor, DefaultRequestHandler, InMemoryTaskStore } from '@a2a-js/sdk/server'
import { jsonRpcHandler, UserBuilder } from '@a2a-js/sdk/server/express'
import express from 'express'
import { enter } from '../contestant.ts'
import { measureTool, repeat, toolNames } from '../fixture.ts'

const names = toolNames(26)
const tools = new Map(names.map(name => [name, measureTool(name)]))
const modes = ['text/plain', 'application/json']

const card = {
  name: 'Measure',
  description: 'Small tools to measure a server with.',
  version: '1.0.0',
  supportedInterfaces: ['1.0', '0.3'].map(protocolVersion => ({
    url: 'http://127.0.0.1/a2a',
    protocolBinding: 'JSONRPC',
    tenant: '',
    protocolVersion,
  })),
  provider: undefined,
  capabilities: { extensions: [] },
  securitySchemes: {},
  securityRequirements: [],
  defaultInputModes: modes,
  defaultOutputModes: modes,
  signatures: [],
  skills: names.map(id => ({
    id,
    name: 'Measure a text',
    description: 'Repeats a text and counts its characters.',
    tags: ['measure'],
    examples: [],
    inputModes: modes,
    outputModes: modes,
    securityRequirements: [],
  })),
}

const agent = 2
const part = { metadata: undefined, filename: '' }

/** Chooses the skill from the data part, checks input and output by schema, and answers with a message: what we do too. */
const executor: AgentExecutor = {
  async execute({ userMessage, contextId }, bus) {
    const data = userMessage.parts.find(({ content }) => content?.$case === 'data')?.content?.value
    const { skill, ...given } = data as { skill: string }
    const tool = tools.get(skill)
    if (!tool) throw new Error(`there is no skill ${skill}`)
    const answer = tool.output.parse(repeat(tool.input.parse(given)))
    bus.publish(
      AgentEvent.message({
        messageId: randomUUID(),
        contextId,
        taskId: '',
        role: agent,
        parts: [
          { content: { $case: 'text', value: answer.text }, mediaType: 'text/plain', ...part },
          { content: { $case: 'data', value: answer }, mediaType: 'application/json', ...part },
        ],
        metadata: undefined,
        extensions: [],
        referenceTaskIds: [],
      }),
    )
    bus.finished()
  },
  cancelTask: async () => undefined,
}

const requestHandler = new DefaultRequestHandler(card, new InMemoryTaskStore(), executor)
const app = express()
app.use(
  '/a2a',
  jsonRpcHandler({
    requestHandler,
    userBuilder: UserBuilder.noAuthentication,
    legacyCompat: { enabled: true },
  }),
)
enter(createServer(app))
