import { randomBytes, randomUUID } from 'node:crypto'
import {
  acceptedContent,
  CLIENT_CAPABILITIES_META_KEY,
  createRequestStateCodec,
  inputRequired,
  type McpServer,
  type ServerContext,
} from '@modelcontextprotocol/server'
import { z } from 'zod'
import { text } from './content.ts'

export const codec = createRequestStateCodec<Record<string, unknown>>({ key: randomBytes(32) })

type Properties = Record<string, { type: 'string' } | { type: 'boolean' }>
type Answer = ReturnType<typeof text> | ReturnType<typeof inputRequired>
type Asking = (ctx: ServerContext) => Answer | Promise<Answer>

const form = (message: string, properties: Properties) =>
  inputRequired.elicit({
    message,
    requestedSchema: { type: 'object', properties, required: Object.keys(properties) },
  })

const sample = (words: string, maxTokens: number) =>
  inputRequired.createMessage({
    messages: [{ role: 'user', content: { type: 'text', text: words } }],
    maxTokens,
  })

const yourName = (message: string) => form(message, { name: { type: 'string' } })
const state = () => codec.mint({ n: randomUUID() })

const askConfirmation: (done: string) => Asking = done => async ctx => {
  const { inputResponses, requestState } = ctx.mcpReq
  if (acceptedContent(inputResponses, 'confirm') && requestState()) return text(done)
  const confirm = form('Please confirm', { ok: { type: 'boolean' } })
  return inputRequired({ inputRequests: { confirm }, requestState: await state() })
}

const rounds: Asking = async ctx => {
  const round = Number((ctx.mcpReq.requestState() as { round?: number } | undefined)?.round ?? 0)
  if (round >= 2) return text('done')
  const asked = form(
    `Step ${round + 1}`,
    round > 0 ? { color: { type: 'string' } } : { name: { type: 'string' } },
  )
  return inputRequired({
    inputRequests: { [`step${round + 1}`]: asked },
    requestState: await codec.mint({ round: round + 1, n: randomUUID() }),
  })
}

const byCapability: Asking = ctx => {
  if (ctx.mcpReq.inputResponses) return text('ok')
  const can = ((ctx.mcpReq.envelope as Record<string, unknown> | undefined)?.[CLIENT_CAPABILITIES_META_KEY] ??
    {}) as Record<string, unknown>
  return inputRequired({
    inputRequests: {
      ...(can.elicitation !== undefined && { user_name: yourName('Name?') }),
      ...(can.sampling !== undefined && { greeting: sample('hi', 5) }),
    },
  })
}

const asking: Readonly<Record<string, Asking>> = {
  test_missing_capability: () => inputRequired({ inputRequests: { q: sample('x', 5) } }),
  test_streaming_elicitation: async ({ mcpReq }) => {
    const progressToken = mcpReq._meta?.progressToken
    if (progressToken !== undefined)
      await mcpReq.notify({
        method: 'notifications/progress',
        params: { progressToken, progress: 1, total: 2 },
      })
    return inputRequired({ inputRequests: { user_name: yourName('Name?') } })
  },
  test_input_required_result_elicitation: ({ mcpReq }) => {
    const name = acceptedContent(mcpReq.inputResponses, 'user_name')?.name
    if (typeof name === 'string') return text(`Hello, ${name}!`)
    return inputRequired({ inputRequests: { user_name: yourName('What is your name?') } })
  },
  test_input_required_result_sampling: ({ mcpReq }) => {
    const answer = mcpReq.inputResponses?.capital_question
    if (answer) return text(`Sampling: ${JSON.stringify(answer)}`)
    return inputRequired({
      inputRequests: { capital_question: sample('What is the capital of France?', 100) },
    })
  },
  test_input_required_result_list_roots: ({ mcpReq }) => {
    const { roots } = (mcpReq.inputResponses?.client_roots ?? {}) as { roots?: unknown }
    if (Array.isArray(roots)) return text(`roots ${roots.length}`)
    return inputRequired({ inputRequests: { client_roots: inputRequired.listRoots() } })
  },
  test_input_required_result_request_state: askConfirmation('state-ok'),
  test_input_required_result_tampered_state: askConfirmation('integrity-ok'),
  test_input_required_result_multiple_inputs: async ({ mcpReq }) =>
    mcpReq.inputResponses
      ? text('all ok')
      : inputRequired({
          inputRequests: {
            user_name: yourName('Name?'),
            greeting: sample('Generate a greeting', 50),
            client_roots: inputRequired.listRoots(),
          },
          requestState: await state(),
        }),
  test_input_required_result_multi_round: rounds,
  test_input_required_result_capabilities: byCapability,
}

/** Tools that need something of the client first (MRTR, 2026-07-28). */
export const addAskingTools = (server: McpServer): void => {
  for (const [name, ask] of Object.entries(asking)) {
    const about = { title: name, description: `Diagnostic ${name}`, inputSchema: z.object({}) }
    server.registerTool(name, about, async (_, ctx) => ask(ctx))
  }
}

/** The prompt that needs something of the client first. */
export const inputPrompt = ({ mcpReq }: ServerContext) => {
  if (!acceptedContent(mcpReq.inputResponses, 'user_context'))
    return inputRequired({
      inputRequests: { user_context: form('Context?', { context: { type: 'string' } }) },
    })
  return { messages: [{ role: 'user' as const, content: { type: 'text' as const, text: 'ok' } }] }
}
