import { asList, asRecord, isRecord, type JsonRecord } from '../../lib/json.ts'
import { readTokenCount, type Wire, type WireRequest } from './wire.ts'

const responseFormat = ({ jsonSchema, isStrict }: WireRequest, format: 'schema' | 'object' | 'text') => {
  if (format === 'text') return {}
  if (format === 'object') return { response_format: { type: 'json_object' } }
  const json_schema = { name: 'answer', strict: isStrict, schema: jsonSchema }
  return { response_format: { type: 'json_schema', json_schema } }
}

/** The text of a message: a string, or parts of it. */
const readText = (content: unknown): string =>
  typeof content === 'string'
    ? content
    : asList(content)
        .map(part => asRecord(part).text)
        .filter(text => typeof text === 'string')
        .join('')

const readEnd = (choice: JsonRecord, message: JsonRecord) => {
  if (typeof message.refusal === 'string' && message.refusal !== '') return 'refused'
  if (choice.finish_reason === 'content_filter') return 'refused'
  return choice.finish_reason === 'length' ? 'length' : 'done'
}

/** Chat completions, as OpenAI, Ollama, llama.cpp, vLLM, LM Studio and OpenRouter serve them. */
export const openai: Wire = {
  address: base => (base.endsWith('/chat/completions') ? base : `${base}/chat/completions`),
  headers: key => (key === undefined ? {} : { authorization: `Bearer ${key}` }),
  body: (request, habits) => ({
    model: request.model,
    messages: [
      { role: 'system', content: request.system },
      ...request.messages.map(({ role, text }) => ({ role, content: text })),
    ],
    [habits.tokens]: request.maxTokens,
    ...(habits.temperature && { temperature: request.temperature }),
    ...responseFormat(request, habits.format),
    stream: false,
  }),
  read(answer) {
    const choice = asList(answer.choices)[0]
    if (!isRecord(choice) || !isRecord(choice.message)) return undefined
    const usage = asRecord(answer.usage)
    return {
      text: readText(choice.message.content),
      end: readEnd(choice, choice.message),
      model: typeof answer.model === 'string' ? answer.model : undefined,
      usage: {
        inputTokens: readTokenCount(usage.prompt_tokens),
        outputTokens: readTokenCount(usage.completion_tokens),
      },
    }
  },
}
