import { asRecord, isRecord } from '../../lib/json.ts'
import { readTokenCount, type Wire } from './wire.ts'

const toolName = 'answer'

const toAddress = (base: string): string => {
  if (base.endsWith('/v1/messages')) return base
  return base.endsWith('/v1') ? `${base}/messages` : `${base}/v1/messages`
}

const ends: Readonly<Record<string, 'length' | 'refused'>> = {
  max_tokens: 'length',
  model_context_window_exceeded: 'length',
  refusal: 'refused',
}

/** The Messages API of Anthropic, version 2023-06-01. A structured answer is the input of a tool that must be used. */
export const anthropic: Wire = {
  address: toAddress,
  headers: key => ({ 'anthropic-version': '2023-06-01', ...(key !== undefined && { 'x-api-key': key }) }),
  body: (request, habits) => ({
    model: request.model,
    max_tokens: request.maxTokens,
    system: request.system,
    messages: request.messages.map(({ role, text }) => ({ role, content: text })),
    ...(habits.temperature && { temperature: request.temperature }),
    ...(habits.format === 'schema' && {
      tools: [{ name: toolName, description: 'Gives the answer.', input_schema: request.jsonSchema }],
      tool_choice: { type: 'tool', name: toolName },
    }),
    stream: false,
  }),
  read(answer) {
    if (answer.type !== 'message' || !Array.isArray(answer.content)) return undefined
    const blocks = answer.content.filter(isRecord)
    const use = blocks.find(({ type, name }) => type === 'tool_use' && name === toolName)
    const usage = asRecord(answer.usage)
    return {
      text: blocks
        .flatMap(({ type, text }) => (type === 'text' && typeof text === 'string' ? [text] : []))
        .join(''),
      ...(use && { value: use.input }),
      end: ends[String(answer.stop_reason)] ?? 'done',
      model: typeof answer.model === 'string' ? answer.model : undefined,
      usage: {
        inputTokens:
          readTokenCount(usage.input_tokens) +
          readTokenCount(usage.cache_creation_input_tokens) +
          readTokenCount(usage.cache_read_input_tokens),
        outputTokens: readTokenCount(usage.output_tokens),
      },
    }
  },
}
