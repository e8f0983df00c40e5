import { z } from 'zod'
import { settings } from '../../kernel/setting.ts'
import { absoluteUrl, wholeNumber } from '../../lib/setting-texts.ts'

export const llmSettings = settings({
  url: {
    variable: 'LLM_URL',
    schema: absoluteUrl,
    description:
      'Language model that tools may ask: base address of an OpenAI-compatible API or of the Anthropic API. It may be on this machine. Without it there is no model.',
    example: 'https://llm.example.org/v1',
  },
  model: {
    variable: 'LLM_MODEL',
    schema: z.string().trim().min(1).max(200),
    description: 'Name of the model, as the API has it. Needed with LLM_URL.',
    example: 'small-model-8b',
  },
  apiKey: {
    variable: 'LLM_API_KEY',
    schema: z
      .string()
      .min(8, 'must have at least 8 characters')
      .regex(/^[\x21-\x7e]+$/, 'must be printable ASCII without spaces'),
    description: 'Key of the API of the model. Models on this machine mostly need none.',
    secret: true,
  },
  api: {
    variable: 'LLM_API',
    schema: z.enum(['auto', 'openai', 'anthropic']),
    description:
      'What the API speaks: `openai` (chat completions) or `anthropic` (messages). `auto` goes by the address.',
    default: 'auto',
  },
  timeout: {
    variable: 'LLM_TIMEOUT',
    schema: wholeNumber(1, 600),
    description: 'Seconds that one question to the model may take, with all its retries.',
    default: '60',
  },
})
